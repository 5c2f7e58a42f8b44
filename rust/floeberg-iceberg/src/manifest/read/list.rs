//! Which manifests does a snapshot have?
//!
//! In: the bytes of a manifest list. Out: a [`ManifestFile`] per row.
//! Spec: Manifest Lists.
//!
//! Invariant: fields are found by id; fields that v1 lacks have the defaults of the specification (data, sequence number 0).

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{
    Array, BinaryArray, BooleanArray, Int32Array, Int64Array, ListArray, StringArray, StructArray,
};
use floeberg_avro::{Container, FixedForm, Limits, Projection, decode};
use floeberg_core::{Context, Error, Result};

use super::columns::{column, value};
use super::fields::list_fields;
use super::header::format_version;
use super::unknown::unknown_of_list;
use crate::manifest::{FieldSummary, ManifestContent, ManifestFile};

/// Decodes a manifest list. Errors name `location`.
pub fn parse_manifest_list(bytes: &[u8], location: &str) -> Result<Vec<ManifestFile>> {
    parse(bytes).context("path", location)
}

fn parse(bytes: &[u8]) -> Result<Vec<ManifestFile>> {
    let container = Container::open(bytes, &Limits::default())?;
    let mut fields = list_fields();
    if format_version(&container)?.is_some_and(|version| version >= 2) {
        let of_v2 = [515, 516, 517, 503];
        fields.iter_mut().filter(|field| of_v2.contains(&field.id)).for_each(|field| field.required = true);
    }
    let keyed = BTreeMap::new();
    let schema = container.schema()?;
    let unknown = unknown_of_list(&container, &schema)?;
    let rows = decode(
        &container,
        &schema,
        &Projection { fields: &fields, keyed: &keyed, fixed: FixedForm::Bare, stored: None },
    )?;
    let columns = ListColumns::new(&rows)?;
    let with_unknown = |row| {
        let unknown = unknown.as_ref().and_then(|unknown| unknown.row(row)).map(Arc::new);
        Ok(ManifestFile { unknown, ..columns.manifest_file(row).context("row", row)? })
    };
    (0..rows.len()).map(with_unknown).collect()
}

struct ListColumns {
    manifest_path: StringArray,
    manifest_length: Int64Array,
    partition_spec_id: Int32Array,
    content: Int32Array,
    /// Sequence numbers, snapshot, six counts and the first row id, in the order of [`LONGS`].
    longs: [Int64Array; 10],
    partitions: ListArray,
    summaries: Summaries,
    key_metadata: BinaryArray,
}

const LONGS: [&str; 10] = [
    "sequence_number",
    "min_sequence_number",
    "added_snapshot_id",
    "added_files_count",
    "existing_files_count",
    "deleted_files_count",
    "added_rows_count",
    "existing_rows_count",
    "deleted_rows_count",
    "first_row_id",
];

impl ListColumns {
    fn new(rows: &StructArray) -> Result<Self> {
        let longs: Result<Vec<Int64Array>> = LONGS.iter().map(|name| column(rows, name)).collect();
        let longs = <[Int64Array; 10]>::try_from(longs?);
        let partitions: ListArray = column(rows, "partitions")?;
        Ok(Self {
            manifest_path: column(rows, "manifest_path")?,
            manifest_length: column(rows, "manifest_length")?,
            partition_spec_id: column(rows, "partition_spec_id")?,
            content: column(rows, "content")?,
            longs: longs.map_err(|_| Error::internal("expected ten columns of a manifest list"))?,
            summaries: Summaries::new(&partitions)?,
            partitions,
            key_metadata: column(rows, "key_metadata")?,
        })
    }

    fn manifest_file(&self, row: usize) -> Result<ManifestFile> {
        let [
            sequence_number,
            min_sequence_number,
            added_snapshot_id,
            added_files_count,
            existing_files_count,
            deleted_files_count,
            added_rows_count,
            existing_rows_count,
            deleted_rows_count,
            first_row_id,
        ] = self.longs.each_ref().map(|array| value(array, row, |row| array.value(row)));
        let content = match value(&self.content, row, |row| self.content.value(row)) {
            None | Some(0) => ManifestContent::Data,
            Some(1) => ManifestContent::Deletes,
            Some(other) => {
                return Err(Error::invalid_data(format!(
                    "manifest list: expected field 517: content to be 0 (data) or 1 (deletes), found {other}"
                )));
            }
        };
        let partitions = value(&self.partitions, row, |row| {
            let ends = self.partitions.value_offsets();
            (ends[row] as usize..ends[row + 1] as usize).map(|item| self.summaries.get(item)).collect()
        });
        Ok(ManifestFile {
            manifest_path: self.manifest_path.value(row).to_owned(),
            manifest_length: self.manifest_length.value(row),
            partition_spec_id: self.partition_spec_id.value(row),
            content,
            sequence_number: sequence_number.unwrap_or(0),
            min_sequence_number: min_sequence_number.unwrap_or(0),
            added_snapshot_id,
            added_files_count,
            existing_files_count,
            deleted_files_count,
            added_rows_count,
            existing_rows_count,
            deleted_rows_count,
            partitions,
            key_metadata: value(&self.key_metadata, row, |row| self.key_metadata.value(row).to_vec()),
            first_row_id,
            rows_without_ids: None,
            unknown: None,
        })
    }
}

struct Summaries {
    contains_null: BooleanArray,
    contains_nan: BooleanArray,
    lower_bound: BinaryArray,
    upper_bound: BinaryArray,
}

impl Summaries {
    fn new(partitions: &ListArray) -> Result<Self> {
        let items = partitions.values().as_any().downcast_ref::<StructArray>();
        let items = items.ok_or_else(|| Error::internal("partition summaries are not structs"))?;
        Ok(Self {
            contains_null: column(items, "contains_null")?,
            contains_nan: column(items, "contains_nan")?,
            lower_bound: column(items, "lower_bound")?,
            upper_bound: column(items, "upper_bound")?,
        })
    }

    fn get(&self, item: usize) -> FieldSummary {
        let bound = |array: &BinaryArray| value(array, item, |item| array.value(item).to_vec());
        FieldSummary {
            contains_null: self.contains_null.value(item),
            contains_nan: value(&self.contains_nan, item, |item| self.contains_nan.value(item)),
            lower_bound: bound(&self.lower_bound),
            upper_bound: bound(&self.upper_bound),
        }
    }
}
