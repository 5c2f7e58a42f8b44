//! How does a table begin with the files of another one?
//!
//! In: metadata without snapshots, and entries of manifests of another table. Out: the changes that make the table, and its first
//! snapshot.
//! Spec: Manifests (EXISTING entries); Sequence Number Inheritance; First Row ID Inheritance; Snapshots (`replace`, `append`).
//!
//! Invariant: entries keep their partition, sequence numbers, snapshot and row ids, which the new manifests are read again to prove.
//! Nothing of the other table is written or removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_iceberg::manifest::{
    DataFile, EntryRequest, FileContent, ManifestContent, ManifestEntries, ManifestEntry, ManifestFile,
};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::WrittenFile;
use floeberg_properties::MANIFEST_TARGET_SIZE;

use super::repair::{count_live, name_in, name_of, settled};
use crate::produce::{ActionContext, LiveFiles, Produced, RollingManifests, rebuilt_snapshot};
use crate::state::{Counted, Step, Summary};
use crate::{KeptEntries, Rebuild, Update};

/// The order without fields, which a table need not list.
const UNSORTED: i32 = 0;

/// The changes that make the table, and its snapshot if it has files.
///
/// Errors: `AlreadyExists` if the table exists; `InvalidData` where a manifest is not as it was planned; those of reading and writing
/// manifests.
pub(super) fn rebuild(
    context: &ActionContext<'_>,
    base: Option<&TableMetadata>,
    rebuild: &Rebuild,
) -> Result<Produced> {
    if base.is_some() {
        return Err(Error::new(ErrorKind::AlreadyExists, "the table exists already"));
    }
    let mut updates = table_updates(&rebuild.metadata);
    let keeps = rebuild.manifests.iter().any(|kept| kept.is_kept.contains(&true));
    if !keeps && rebuild.added.files().is_empty() {
        return Ok(Produced::of(updates));
    }
    context.progress.begin(Step::Committing, 0);
    let mut summary = Summary::default();
    let mut added = rebuild.added.files().to_vec();
    let mut manifests = kept_manifests(context, &rebuild.manifests, &mut added)?;
    let (keeps, adds) = (!manifests.is_empty(), !added.is_empty());
    manifests.extend(added_manifests(context, &added, &mut summary)?);
    count_live(context, manifests.iter(), &mut summary)?;
    let operation = match (keeps, adds) {
        (true, false) => "replace",
        (false, _) => "append",
        (true, true) => "overwrite",
    };
    let produced = rebuilt_snapshot(context, rebuild.parent_snapshot_id, operation, manifests, summary)?;
    updates.extend(produced.updates);
    Ok(Produced { updates, ..produced })
}

/// What makes the table. The metadata has it already; a catalog that looks at updates is shown it all the same.
fn table_updates(metadata: &TableMetadata) -> Vec<Update> {
    let mut updates: Vec<Update> = metadata.table_uuid.clone().map(Update::AssignUuid).into_iter().collect();
    updates.push(Update::UpgradeFormatVersion(metadata.format_version));
    let last = Some(metadata.last_column_id);
    updates.extend(metadata.schemas.iter().map(|schema| Update::AddSchema(Arc::clone(schema), last)));
    updates.push(Update::SetCurrentSchema(metadata.current_schema_id));
    updates.extend(metadata.partition_specs.iter().map(|spec| Update::AddSpec(Arc::clone(spec))));
    updates.push(Update::SetDefaultSpec(metadata.default_spec_id));
    updates.extend(metadata.sort_orders.iter().map(|order| Update::AddSortOrder(Arc::clone(order))));
    updates.push(Update::SetDefaultSortOrder(metadata.default_sort_order_id));
    updates.push(Update::SetLocation(metadata.location.clone()));
    updates.push(Update::SetProperties(metadata.properties.clone()));
    updates
}

