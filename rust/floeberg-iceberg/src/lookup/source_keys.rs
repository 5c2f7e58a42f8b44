//! What are the keys of a source, and which files can have rows with them?
//!
//! In: the key columns of a source, in the table's types. Out: an index of its rows by key, and a filter of few nodes that every row
//! with such a key passes.
//! Spec: Scan Planning.
//!
//! Invariant: the filter leaves out no row with a key of the source. It has a value for each key only where there are few keys.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use floeberg_core::arrow_values::from_array;
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator};
use floeberg_core::rows::KeyIndex;
use floeberg_core::schema::arrow::{schema_to_arrow, type_to_arrow};
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::{Error, Result};
use floeberg_rows::{NullKeys, check_no_nulls, repeated_key};

use crate::aggregate::{Extreme, best_of};

/// So many rows are tested for by a list of their values.
const MOST_LISTED: usize = 200;

/// The keys of the rows of a source.
#[derive(Debug)]
pub struct SourceKeys {
    schema: Arc<Schema>,
    nulls: NullKeys,
    /// May several rows have one key?
    repeats: bool,
    index: KeyIndex,
    columns: Vec<KeyColumn>,
}

/// What is known of the values of a key column.
#[derive(Debug)]
struct KeyColumn {
    field: Field,
    has_null: bool,
    least: Option<Value>,
    greatest: Option<Value>,
    /// All values, while there are few.
    listed: Option<Vec<Value>>,
}

impl SourceKeys {
    /// No rows yet, with columns of a table by their ids. `repeats` allows several rows with one key.
    ///
    /// Errors: `InvalidInput` without a column and for a nested column; `Unsupported` for a type that cannot
    /// be a key.
    pub fn new(table: &Schema, ids: &[i32], nulls: NullKeys, repeats: bool) -> Result<Self> {
        let mut fields: Vec<Field> = Vec::with_capacity(ids.len());
        for id in ids {
            let found = table.fields().iter().find(|field| field.id == *id);
            let Some(field) = found else {
                let name = table.full_name(*id).unwrap_or_else(|| id.to_string());
                return Err(Error::unsupported(format!(
                    "column {name:?} cannot be a key: keys are columns of the top level"
                )));
            };
            if fields.iter().any(|known| known.id == *id) {
                return Err(Error::invalid_input(format!("the key column {:?} is named twice", field.name)));
            }
            fields.push(Field { required: false, ..field.clone() });
        }
        let types = fields.iter().map(|field| type_to_arrow(&field.field_type)).collect::<Result<_>>()?;
        let index = KeyIndex::new(types, nulls == NullKeys::Equal)?;
        let columns = fields.iter().map(|field| KeyColumn {
            field: field.clone(),
            has_null: false,
            least: None,
            greatest: None,
            listed: Some(Vec::new()),
        });
        let columns = columns.collect();
        Ok(Self { schema: Arc::new(Schema::new(table.schema_id(), fields)?), nulls, repeats, index, columns })
    }

    /// The key columns, all optional.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many rows the source has.
    pub fn rows(&self) -> usize {
        self.index.rows()
    }

    /// Bytes that the keys take.
    pub fn memory(&self) -> usize {
        self.index.memory()
    }

    /// Adds the next rows: the columns of [`Self::schema`].
    ///
    /// Errors: `InvalidInput`, with the key, for a null and for a key that an earlier row has, unless they are allowed.
    pub fn insert(&mut self, keys: &RecordBatch) -> Result<()> {
        let first = self.rows();
        if self.nulls == NullKeys::Refused {
            check_no_nulls(
                self.columns.iter().map(|column| column.field.name.as_str()),
                keys.columns(),
                first,
            )?;
        }
        if let Some((row, earlier)) = self.index.insert(keys.columns())?.filter(|_| !self.repeats) {
            return Err(repeated_key(&self.shown(keys, row - first)?, earlier, row));
        }
        let fields = schema_to_arrow(&self.schema)?.fields;
        for (number, column) in self.columns.iter_mut().enumerate() {
            let one = arrow_schema::Schema::new(vec![Arc::clone(&fields[number])]);
            let batch = RecordBatch::try_new(Arc::new(one), vec![Arc::clone(keys.column(number))]);
            column.learn(&batch.map_err(|error| Error::internal("a key column").caused_by(error))?)?;
        }
        Ok(())
    }

