//! Which rows of a table do their rows of a source replace?
//!
//! In: rows with their rows of a source, in the types of the table. Out: rows that are deleted, and new rows for those that differ.
//!
//! Invariant: a row that would not change is not written.

use std::sync::Arc;

use arrow_array::UInt32Array;
use floeberg_core::Result;

use crate::cast_source::CastSource;
use crate::change::{BatchChange, FoundRows, RowChange, UpdatedRows, taken};
use crate::differing::differing_rows;

/// Replaces columns of rows by those of a source, of which each key has one row.
#[derive(Debug)]
pub struct Replace {
    source: Arc<CastSource>,
    /// For each column of the source its number in the table.
    columns: Vec<usize>,
    every: Vec<usize>,
}

impl Replace {
    /// Replaces rows of a table of so many columns.
    pub fn new(source: Arc<CastSource>, width: usize) -> Self {
        Self { columns: source.columns_of_table(), source, every: (0..width).collect() }
    }
}

impl RowChange for Replace {
    fn columns_to_read(&self) -> &[usize] {
        &self.every
    }

    /// A row whose row of the source is beyond its end is deleted.
    fn apply(&self, found: &FoundRows<'_>) -> Result<BatchChange> {
        let of_source = found.of_source()?;
        let mut change = BatchChange::default();
        let (mut rows, mut sources) = (Vec::new(), Vec::new());
        for (row, source) in (0_u32..).zip(of_source.values()) {
            if (*source as usize) < self.source.rows() {
                rows.push(row);
                sources.push(*source);
            } else {
                change.deleted.push(row);
            }
        }
        let new = self.source.take(&sources)?;
        let every = UInt32Array::from(rows.clone());
        let old = self.columns.iter().map(|column| taken(&found.columns[*column], &every));
        let old = old.collect::<Result<Vec<_>>>()?;
        let differ = differing_rows(&old, new.columns(), rows.len());
        let places: Vec<u32> = differ.set_indices().map(|place| place as u32).collect();
        if places.is_empty() {
            return Ok(change);
        }
        let rows: Vec<u32> = places.iter().map(|place| rows[*place as usize]).collect();
        let (of_table, places) = (UInt32Array::from(rows.clone()), UInt32Array::from(places));
        let mut columns = self
            .every
            .iter()
            .map(|column| taken(&found.columns[*column], &of_table))
            .collect::<Result<Vec<_>>>()?;
        for (column, values) in self.columns.iter().zip(new.columns()) {
            columns[*column] = taken(values, &places)?;
        }
        change.updated.push(UpdatedRows { rows, columns });
        Ok(change)
    }
}
