//! Entries of a manifest, for tests of what planning makes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Int32Array, Int64Array, ListArray, StringArray, StructArray};
use arrow_schema::{DataType, Field};

use crate::manifest::{EntryStatistics, ManifestContent, ManifestEntries};

/// Data files `/t/f0`, `/t/f1` ... that snapshot 1 added, one for each row of the partition values.
pub(super) fn entries(spec_id: i32, partition: StructArray, record_count: Vec<i64>) -> ManifestEntries {
    let rows = partition.len();
    let longs = |value: i64| Int64Array::from_value(value, rows);
    let lists = |item: DataType| ListArray::new_null(Arc::new(Field::new("element", item, true)), rows);
    ManifestEntries {
        content: ManifestContent::Data,
        spec_id,
        status: Int32Array::from_value(1, rows),
        data_sequence_number: longs(1),
        file_content: Int32Array::from_value(0, rows),
        file_path: StringArray::from_iter_values((0..rows).map(|row| format!("/t/f{row}"))),
        file_format: StringArray::from_iter_values((0..rows).map(|_| "parquet")),
        partition,
        record_count: Int64Array::from(record_count),
        file_size_in_bytes: longs(100),
        split_offsets: lists(DataType::Int64),
        first_row_id: Int64Array::new_null(rows),
        key_metadata: BinaryArray::new_null(rows),
        keys_are_known: false,
        details: None,
        statistics: BTreeMap::new(),
        metrics: None,
        stored: None,
        unknown: None,
    }
}

/// What a writer said of one column of a file: values, nulls, NaNs, and both bounds.
pub(super) type Written = (Option<i64>, Option<i64>, Option<i64>, Option<Vec<u8>>, Option<Vec<u8>>);

/// The same of all files, in columns.
pub(super) fn statistics(files: &[Written]) -> EntryStatistics {
    EntryStatistics {
        value_count: files.iter().map(|file| file.0).collect(),
        null_value_count: files.iter().map(|file| file.1).collect(),
        nan_value_count: files.iter().map(|file| file.2).collect(),
        lower_bound: files.iter().map(|file| file.3.as_deref()).collect(),
        upper_bound: files.iter().map(|file| file.4.as_deref()).collect(),
    }
}