    /// The key of a row, for messages.
    pub fn shown(&self, keys: &RecordBatch, row: usize) -> Result<String> {
        let columns = self.columns.iter().zip(keys.columns());
        let shown = columns.map(|(column, array)| {
            let value = from_array(array, row, &column.field.field_type)?;
            let value = value.map_or_else(|| "null".to_owned(), |value| value.to_string());
            Ok(format!("{} = {value}", column.field.name))
        });
        Ok(shown.collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// For each row of key columns the first row of the source with its key, or [`NO_ROW`](floeberg_core::rows::NO_ROW).
    pub fn find(&self, keys: &[ArrayRef]) -> Result<Vec<u32>> {
        self.index.find(keys)
    }

    /// Another row of the source with the key of a row.
    pub fn next(&self, row: u32) -> Option<u32> {
        self.index.next(row)
    }

    /// A filter that all rows with a key of the source pass.
    pub fn range(&self) -> BoundExpr {
        if self.rows() == 0 {
            return BoundExpr::False;
        }
        BoundExpr::all_of(self.columns.iter().map(|column| column.range(self.nulls)))
    }
}

impl KeyColumn {
    fn learn(&mut self, values: &RecordBatch) -> Result<()> {
        let array = values.column(0);
        let field_type = &self.field.field_type;
        self.has_null |= array.logical_null_count() > 0;
        if let Some(listed) = &mut self.listed {
            if listed.len() + array.len() > MOST_LISTED {
                self.listed = None;
            } else {
                for row in 0..array.len() {
                    listed.extend(from_array(array, row, field_type)?);
                }
            }
        }
        for which in [Extreme::Smallest, Extreme::Largest] {
            let Some(best) = best_of(values, field_type, which)? else { continue };
            let known = match which {
                Extreme::Smallest => &mut self.least,
                Extreme::Largest => &mut self.greatest,
            };
            if known.as_ref().is_none_or(|known| which.is_better(&best, known)) {
                *known = Some(best);
            }
        }
        Ok(())
    }

    fn range(&self, nulls: NullKeys) -> BoundExpr {
        // NaN equals NaN here, and nothing in a filter.
        if matches!(self.field.field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double)) {
            return BoundExpr::True;
        }
        let column = Arc::new(BoundColumn {
            id: self.field.id,
            name: self.field.name.clone(),
            path: vec![self.field.id],
            field_type: self.field.field_type.clone(),
            required: false,
        });
        let test = |op, literals: Vec<Value>| {
            let column = Arc::clone(&column);
            BoundExpr::Predicate(BoundPredicate { op, column, transform: None, literals: literals.into() })
        };
        let of_values = match (&self.least, &self.greatest) {
            (Some(least), Some(greatest)) => match self.distinct() {
                Some(values) if values.len() == 1 => test(Operator::Eq, values),
                Some(values) => test(Operator::In, values),
                None => BoundExpr::all_of([
                    test(Operator::GtEq, vec![least.clone()]),
                    test(Operator::LtEq, vec![greatest.clone()]),
                ]),
            },
            _ => BoundExpr::False,
        };
        if nulls == NullKeys::Equal && self.has_null {
            return BoundExpr::any_of([of_values, test(Operator::IsNull, Vec::new())]);
        }
        of_values
    }

    /// The values, sorted, each once, while there are few.
    fn distinct(&self) -> Option<Vec<Value>> {
        let mut values = self.listed.clone()?;
        values.sort_by(|one, other| compare(one, other).unwrap_or(std::cmp::Ordering::Equal));
        values.dedup();
        Some(values)
    }
}

/// Two are the same only where they are one: their rows are not compared.
impl PartialEq for SourceKeys {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}
