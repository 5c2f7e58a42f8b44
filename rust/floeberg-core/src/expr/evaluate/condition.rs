//! For which rows is an expression of values true?
//!
//! In: an expression whose columns are known, and a batch. Out: one bit per row.
//!
//! Invariant: it is computed only for the rows that it is asked of, so that an overflow or a division by zero elsewhere is no error.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, make_array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::FilterBuilder;

use crate::error::{Error, Result};
use crate::expr::column_test::ColumnArray;
use crate::expr::{BoundCondition, ConditionColumn};
use crate::variant::variant_field;

/// The rows of a batch that match, among some of them; `None` is all. The bits of other rows are not set.
///
/// Errors: `InvalidInput` for a column that the batch does not have, a number that overflows or is divided by zero, or another value that
/// cannot be computed with; `InvalidData` for a column of a type that is not the table's.
pub(super) fn matching(
    condition: &BoundCondition,
    batch: &RecordBatch,
    among: Option<&BooleanBuffer>,
) -> Result<BooleanBuffer> {
    let among = among.filter(|among| among.count_set_bits() < among.len());
    let rows = among.map_or(batch.num_rows(), BooleanBuffer::count_set_bits);
    if rows == 0 {
        return Ok(BooleanBuffer::new_unset(batch.num_rows()));
    }
    let chosen =
        among.map(|among| FilterBuilder::new(&BooleanArray::new(among.clone(), None)).optimize().build());
    let mut columns = HashMap::with_capacity(condition.columns.len());
    for each in condition.columns.iter() {
        let mut array = values(ColumnArray::find(batch, &each.column)?)?;
        if let Some(chosen) = &chosen {
            array = chosen.filter(&array).map_err(|error| unlike(each, &error))?;
        }
        columns.insert(each.name.clone(), inside(in_type(&array, each)?, each)?);
    }
    let found = holds(condition, &columns, rows)?;
    Ok(among.map_or_else(|| found.clone(), |among| spread(&found, among)))
}

/// Of so many rows, those that match, by the columns of the expression.
pub(super) fn holds(
    condition: &BoundCondition,
    columns: &HashMap<String, ArrayRef>,
    rows: usize,
) -> Result<BooleanBuffer> {
    let values = condition.expression.evaluate(columns, rows)?;
    let is_true = if *values.data_type() == DataType::Null {
        BooleanBuffer::new_unset(rows)
    } else {
        let answers = values
            .as_boolean_opt()
            .ok_or_else(|| Error::internal("a condition of a filter is not true, false or null"))?;
        match answers.nulls() {
            Some(nulls) => answers.values() & nulls.inner(),
            None => answers.values().clone(),
        }
    };
    Ok(if condition.negated { !&is_true } else { is_true })
}

/// The values of a column, null where a parent is.
fn values(column: ColumnArray) -> Result<ArrayRef> {
    let ColumnArray { values, nulls } = column;
    if nulls.as_ref().map_or(0, NullBuffer::null_count) == values.logical_null_count() {
        return Ok(values);
    }
    let plain = match values.data_type() {
        DataType::Dictionary(_, of) => cast_with_options(&values, of, &CastOptions::default()),
        _ => Ok(values),
    };
    let data = plain.and_then(|plain| plain.to_data().into_builder().nulls(nulls).build());
    data.map(make_array)
        .map_err(|error| Error::internal("a column has other nulls than rows").caused_by(error))
}

/// The values in the type that the expression was bound with. Nested ones stay as they are.
fn in_type(array: &ArrayRef, column: &ConditionColumn) -> Result<ArrayRef> {
    let found = array.data_type();
    if *found == column.data_type || column.data_type.is_nested() {
        return Ok(Arc::clone(array));
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, &column.data_type, &options).map_err(|error| unlike(column, &error))
}

/// Of variants the fields that the name of the column means.
pub(super) fn inside(array: ArrayRef, column: &ConditionColumn) -> Result<ArrayRef> {
    if column.inside.is_root() {
        return Ok(array);
    }
    let variants =
        array.as_struct_opt().ok_or_else(|| Error::internal("a variant is not read as a struct"))?;
    Ok(Arc::new(variant_field(variants, &column.inside)?))
}

fn unlike(column: &ConditionColumn, error: &ArrowError) -> Error {
    Error::invalid_data(format!(
        "column {:?} of type {} has values of another type: {error}",
        column.column.name, column.column.field_type
    ))
}

/// Bits of some rows, in their places among all.
fn spread(found: &BooleanBuffer, among: &BooleanBuffer) -> BooleanBuffer {
    let mut all = BooleanBufferBuilder::new(among.len());
    all.append_n(among.len(), false);
    for (number, row) in among.set_indices().enumerate() {
        if found.value(number) {
            all.set_bit(row, true);
        }
    }
    all.finish()
}
