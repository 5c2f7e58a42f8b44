//! Are the rows of a file in the sort order that its entry names?
//!
//! Spec: Sorting.
//!
//! Invariant: keys are bytes that are ordered as rows are; where a column of the order is not in the file, what comes after it is not
//! looked at.

use arrow_array::{Array, ArrayRef};
use floeberg_core::Result;
use floeberg_core::schema::Type;
use floeberg_files::OrderedValues;
use floeberg_iceberg::metadata::{NullOrder, SortDirection, SortField, SortOrder};

use crate::check::rules::rows::ROWS_SORTED;
use floeberg_core::finding::Findings;

/// The order of rows, as they come.
#[derive(Debug)]
pub(super) struct RowOrder {
    fields: Vec<SortField>,
    before: Option<Vec<u8>>,
    is_wrong: bool,
}

impl RowOrder {
    /// Of the leading fields that a file has, by their columns.
    pub(super) fn new(order: &SortOrder, has: impl Fn(i32) -> bool) -> Option<Self> {
        let is_there = |field: &&SortField| matches!(field.source_ids.as_slice(), [source] if has(*source));
        let fields: Vec<_> = order.fields.iter().take_while(is_there).cloned().collect();
        (!fields.is_empty()).then_some(Self { fields, before: None, is_wrong: false })
    }

    /// The columns that it sorts by.
    pub(super) fn sources(&self) -> impl Iterator<Item = i32> + '_ {
        self.fields.iter().filter_map(|field| field.source_ids.first().copied())
    }

    /// Compares the rows of a batch, whose columns come in the order of the fields.
    ///
    /// Errors: `Internal` for columns that have no order.
    pub(super) fn add(
        &mut self,
        found: &mut Findings,
        columns: &[(ArrayRef, Type)],
        first: i64,
    ) -> Result<()> {
        if self.is_wrong {
            return Ok(());
        }
        let mut keys = Vec::with_capacity(columns.len());
        for (field, (array, source)) in self.fields.iter().zip(columns) {
            if field.transform.result_type(source).is_err() {
                break;
            }
            keys.push(field.transform.apply_array(array.as_ref(), source)?);
        }
        let values = keys.iter().map(OrderedValues::of).collect::<Result<Vec<_>>>()?;
        let rows = keys.first().map_or(0, Array::len);
        let mut key = Vec::new();
        for row in 0..rows {
            key.clear();
            for (field, values) in self.fields.iter().zip(&values) {
                put(&mut key, field, values, row);
            }
            let before = self.before.get_or_insert_with(|| key.clone());
            if *before > key {
                let row = first + row as i64;
                found.add(&ROWS_SORTED, "", format_args!("row {row} comes before the row that it follows"));
                self.is_wrong = true;
                return Ok(());
            }
            std::mem::swap(before, &mut key);
        }
        Ok(())
    }
}

fn put(key: &mut Vec<u8>, field: &SortField, values: &OrderedValues<'_>, row: usize) {
    if values.is_null(row) {
        key.push(if field.null_order == NullOrder::First { 0 } else { 2 });
        return;
    }
    key.push(1);
    let start = key.len();
    values.put(key, row);
    if field.direction == SortDirection::Descending {
        key[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}
