//! Which change of a feed is the last of its key?
//!
//! In: rows that say whether they insert, update or delete. Out: the rows that there are then, and the keys of those that are gone.
//!
//! Invariant: the order of the rows of a feed does not matter. What `order_by` leaves open is an error. NaN equals NaN, null equals null
//! and -0.0 equals 0.0.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{Array as _, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_cast::cast::cast;
use arrow_ord::ord::{DynComparator, make_comparator};
use arrow_schema::{DataType, Schema, SortOptions};
use floeberg_core::{Error, Result};

use crate::cast::type_name;
use crate::names::{JoinedColumns, listed, names_of, quoted, shown_value};

const BEFORE: &str = "update_before";
const KNOWN: [&str; 5] = ["insert", "update", "delete", BEFORE, "update_after"];
/// The most keys that an error shows.
const SHOWN: usize = 3;

/// What a feed says of its rows, by the names of its columns.
#[derive(Debug, Clone)]
pub struct ChangeFeed {
    /// The key columns.
    pub keys: Vec<String>,
    /// The column with `insert`, `update`, `delete`, `update_before` or `update_after`, in any case.
    pub operation: String,
    /// The columns by which the last change of a key is found.
    pub order_by: Vec<String>,
}

/// What a feed leaves, by the numbers of its rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LastChanges {
    /// Inserts and updates.
    pub present: Vec<u32>,
    /// Deletes.
    pub deleted: Vec<u32>,
}

impl ChangeFeed {
    /// The columns that must be in memory: keys, order and operation, each once.
    pub fn columns(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for name in self.keys.iter().chain(&self.order_by).chain([&self.operation]) {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        found
    }

    /// Checks that rows have these columns, none of which nests.
    ///
    /// Errors: `InvalidInput` that names the argument.
    pub fn check(&self, feed: &Schema) -> Result<()> {
        let operation = [self.operation.clone()];
        for (argument, names) in
            [("keys", &self.keys[..]), ("operation", &operation[..]), ("order_by", &self.order_by[..])]
        {
            if names.is_empty() {
                return Err(Error::invalid_input(format!("{argument}: expected at least one column")));
            }
            for name in names {
                let Some((_, field)) = feed.column_with_name(name) else {
                    return Err(Error::invalid_input(format!(
                        "{argument}: the changes have no column {}, only {}",
                        quoted(name),
                        listed(names_of(feed))
                    )));
                };
                if field.data_type().is_nested() {
                    return Err(Error::invalid_input(format!(
                        "{argument}: column {} is of type {}, expected a column of a primitive type",
                        quoted(name),
                        type_name(field.data_type())
                    )));
                }
            }
        }
        Ok(())
    }

    /// The columns that are written to a table: all but the operation, and those of the order that the table does not have.
    ///
    /// Errors: those of [`JoinedColumns::of`].
    pub fn joined(&self, feed: &Schema, table: &Schema) -> Result<JoinedColumns> {
        let is_control = |name: &String| {
            *name == self.operation
                || (self.order_by.contains(name) && table.column_with_name(name).is_none())
        };
        let given: Vec<_> = feed.fields().iter().filter(|field| !is_control(field.name())).cloned().collect();
        JoinedColumns::of(&Schema::new(given), table, &self.keys, true, true)
    }

    /// The last change of each key, in the order of keys.
    ///
    /// Errors: `InvalidInput` for an unknown operation, a null in the order, and two changes of a key with the same place in the order.
    pub fn last(&self, rows: &RecordBatch) -> Result<LastChanges> {
        let operations = self.operations(rows)?;
        let keys = self.keys.iter().map(|name| comparable(rows, name)).collect::<Result<Vec<_>>>()?;
        let order = self.order_by.iter().map(|name| comparable(rows, name)).collect::<Result<Vec<_>>>()?;
        for (name, column) in self.order_by.iter().zip(&order) {
            let nulls = column.logical_null_count();
            if nulls > 0 {
                return Err(Error::invalid_input(format!(
                    "order_by: column {} is null in {nulls} changes",
                    quoted(name)
                )));
            }
        }
        let (keys, order) = (comparators(&keys)?, comparators(&order)?);
        let is_before = |row: u32| operations[row as usize] == Operation::Before;
        // The old row of an update comes before the new one.
        let by_order = |one: u32, other: u32| {
            compared(&order, one, other).then_with(|| is_before(other).cmp(&is_before(one)))
        };
        let mut sorted: Vec<u32> = (0..rows.num_rows() as u32).collect();
        sorted.sort_unstable_by(|one, other| {
            compared(&keys, *one, *other).then_with(|| by_order(*one, *other)).then_with(|| one.cmp(other))
        });
        let (mut last, mut tied) = (LastChanges::default(), Vec::new());
        for (at, row) in sorted.iter().enumerate() {
            let next = sorted.get(at + 1).filter(|next| compared(&keys, *row, **next) == Ordering::Equal);
            match next {
                Some(next) if by_order(*row, *next) == Ordering::Equal => tied.push(*row),
                Some(_) => {}
                None if matches!(operations[*row as usize], Operation::Delete | Operation::Before) => {
                    last.deleted.push(*row);
                }
                None => last.present.push(*row),
            }
        }
        if tied.is_empty() { Ok(last) } else { Err(self.tied(rows, &tied)?) }
    }

    fn tied(&self, rows: &RecordBatch, tied: &[u32]) -> Result<Error> {
        let mut shown = Vec::new();
        for row in tied.iter().take(SHOWN) {
            let mut key = Vec::new();
            for name in &self.keys {
                key.push(format!("{name} = {}", shown_value(column(rows, name)?, *row as usize)?));
            }
            shown.push(key.join(", "));
        }
        Ok(Error::invalid_input(format!(
            "order_by: two changes of a key have the same {}, so it is not known which is the last: {}",
            listed(self.order_by.iter().map(String::as_str)),
            shown.join("; ")
        )))
    }

    fn operations(&self, rows: &RecordBatch) -> Result<Vec<Operation>> {
        let given = column(rows, &self.operation)?;
        let name = quoted(&self.operation);
        let is_text = matches!(
            given.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null
        ) || matches!(given.data_type(), DataType::Dictionary(_, values) if values.is_string());
        if !is_text {
            return Err(Error::invalid_input(format!(
                "operation: expected text in column {name}, found values of type {}",
                given.data_type()
            )));
        }
        let texts = cast(given, &DataType::LargeUtf8)
            .map_err(|error| Error::internal("operations are texts").caused_by(error))?;
        let texts = texts.as_string::<i64>();
        let unknown = |found: String| {
            Error::invalid_input(format!(
                "operation: expected insert, update or delete in column {name}, found {found}"
            ))
        };
        texts
            .iter()
            .map(|text| {
                let Some(text) = text else { return Err(unknown("None".to_owned())) };
                let word = KNOWN.into_iter().find(|word| word.eq_ignore_ascii_case(text));
                match word {
                    Some("delete") => Ok(Operation::Delete),
                    Some(BEFORE) => Ok(Operation::Before),
                    Some(_) => Ok(Operation::Present),
                    None => Err(unknown(quoted(&text.to_lowercase()))),
                }
            })
            .collect()
    }
}

/// What a change says of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    /// There is such a row.
    Present,
    /// The row is gone.
    Delete,
    /// The row of an update as it was.
    Before,
}

