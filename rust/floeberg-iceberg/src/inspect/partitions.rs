//! The table `partitions`: what the live files of each partition hold together.
//!
//! Invariant: as in Iceberg Java, a partition is its values in the struct over all specs and how many of these fields its
//! spec has, so that a null and a field that is not there differ; floats are compared by their bits.

use std::collections::HashMap;

use arrow_array::{Array, RecordBatch};
use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{Context, Error, Result};

use super::rows::{Row, batch_of_rows, moment};
use super::source::Source;
use crate::manifest::{EntryRequest, ManifestFile};

/// The id of the partition column.
const PARTITION: i32 = 1;

/// The columns; those of the partition only where the table has partitions.
pub(super) fn fields(source: &Source) -> Vec<Field> {
    let mut fields = Vec::new();
    if let Some(partition) = source.partition().field(PARTITION) {
        fields.push(partition);
        fields.push(Field::required(4, "spec_id", P::Int));
    }
    fields.extend([
        Field::required(2, "record_count", P::Long),
        Field::required(3, "file_count", P::Int),
        Field::required(11, "total_data_file_size_in_bytes", P::Long),
        Field::required(5, "position_delete_record_count", P::Long),
        Field::required(6, "position_delete_file_count", P::Int),
        Field::required(7, "equality_delete_record_count", P::Long),
        Field::required(8, "equality_delete_file_count", P::Int),
        Field::optional(9, "last_updated_at", P::Timestamptz),
        Field::optional(10, "last_updated_snapshot_id", P::Long),
    ]);
    fields
}

/// A row a partition, in the order in which manifests name them.
pub(super) fn batch(source: &Source) -> Result<RecordBatch> {
    let manifests = source.manifests()?;
    let committed = source.metadata().snapshots.iter();
    let committed: HashMap<i64, i64> =
        committed.map(|snapshot| (snapshot.snapshot_id, snapshot.timestamp_ms)).collect();
    let lists = source.ordered(&manifests, |manifest| {
        partitions_of(source, manifest, &committed).context("manifest", &manifest.manifest_path)
    })?;
    let mut all = Partitions::default();
    for partition in lists.into_iter().flat_map(|list| list.rows) {
        all.of(partition.key.clone(), || partition.values.clone()).merge(&partition)?;
    }
    let has_partitions = source.partition().field(PARTITION).is_some();
    let rows = all.rows.into_iter().map(|partition| partition.into_row(has_partitions));
    batch_of_rows(&fields(source), &rows.collect::<Result<Vec<_>>>()?)
}

/// The partitions of the live files of one manifest.
fn partitions_of(
    source: &Source,
    manifest: &ManifestFile,
    committed: &HashMap<i64, i64>,
) -> Result<Partitions> {
    let entries = source.entries(manifest, &EntryRequest::default())?;
    let snapshot_ids = &entries.details()?.snapshot_id;
    let unified = source.partition().unify(source.specs(), entries.spec_id, &entries.partition)?;
    let own_fields = source.partition().own_fields(entries.spec_id);
    let mut partitions = Partitions::default();
    for row in 0..entries.len() {
        let values = source.partition().values(&unified, row)?;
        let key = (own_fields, PartitionKey::new(values.iter().map(|(_, value)| value.as_ref())));
        let snapshot_id = snapshot_ids.is_valid(row).then(|| snapshot_ids.value(row));
        let updated = snapshot_id.and_then(|id| Some((*committed.get(&id)?, id)));
        let (records, size) = (entries.record_count.value(row), entries.file_size_in_bytes.value(row));
        let file = Partition {
            spec_id: entries.spec_id,
            updated,
            files: Files::one(entries.file_content.value(row), records, size),
            ..Partition::new(key.clone(), Vec::new())
        };
        partitions.of(key, || values).merge(&file)?;
    }
    Ok(partitions)
}

type Key = (usize, PartitionKey);
type Values = Vec<(i32, Option<Value>)>;

/// Partitions in the order in which they were met.
#[derive(Default)]
struct Partitions {
    places: HashMap<Key, usize>,
    rows: Vec<Partition>,
}

impl Partitions {
    fn of(&mut self, key: Key, values: impl FnOnce() -> Values) -> &mut Partition {
        let place = *self.places.entry(key.clone()).or_insert_with(|| {
            self.rows.push(Partition::new(key, values()));
            self.rows.len() - 1
        });
        &mut self.rows[place]
    }
}

struct Partition {
    key: Key,
    values: Values,
    spec_id: i32,
    /// When and by which snapshot it was updated last, as far as that snapshot is not expired.
    updated: Option<(i64, i64)>,
    files: Files,
}

/// Records and files by content; bytes of data files.
#[derive(Default)]
struct Files {
    records: [i64; 3],
    counts: [i32; 3],
    bytes: i64,
}

impl Files {
    fn one(content: i32, records: i64, size: i64) -> Self {
        let mut files = Self::default();
        // Contents are 0 to 2: that was checked when the entry was decoded.
        let place = usize::try_from(content).unwrap_or(0).min(2);
        files.records[place] = records;
        files.counts[place] = 1;
        files.bytes = if place == 0 { size } else { 0 };
        files
    }
}

impl Partition {
    fn new(key: Key, values: Values) -> Self {
        Self { key, values, spec_id: 0, updated: None, files: Files::default() }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        let moment = |updated: Option<(i64, i64)>| updated.map(|(timestamp_ms, _)| timestamp_ms);
        if moment(other.updated) > moment(self.updated) {
            self.updated = other.updated;
            self.spec_id = other.spec_id;
        }
        let too_many = || Error::invalid_data("the records or bytes of a partition do not fit into 64 bits");
        for place in 0..3 {
            let (records, counts) = (&mut self.files.records[place], &mut self.files.counts[place]);
            *records = records.checked_add(other.files.records[place]).ok_or_else(too_many)?;
            *counts = counts.checked_add(other.files.counts[place]).ok_or_else(too_many)?;
        }
        self.files.bytes = self.files.bytes.checked_add(other.files.bytes).ok_or_else(too_many)?;
        Ok(())
    }

    fn into_row(self, has_partitions: bool) -> Result<Row> {
        let mut row = Vec::with_capacity(11);
        if has_partitions {
            row.push(Some(Value::Struct(self.values)));
            row.push(Some(Value::Int(self.spec_id)));
        }
        let [data, positions, equalities] = self.files.records.map(|records| Some(Value::Long(records)));
        let [data_files, position_files, equality_files] =
            self.files.counts.map(|count| Some(Value::Int(count)));
        row.extend([data, data_files, Some(Value::Long(self.files.bytes))]);
        row.extend([positions, position_files, equalities, equality_files]);
        row.push(self.updated.map(|(timestamp_ms, _)| moment(timestamp_ms)).transpose()?.flatten());
        row.push(self.updated.map(|(_, snapshot_id)| Value::Long(snapshot_id)));
        Ok(row)
    }
}
