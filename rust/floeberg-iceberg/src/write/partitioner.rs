//! Which rows of a batch go to which partition?
//!
//! In: batches in the table's form. Out: for each partition its values and its rows.
//! Spec: Partitioning; Partition Transforms.
//!
//! Invariant: every row is in one part, and the rows of a part keep their order.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{BinaryArray, RecordBatch, UInt32Array};
use arrow_select::take::take;
use floeberg_core::arrow_values::{PartitionNumbers, from_array};
use floeberg_core::schema::Schema;
use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{FileLayout, Piece};

use super::derived::Derived;
use super::sort::SortKeys;
use crate::metadata::PartitionSpec;

/// A partition: its key, and its values in the order of the spec.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    pub key: PartitionKey,
    pub values: Vec<Option<Value>>,
}

/// How rows are split.
#[derive(Debug)]
pub(super) struct Partitioner {
    fields: Vec<Derived>,
}

/// Rows of one partition, with their keys if they are sorted.
pub(super) struct Part {
    pub partition: Partition,
    pub rows: Piece,
    pub keys: Option<BinaryArray>,
}

impl Partitioner {
    /// Errors: `Unsupported` for a transform of several columns, `InvalidData` for a spec that does not fit the schema.
    pub fn new(spec: &PartitionSpec, schema: &Schema) -> Result<Self> {
        let fields = spec.fields.iter().map(|field| {
            Derived::new(&field.transform, &field.source_ids, schema).context("partition field", &field.name)
        });
        Ok(Self { fields: fields.collect::<Result<_>>()? })
    }

    /// Can there be more than one partition?
    pub fn is_partitioned(&self) -> bool {
        !self.fields.is_empty()
    }

    /// The rows of a batch by partition, in the order in which partitions first occur.
    pub fn split(
        &self,
        batch: &RecordBatch,
        layout: &dyn FileLayout,
        keys: Option<&SortKeys>,
    ) -> Result<Vec<Part>> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(Vec::new());
        }
        let values = self.fields.iter().map(|field| field.of(batch)).collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> =
            values.iter().zip(&self.fields).map(|(array, field)| (array, field.result.clone())).collect();
        let numbers = PartitionNumbers::new(&columns, rows)?;
        let mut piece = layout.piece(batch)?;
        let stored = piece.columns.len();
        // Keys are sliced and reordered like columns.
        if let Some(keys) = keys {
            piece.columns.push(Arc::new(keys.of(batch)?));
        }
        let (grouped, ends) = grouped(piece, &numbers)?;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let parts = starts.zip(&ends).enumerate().map(|(number, (start, end))| {
            let row = numbers.rows[number];
            let values = columns.iter().map(|(array, field_type)| from_array(array, row, field_type));
            let values = values.collect::<Result<_>>()?;
            let partition = Partition { key: numbers.keys[number].clone(), values };
            let mut rows = grouped.slice(start, end - start);
            let keys = rows.columns.drain(stored..).next().map(|keys| keys.as_binary().clone());
            Ok(Part { partition, rows, keys })
        });
        parts.collect()
    }
}

/// The rows, grouped by partition in the order of their numbers, and the end of each group.
fn grouped(piece: Piece, numbers: &PartitionNumbers) -> Result<(Piece, Vec<usize>)> {
    let mut ends = vec![0_usize; numbers.keys.len()];
    for number in &numbers.of {
        ends[*number as usize] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    // Partitions are numbered as they occur, so rows that are grouped already have ascending numbers.
    if numbers.of.is_sorted() {
        return Ok((piece, ends));
    }
    let mut next: Vec<usize> = [0].into_iter().chain(ends.iter().copied()).collect();
    let mut order = vec![0_u32; numbers.of.len()];
    for (row, number) in numbers.of.iter().enumerate() {
        let place = &mut next[*number as usize];
        order[*place] = row as u32;
        *place += 1;
    }
    let order = UInt32Array::from(order);
    let columns = piece.columns.iter().map(|column| take(column, &order, None));
    let columns = columns.collect::<Result<_, _>>();
    let columns =
        columns.map_err(|error| Error::internal("rows cannot be reordered by partition").caused_by(error))?;
    Ok((Piece { columns, ..piece }, ends))
}