fn column<'r>(rows: &'r RecordBatch, name: &str) -> Result<&'r ArrayRef> {
    rows.column_by_name(name)
        .ok_or_else(|| Error::invalid_input(format!("the changes have no column {}", quoted(name))))
}

/// A column whose equal values compare as equal.
fn comparable(rows: &RecordBatch, name: &str) -> Result<ArrayRef> {
    let column = column(rows, name)?;
    let to = match column.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        // Not every kernel knows halves.
        DataType::Float16 => &DataType::Float32,
        DataType::Null => &DataType::Boolean,
        same => same,
    };
    let column =
        cast(column, to).map_err(|error| Error::internal("values are made comparable").caused_by(error))?;
    Ok(match column.data_type() {
        DataType::Float32 => {
            normal::<Float32Type>(&column, |value| if value.is_nan() { f32::NAN } else { value + 0.0 })
        }
        DataType::Float64 => {
            normal::<Float64Type>(&column, |value| if value.is_nan() { f64::NAN } else { value + 0.0 })
        }
        _ => column,
    })
}

fn normal<T: ArrowPrimitiveType>(column: &ArrayRef, value: impl Fn(T::Native) -> T::Native) -> ArrayRef {
    let values: PrimitiveArray<T> = column.as_primitive::<T>().unary(value);
    Arc::new(values)
}

fn comparators(columns: &[ArrayRef]) -> Result<Vec<DynComparator>> {
    let ascending = SortOptions { descending: false, nulls_first: false };
    columns
        .iter()
        .map(|column| {
            make_comparator(column, column, ascending).map_err(|_| {
                Error::unsupported(format!(
                    "changes cannot be ordered by values of type {}",
                    column.data_type()
                ))
            })
        })
        .collect()
}

fn compared(columns: &[DynComparator], one: u32, other: u32) -> Ordering {
    let mut each = columns.iter().map(|column| column(one as usize, other as usize));
    each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
