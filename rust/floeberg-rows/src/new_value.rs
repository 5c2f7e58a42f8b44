//! Which new values do columns get, and for which rows does a condition hold?
//!
//! In: rows, and values of columns, of SQL, of functions of the user, or literals. Out: an array in the type of a column, or a mask.
//!
//! Invariant: values become those of a column only where none changes. A condition that is null does not hold.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch, UInt64Array, new_null_array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use arrow_select::take::take;
use floeberg_core::expr::ValueExpression;
use floeberg_core::{Error, Result};

use crate::cast::{cast_field, type_name};
use crate::view::{Used, View, ViewNames, batch_of};

/// Functions of the user, which compute values of batches. They may be called by several threads.
pub trait Functions: Send + Sync {
    /// The values of the function of a number: an array with one for each row, with its type.
    ///
    /// `rows` has all columns by their whole names. It is called once for no rows, before any other call.
    fn call(&self, number: usize, rows: &RecordBatch) -> Result<(FieldRef, ArrayRef)>;
}

/// There are no functions.
#[derive(Debug, Clone, Copy)]
pub struct NoFunctions;

impl Functions for NoFunctions {
    fn call(&self, number: usize, _rows: &RecordBatch) -> Result<(FieldRef, ArrayRef)> {
        Err(Error::internal(format!("there is no function {number}")))
    }
}

/// What gives the values of rows.
#[derive(Debug, Clone)]
pub enum NewValue {
    /// Null.
    Null,
    /// One value of a type, for every row.
    Literal(FieldRef, ArrayRef),
    /// A column, or a field of a struct, by its dotted name.
    Column(String),
    /// SQL.
    Sql(ValueExpression),
    /// A function of the user, by its number.
    Function(usize),
}

/// A column that gets new values.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The number of the column of the table.
    pub column: usize,
    /// Its values.
    pub value: NewValue,
}

/// Which rows.
#[derive(Debug, Clone)]
pub struct Condition {
    /// The argument that has the condition, for errors.
    pub argument: String,
    /// Values that are bools.
    pub value: NewValue,
}

/// Computes values of rows.
#[derive(Clone)]
pub(crate) struct Evaluator {
    functions: Arc<dyn Functions>,
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Evaluator")
    }
}

impl Evaluator {
    pub(crate) fn new(functions: Arc<dyn Functions>) -> Self {
        Self { functions }
    }

    /// Computes an assignment for no rows, and marks the columns that it uses.
    pub(crate) fn check_assignment(
        &self,
        assignment: &Assignment,
        names: &ViewNames,
        used: &Used,
        to: &Field,
    ) -> Result<()> {
        mark(&assignment.value, names, used);
        self.assigned(assignment, &View::empty(names), to).map(drop)
    }

    /// Computes a condition for no rows, and marks the columns that it uses.
    pub(crate) fn check_condition(
        &self,
        condition: &Condition,
        names: &ViewNames,
        used: &Used,
    ) -> Result<()> {
        mark(&condition.value, names, used);
        self.holds(condition, &View::empty(names)).map(drop)
    }

    /// The new values of a column, in its type.
    ///
    /// Errors: `InvalidInput` where values do not fit; those of functions.
    pub(crate) fn assigned(&self, assignment: &Assignment, view: &View<'_>, to: &Field) -> Result<ArrayRef> {
        if let NewValue::Literal(field, one) = &assignment.value {
            // One value is converted, not one for each row.
            let one = cast_field(to.name(), one, field, to)?;
            return repeated(&one, view.rows());
        }
        let (from, values) = self.values(&assignment.value, view)?;
        cast_field(to.name(), &values, &from, to)
    }

    /// The rows for which a condition is true.
    ///
    /// Errors: `InvalidInput` for values that are not bools; those of functions.
    pub(crate) fn holds(&self, condition: &Condition, view: &View<'_>) -> Result<BooleanArray> {
        let (field, values) = self.values(&condition.value, view)?;
        match values.data_type() {
            DataType::Null => Ok(BooleanArray::new(BooleanBuffer::new_unset(values.len()), None)),
            DataType::Boolean => {
                let (holds, nulls) = values.as_boolean().clone().into_parts();
                let holds = nulls.map_or(holds.clone(), |nulls| &holds & nulls.inner());
                Ok(BooleanArray::new(holds, None))
            }
            _ => Err(Error::invalid_input(format!(
                "{}: the condition has values of type {}, expected bool",
                condition.argument,
                type_name(field.data_type())
            ))),
        }
    }

    fn values(&self, value: &NewValue, view: &View<'_>) -> Result<(FieldRef, ArrayRef)> {
        match value {
            NewValue::Null => {
                let values = new_null_array(&DataType::Null, view.rows());
                Ok((Arc::new(Field::new("value", DataType::Null, true)), values))
            }
            NewValue::Literal(field, one) => Ok((Arc::clone(field), repeated(one, view.rows())?)),
            NewValue::Column(name) => view.column(name),
            NewValue::Sql(expression) => {
                let mut columns = HashMap::new();
                for name in expression.columns() {
                    let (_, column) = view.column(name)?;
                    columns.insert(name.to_owned(), column);
                }
                let values = expression.evaluate(&columns, view.rows())?;
                Ok((Arc::new(Field::new("value", values.data_type().clone(), true)), values))
            }
            NewValue::Function(number) => self.functions.call(*number, &view.batch()?),
        }
    }
}

/// The values of new columns of a batch. With `columns` they are cast to these, where none changes.
///
/// Errors: `InvalidInput` for unknown names and values that do not fit; those of functions.
pub fn computed_columns(
    values: &[NewValue],
    rows: &RecordBatch,
    columns: Option<&Fields>,
    functions: Arc<dyn Functions>,
) -> Result<RecordBatch> {
    let names = ViewNames::of_batch(rows.schema_ref());
    let view = View::new(&names, rows.columns().to_vec(), rows.num_rows());
    let evaluator = Evaluator::new(functions);
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (number, value) in values.iter().enumerate() {
        let (from, array) = evaluator.values(value, &view)?;
        let (field, array) = match columns.and_then(|columns| columns.get(number)) {
            Some(to) => (Arc::clone(to), cast_field(to.name(), &array, &from, to)?),
            None => (from, array),
        };
        fields.push(field.as_ref().clone().with_nullable(true));
        arrays.push(array);
    }
    batch_of(&Arc::new(Schema::new(fields)), arrays, rows.num_rows())
}

/// Marks the columns of a value. Of no rows not every part of SQL is computed, so its text is asked.
fn mark(value: &NewValue, names: &ViewNames, used: &Used) {
    match value {
        NewValue::Null | NewValue::Literal(..) => {}
        NewValue::Column(name) => names.uses(name, used),
        NewValue::Sql(expression) => {
            for name in expression.columns() {
                names.uses(name, used);
            }
        }
        NewValue::Function(_) => names.uses_all(used),
    }
}

/// The first value of an array, for every row.
fn repeated(one: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    take(one, &UInt64Array::from_value(0, rows), None)
        .map_err(|error| Error::internal("a literal is repeated").caused_by(error))
}
