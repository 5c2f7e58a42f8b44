//! May a branch name another snapshot?
//!
//! In: the snapshot that it names, and the other one. Out: nothing, or why rows of the other one would read wrong.
//! Spec: Schema Evolution; Snapshot References (a branch is read with the columns of the table).
//!
//! Invariant: the data files that a branch gets pass the check of files that are added. Files that it has already are not looked
//! at, unless rows of theirs that are deleted now come back.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::Array as _;
use floeberg_core::schema::Schema;
use floeberg_core::{Context as _, Result};
use floeberg_iceberg::manifest::{EntryRequest, ManifestContent, ManifestEntries, ManifestFile};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::{Purpose, WrittenFile};
use floeberg_io::location::canonical;

use super::complete_manifests::manifests_of;
use super::context::ActionContext;
use super::filtered::has_live_files;
use crate::columns::{FileOrigin, check_schema_and_spec, fits_always};

/// Looks at the files that a branch gets, if columns were changed since they were written. `from` is its snapshot; a branch that is
/// made comes from the snapshot that it would start at.
///
/// Errors: those of [`check_schema_and_spec`]; those of reading manifests.
pub(crate) fn check_moved_branch(
    context: &ActionContext<'_>,
    branch: &str,
    from: Option<i64>,
    to: i64,
) -> Result<()> {
    let metadata = &context.metadata;
    if from == Some(to) {
        return Ok(());
    }
    let writers = Writers::of(metadata, to)?;
    if writers.all_fit(metadata) {
        return Ok(());
    }
    let check = || {
        let before: HashSet<i64> = from
            .map(|from| metadata.ancestors_of(from).iter().map(|snapshot| snapshot.snapshot_id).collect())
            .unwrap_or_default();
        let (mut come, mut return_) = (Vec::new(), Vec::new());
        for (writer, file) in files_that_come(context, &writers, from, to)? {
            (if before.contains(&writer) { &mut return_ } else { &mut come }).push(file);
        }
        check_schema_and_spec(metadata, &come, FileOrigin::Published)?;
        check_schema_and_spec(metadata, &return_, FileOrigin::OfBranch)
    };
    let moved = check().context("branch", branch);
    moved.context("snapshot", to)
}

/// The purpose of files that a snapshot added: the columns that the table had then. `None` where an old writer did not say.
pub(crate) fn purpose_of(
    metadata: &TableMetadata,
    snapshot_id: i64,
    spec_id: i32,
) -> Result<Option<Arc<Purpose>>> {
    let Ok(snapshot) = metadata.snapshot(snapshot_id) else { return Ok(None) };
    let Some(schema) = snapshot.schema_id.and_then(|id| metadata.schema(id)) else { return Ok(None) };
    purpose(metadata, schema, spec_id).map(Some)
}

fn purpose(metadata: &TableMetadata, schema: &Arc<Schema>, spec_id: i32) -> Result<Arc<Purpose>> {
    Ok(Arc::new(Purpose {
        table_uuid: metadata.table_uuid.clone(),
        location: metadata.location.clone(),
        schema: Arc::clone(schema),
        spec: Arc::clone(metadata.spec(spec_id)?),
    }))
}

/// The snapshots that may have added files of a snapshot, and the columns of each.
struct Writers {
    schemas: HashMap<i64, Arc<Schema>>,
    /// The columns of files whose snapshot is expired: those of the oldest snapshot that is left.
    oldest: Arc<Schema>,
}

impl Writers {
    fn of(metadata: &TableMetadata, snapshot_id: i64) -> Result<Self> {
        let mut oldest = Arc::clone(metadata.schema_for_snapshot(metadata.snapshot(snapshot_id)?)?);
        let mut schemas = HashMap::new();
        for snapshot in metadata.ancestors_of(snapshot_id) {
            oldest = Arc::clone(metadata.schema_for_snapshot(&snapshot)?);
            schemas.insert(snapshot.snapshot_id, Arc::clone(&oldest));
        }
        Ok(Self { schemas, oldest })
    }

    fn all_fit(&self, metadata: &TableMetadata) -> bool {
        let mut looked_at = HashSet::new();
        let mut schemas = self.schemas.values().filter(|schema| looked_at.insert(schema.schema_id()));
        schemas.all(|schema| fits_always(metadata, schema))
    }
}

/// The live data files of a snapshot that another one does not have, with the snapshots that added them. All of them where the
/// other one has deletes that this one lacks.
fn files_that_come(
    context: &ActionContext<'_>,
    writers: &Writers,
    from: Option<i64>,
    to: i64,
) -> Result<Vec<(i64, WrittenFile)>> {
    let metadata = &context.metadata;
    let manifests = |id: i64| -> Result<Vec<ManifestFile>> {
        let all = manifests_of(context, metadata.snapshot(id)?)?;
        Ok(all.into_iter().filter(has_live_files).collect())
    };
    let (before, after) = (from.map_or(Ok(Vec::new()), manifests)?, manifests(to)?);
    let gone = Names::of_others(context, &before, &after)?;
    let there = Names::of_others(context, &after, &before)?;
    let revives = gone.deletes.iter().any(|name| !there.deletes.contains(name));
    let known: HashSet<&str> = before.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
    let wanted = EntryRequest { with_metrics: true, ..EntryRequest::default() };
    let mut found = Vec::new();
    for manifest in after.iter().filter(|manifest| manifest.content == ManifestContent::Data) {
        if !revives && known.contains(manifest.manifest_path.as_str()) {
            continue;
        }
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        let partition_type = &context.specs()?.get(manifest.partition_spec_id)?.partition_type.clone();
        let mut purposes: HashMap<i32, Arc<Purpose>> = HashMap::new();
        let ids = &entries.details()?.snapshot_id;
        for row in 0..entries.len() {
            if !revives && gone.data.contains(canonical(entries.file_path.value(row))) {
                continue;
            }
            let writer = if ids.is_valid(row) { ids.value(row) } else { 0 };
            let schema = writers.schemas.get(&writer).unwrap_or(&writers.oldest);
            let purpose = match purposes.get(&schema.schema_id()) {
                Some(known) => Arc::clone(known),
                None => purpose(metadata, schema, manifest.partition_spec_id)?,
            };
            purposes.insert(schema.schema_id(), Arc::clone(&purpose));
            let file = entries.entry(row, partition_type)?.data_file;
            found.push((
                writer,
                WrittenFile { spec_id: manifest.partition_spec_id, file, purpose: Some(purpose) },
            ));
        }
    }
    Ok(found)
}

/// The files of manifests, by name.
#[derive(Default)]
struct Names {
    data: HashSet<String>,
    /// Paths, with the offsets of deletion vectors in their files.
    deletes: HashSet<(String, Option<i64>)>,
}

impl Names {
    /// The names of manifests that are not among others.
    fn of_others(
        context: &ActionContext<'_>,
        manifests: &[ManifestFile],
        others: &[ManifestFile],
    ) -> Result<Self> {
        let others: HashSet<&str> = others.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
        let mut names = Self::default();
        for manifest in manifests.iter().filter(|each| !others.contains(each.manifest_path.as_str())) {
            let wanted = EntryRequest::default();
            let entries: ManifestEntries =
                context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
            let offsets = &entries.details()?.content_offset;
            for row in 0..entries.len() {
                let path = canonical(entries.file_path.value(row)).to_owned();
                if manifest.content == ManifestContent::Data {
                    names.data.insert(path);
                } else {
                    names.deletes.insert((path, offsets.is_valid(row).then(|| offsets.value(row))));
                }
            }
        }
        Ok(names)
    }
}