/// Manifests of entries that are kept, by content and spec. Files whose snapshot is not known are added, as new ones.
fn kept_manifests(
    context: &ActionContext<'_>,
    all: &[KeptEntries],
    added: &mut Vec<WrittenFile>,
) -> Result<Vec<ManifestFile>> {
    let mut groups: BTreeMap<(bool, i32), Vec<&KeptEntries>> = BTreeMap::new();
    for kept in all.iter().filter(|kept| kept.is_kept.contains(&true)) {
        let is_deletes = kept.manifest.content == ManifestContent::Deletes;
        groups.entry((is_deletes, kept.manifest.partition_spec_id)).or_default().push(kept);
    }
    let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
    let sequence_number = context.sequence_number()?;
    let mut new = Vec::new();
    for ((is_deletes, spec_id), group) in groups {
        let content = if is_deletes { ManifestContent::Deletes } else { ManifestContent::Data };
        let partition_type = context.spec(spec_id)?.partition_type(&context.metadata)?;
        let mut rolling = RollingManifests::new(context, spec_id, content, Some(target))?;
        let mut before = LiveFiles::default();
        for kept in group {
            let path = &kept.manifest.manifest_path;
            let entries = all_entries(context, &kept.manifest).context("manifest", path)?;
            if entries.len() != kept.is_kept.len() {
                let message = format!(
                    "the manifest changed since it was looked at: expected {} entries, found {}",
                    kept.is_kept.len(),
                    entries.len()
                );
                return Err(Error::invalid_data(message).with("manifest", path));
            }
            rolling.go_on_with_unknown(entries.unknown_fields())?;
            for row in (0..entries.len()).filter(|row| kept.is_kept[*row]) {
                let mut entry = settled(entries.entry(row, &partition_type)?, &kept.manifest);
                // Orders that no metadata describes any more mean nothing.
                let order = entry.data_file.sort_order_id;
                entry.data_file.sort_order_id =
                    order.filter(|id| *id == UNSORTED || context.metadata.sort_order(*id).is_some());
                if entry.snapshot_id.is_none() {
                    let file = DataFile { first_row_id: None, ..entry.data_file };
                    added.push(WrittenFile { spec_id, file, purpose: None });
                    continue;
                }
                before.add(spec_id, &name_of(&entry.data_file), &entry);
                rolling.add(&entry.into_existing())?;
            }
        }
        let written: Vec<ManifestFile> =
            rolling.finish()?.iter().map(|written| written.in_commit(sequence_number)).collect();
        let mut after = LiveFiles::default();
        for manifest in &written {
            let entries = all_entries(context, manifest)?;
            for row in 0..entries.len() {
                after.add(spec_id, &name_in(&entries, row)?, &entries.entry(row, &partition_type)?);
            }
        }
        if before != after {
            let message = "a rebuilt table would have other live files, sequence numbers or row ids";
            return Err(Error::internal(message));
        }
        new.extend(written);
    }
    Ok(new)
}

fn all_entries(context: &ActionContext<'_>, manifest: &ManifestFile) -> Result<ManifestEntries> {
    context.entries(manifest, &EntryRequest { with_metrics: true, ..EntryRequest::default() })
}

/// Manifests of files that the snapshot adds.
fn added_manifests(
    context: &ActionContext<'_>,
    files: &[WrittenFile],
    summary: &mut Summary,
) -> Result<Vec<ManifestFile>> {
    let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
    let sequence_number = context.sequence_number()?;
    let mut groups: BTreeMap<(bool, i32), Vec<&WrittenFile>> = BTreeMap::new();
    for written in files {
        let is_deletes = written.file.content != FileContent::Data;
        groups.entry((is_deletes, written.spec_id)).or_default().push(written);
    }
    let mut new = Vec::new();
    for ((is_deletes, spec_id), group) in groups {
        let content = if is_deletes { ManifestContent::Deletes } else { ManifestContent::Data };
        let mut rolling = RollingManifests::new(context, spec_id, content, Some(target))?;
        for written in group {
            summary.add(&Counted::of(spec_id, &written.file));
            rolling.add(&ManifestEntry::added(written.file.clone()))?;
        }
        new.extend(rolling.finish()?.iter().map(|written| written.in_commit(sequence_number)));
    }
    Ok(new)
}
