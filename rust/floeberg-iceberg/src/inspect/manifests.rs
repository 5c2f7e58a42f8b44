//! What is in the tables `manifests` and `all_manifests`?
//!
//! Spec: Manifest Lists.
//!
//! Invariant: fields that an old manifest list lacks (counts, the snapshot that added the manifest) are computed from the
//! manifest's entries, never treated as 0.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use floeberg_core::schema::{Field, ListType, PrimitiveType as P, StructType, Type};
use floeberg_core::value::Value;
use floeberg_core::{Context, Error, Result};
use floeberg_io::is_plain_key;

use super::rows::{Row, batch_of_rows, text};
use super::source::Source;
use crate::manifest::{EntryRequest, FieldSummary, ManifestContent, ManifestFile};
use crate::metadata::{Snapshot, bound_to_human_string};

/// The columns of `manifests`.
pub(super) fn fields() -> Vec<Field> {
    let mut fields = counts(true);
    fields.push(Field::required(8, "partition_summaries", summaries()));
    fields
}

/// The columns of `all_manifests`.
pub(super) fn all_fields() -> Vec<Field> {
    let mut fields = counts(false);
    fields.push(Field::optional(8, "partition_summaries", summaries()));
    fields.push(Field::required(18, "reference_snapshot_id", P::Long));
    fields.push(Field::optional(19, "key_metadata", P::Binary));
    fields
}

fn counts(required: bool) -> Vec<Field> {
    let known = |id, name, field_type: P| Field { required, ..Field::optional(id, name, field_type) };
    vec![
        Field::required(14, "content", P::Int),
        Field::required(1, "path", P::String),
        Field::required(2, "length", P::Long),
        known(3, "partition_spec_id", P::Int),
        known(4, "added_snapshot_id", P::Long),
        known(5, "added_data_files_count", P::Int),
        known(6, "existing_data_files_count", P::Int),
        known(7, "deleted_data_files_count", P::Int),
        Field::required(15, "added_delete_files_count", P::Int),
        Field::required(16, "existing_delete_files_count", P::Int),
        Field::required(17, "deleted_delete_files_count", P::Int),
    ]
}

fn summaries() -> Type {
    let summary = StructType {
        fields: vec![
            Field::required(10, "contains_null", P::Boolean),
            // Older writers do not say; Java calls it required in `all_manifests` and gives null there too.
            Field::optional(11, "contains_nan", P::Boolean),
            Field::optional(12, "lower_bound", P::String),
            Field::optional(13, "upper_bound", P::String),
        ],
    };
    Type::List(Box::new(ListType { element: Field::required(9, "element", Type::Struct(summary)) }))
}

/// The manifests of a source's snapshot.
pub(super) fn batch(source: &Source) -> Result<RecordBatch> {
    let manifests = source.manifests()?;
    let rows = source.ordered(&manifests, |manifest| {
        let mut row = row(source, manifest)?;
        let summaries = summaries_of(source, manifest)?.unwrap_or_else(|| Value::List(Vec::new()));
        row.push(Some(summaries));
        Ok(row)
    });
    batch_of_rows(&fields(), &rows?)
}

/// The manifests that one snapshot names.
pub(super) fn batch_of_snapshot(source: &Source, snapshot: &Arc<Snapshot>) -> Result<RecordBatch> {
    let rows = source.manifests_of(snapshot)?.into_iter().map(|manifest| {
        let mut row = row(source, &manifest)?;
        row.push(summaries_of(source, &manifest)?);
        row.push(Some(Value::Long(snapshot.snapshot_id)));
        let shown = manifest.key_metadata.filter(|key| !is_plain_key(key));
        row.push(shown.map(Value::Binary));
        Ok(row)
    });
    batch_of_rows(&all_fields(), &rows.collect::<Result<Vec<_>>>()?)
}

fn row(source: &Source, manifest: &ManifestFile) -> Result<Row> {
    let known = Known::of(source, manifest)?;
    let own = known.counts.map(|count| Some(Value::Int(count)));
    let none = [const { Some(Value::Int(0)) }; 3];
    let (content, [data, deletes]) = match manifest.content {
        ManifestContent::Data => (0, [own, none]),
        ManifestContent::Deletes => (1, [none, own]),
    };
    let mut row = vec![
        Some(Value::Int(content)),
        Some(text(&manifest.manifest_path)),
        Some(Value::Long(manifest.manifest_length)),
        Some(Value::Int(manifest.partition_spec_id)),
        Some(Value::Long(known.added_snapshot_id)),
    ];
    row.extend(data);
    row.extend(deletes);
    Ok(row)
}

/// What is known of a manifest, by its list or by its entries.
struct Known {
    added_snapshot_id: i64,
    /// Added, existing, deleted.
    counts: [i32; 3],
}

impl Known {
    fn of(source: &Source, manifest: &ManifestFile) -> Result<Self> {
        let listed =
            [manifest.added_files_count, manifest.existing_files_count, manifest.deleted_files_count];
        let (Some(added_snapshot_id), [Some(added), Some(existing), Some(deleted)]) =
            (manifest.added_snapshot_id, listed)
        else {
            return Self::counted(source, manifest);
        };
        let counts = [count(added)?, count(existing)?, count(deleted)?];
        Ok(Self { added_snapshot_id, counts })
    }

    fn counted(source: &Source, manifest: &ManifestFile) -> Result<Self> {
        let wanted = EntryRequest { with_deleted: true, ..EntryRequest::default() };
        let entries = source.entries(manifest, &wanted)?;
        let of_status =
            |wanted: i32| entries.status.values().iter().filter(|status| **status == wanted).count();
        // Entries that were added or deleted were so by the snapshot that wrote the manifest.
        let changed = (0..entries.len()).find(|row| entries.status.value(*row) != 0);
        let row = changed.or((!entries.is_empty()).then_some(0));
        let snapshot_ids = &entries.details()?.snapshot_id;
        let by_entries = row.filter(|row| snapshot_ids.is_valid(*row));
        let added = manifest.added_snapshot_id.or(by_entries.map(|row| snapshot_ids.value(row)));
        let added_snapshot_id = added.ok_or_else(|| {
            Error::invalid_data(
                "neither the manifest nor its manifest list has the snapshot id that added it",
            )
            .with("manifest", &manifest.manifest_path)
        })?;
        let counts = [of_status(1), of_status(0), of_status(2)].map(|files| files as i32);
        Ok(Self { added_snapshot_id, counts })
    }
}

fn count(listed: i64) -> Result<i32> {
    i32::try_from(listed).map_err(|_| {
        Error::invalid_data(format!("a manifest list counts {listed} files in a manifest, expected 32 bits"))
    })
}

fn summaries_of(source: &Source, manifest: &ManifestFile) -> Result<Option<Value>> {
    let Some(summaries) = &manifest.partitions else { return Ok(None) };
    let spec =
        source.metadata().spec(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)?;
    let types = &source.spec(manifest)?.partition_type.fields;
    let rows = summaries.iter().enumerate().map(|(position, summary): (usize, &FieldSummary)| {
        let field = spec.fields.get(position).zip(types.get(position));
        let human = |bound: &Option<Vec<u8>>| {
            let (field, typed) = field?;
            bound_to_human_string(&field.transform, &typed.field_type, bound.as_deref()).map(text)
        };
        Some(Value::Struct(vec![
            (10, Some(Value::Boolean(summary.contains_null))),
            (11, summary.contains_nan.map(Value::Boolean)),
            (12, human(&summary.lower_bound)),
            (13, human(&summary.upper_bound)),
        ]))
    });
    Ok(Some(Value::List(rows.collect())))
}
