//! What do the entries of a manifest say, as they are stored?
//!
//! Spec: Manifest Entry Fields; Data File Fields.

use arrow_array::{
    Array, BinaryArray, Int32Array, Int64Array, ListArray, MapArray, StringArray, StructArray,
};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::ManifestFile;

pub(in crate::check) const EXISTING: i32 = 0;
pub(in crate::check) const ADDED: i32 = 1;
pub(in crate::check) const DELETED: i32 = 2;
pub(in crate::check) const DATA: i32 = 0;
pub(in crate::check) const POSITIONS: i32 = 1;
pub(in crate::check) const EQUALITY: i32 = 2;

/// The columns of the entries of a manifest.
#[derive(Debug)]
pub(in crate::check) struct Stored {
    pub(in crate::check) status: Int32Array,
    pub(in crate::check) snapshot_id: Int64Array,
    pub(in crate::check) sequence_number: Int64Array,
    pub(in crate::check) file_sequence_number: Int64Array,
    pub(in crate::check) content: Int32Array,
    pub(in crate::check) path: StringArray,
    pub(in crate::check) format: StringArray,
    pub(in crate::check) partition: StructArray,
    pub(in crate::check) record_count: Int64Array,
    pub(in crate::check) size: Int64Array,
    pub(in crate::check) split_offsets: ListArray,
    pub(in crate::check) first_row_id: Int64Array,
    pub(in crate::check) equality_ids: ListArray,
    pub(in crate::check) sort_order_id: Int32Array,
    pub(in crate::check) referenced: StringArray,
    pub(in crate::check) offset: Int64Array,
    pub(in crate::check) content_size: Int64Array,
    pub(in crate::check) key_metadata: BinaryArray,
    pub(in crate::check) column_sizes: MapArray,
    pub(in crate::check) value_counts: MapArray,
    pub(in crate::check) null_counts: MapArray,
    pub(in crate::check) nan_counts: MapArray,
    pub(in crate::check) lower_bounds: MapArray,
    pub(in crate::check) upper_bounds: MapArray,
}

impl Stored {
    /// Errors: `Internal` for columns that were not decoded.
    pub(super) fn new(rows: &StructArray) -> Result<Self> {
        let file: StructArray = column(rows, "data_file")?;
        Ok(Self {
            status: column(rows, "status")?,
            snapshot_id: column(rows, "snapshot_id")?,
            sequence_number: column(rows, "sequence_number")?,
            file_sequence_number: column(rows, "file_sequence_number")?,
            content: column(&file, "content")?,
            path: column(&file, "file_path")?,
            format: column(&file, "file_format")?,
            partition: column(&file, "partition")?,
            record_count: column(&file, "record_count")?,
            size: column(&file, "file_size_in_bytes")?,
            split_offsets: column(&file, "split_offsets")?,
            first_row_id: column(&file, "first_row_id")?,
            equality_ids: column(&file, "equality_ids")?,
            sort_order_id: column(&file, "sort_order_id")?,
            referenced: column(&file, "referenced_data_file")?,
            offset: column(&file, "content_offset")?,
            content_size: column(&file, "content_size_in_bytes")?,
            key_metadata: column(&file, "key_metadata")?,
            column_sizes: column(&file, "column_sizes")?,
            value_counts: column(&file, "value_counts")?,
            null_counts: column(&file, "null_value_counts")?,
            nan_counts: column(&file, "nan_value_counts")?,
            lower_bounds: column(&file, "lower_bounds")?,
            upper_bounds: column(&file, "upper_bounds")?,
        })
    }

    /// How many entries.
    pub(in crate::check) fn len(&self) -> usize {
        self.status.len()
    }

    /// Is the file live, as far as its status says?
    pub(in crate::check) fn is_live(&self, row: usize) -> bool {
        self.status.value(row) != DELETED
    }

    /// What the file holds; nothing said is data.
    pub(in crate::check) fn content(&self, row: usize) -> i32 {
        number32(&self.content, row).unwrap_or(DATA)
    }

    /// Is it a deletion vector?
    pub(in crate::check) fn is_vector(&self, row: usize) -> bool {
        self.content(row) == POSITIONS && self.format.value(row).eq_ignore_ascii_case("puffin")
    }

    /// The data file that it names. Some writers say `""` for none.
    pub(in crate::check) fn referenced(&self, row: usize) -> Option<&str> {
        self.referenced.is_valid(row).then(|| self.referenced.value(row)).filter(|path| !path.is_empty())
    }

    /// The columns of equality deletes; empty for none.
    pub(in crate::check) fn equality_ids(&self, row: usize) -> Vec<i32> {
        if self.equality_ids.is_null(row) {
            return Vec::new();
        }
        let ids = self.equality_ids.value(row);
        ids.as_any().downcast_ref::<Int32Array>().map(|ids| ids.values().to_vec()).unwrap_or_default()
    }

    /// Where its row groups are said to start; `None` for nothing said.
    pub(in crate::check) fn split_offsets(&self, row: usize) -> Option<Vec<i64>> {
        if self.split_offsets.is_null(row) {
            return None;
        }
        let offsets = self.split_offsets.value(row);
        offsets.as_any().downcast_ref::<Int64Array>().map(|offsets| offsets.values().to_vec())
    }

    /// The data sequence number, inherited or stored.
    pub(in crate::check) fn sequence(&self, row: usize, manifest: &ManifestFile) -> Option<i64> {
        number(&self.sequence_number, row).or_else(|| {
            let inherits = self.status.value(row) == ADDED || manifest.sequence_number == 0;
            inherits.then_some(manifest.sequence_number)
        })
    }
}

/// The value of a row, if there is one.
pub(in crate::check) fn number(array: &Int64Array, row: usize) -> Option<i64> {
    array.is_valid(row).then(|| array.value(row))
}

/// The same, of 32 bits.
pub(in crate::check) fn number32(array: &Int32Array, row: usize) -> Option<i32> {
    array.is_valid(row).then(|| array.value(row))
}

fn column<A: Array + Clone + 'static>(rows: &StructArray, name: &str) -> Result<A> {
    let column = rows.column_by_name(name).and_then(|column| column.as_any().downcast_ref::<A>());
    column.cloned().ok_or_else(|| Error::internal(format!("the column {name} of a manifest was not decoded")))
}
