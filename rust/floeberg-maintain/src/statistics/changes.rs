//! Which counts does a snapshot have, if an older one has a statistics file?
//!
//! In: the file of an ancestor, and the manifests that the snapshots since then added. Out: the counts; `None` where the history
//! does not allow it, so that all manifests have to be read.
//! Spec: Partition Statistics File; Manifests (deleted entries are not carried over).
//!
//! Invariant: the result is that of reading all manifests, but for when partitions were updated that lost files. It is checked
//! by the counts of the manifest list: what does not fit is not returned.

use floeberg_core::transform::Transform;
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};
use floeberg_iceberg::metadata::{PartitionStatisticsFile, Snapshot, TableMetadata, unified_partition};

use super::counts::{Counts, Partitions};
use super::entries::{Entries, Meaning};

/// The newest statistics file of a snapshot or of an ancestor, as far as history goes.
pub(super) fn newest_file(
    metadata: &TableMetadata,
    snapshot: &Snapshot,
) -> Result<Option<PartitionStatisticsFile>> {
    let files = metadata.partition_statistics_files()?;
    let ancestors = metadata.ancestors_of(snapshot.snapshot_id);
    let file_of = |id: i64| files.iter().find(|file| file.snapshot_id == id).cloned();
    Ok(ancestors.iter().find_map(|ancestor| file_of(ancestor.snapshot_id)))
}

/// The counts of a snapshot by those of a file and what was changed since. `manifests` are those of the snapshot.
///
/// Errors: those of reading manifests. A file that cannot be read gives `None`.
pub(super) fn counts_since(
    table: &Table,
    entries: &Entries,
    file: &PartitionStatisticsFile,
    snapshot: &Snapshot,
    manifests: &[ManifestFile],
    cancel: &Cancel,
) -> Result<Option<Partitions>> {
    let metadata = table.metadata();
    if !has_same_partitions(metadata)? {
        return Ok(None);
    }
    let rows = match table.partition_statistics(&file.statistics_path, cancel) {
        Ok(rows) => rows,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        // It is informational: without it, all manifests say the same.
        Err(_) => return Ok(None),
    };
    let mut all = Partitions::default();
    for row in rows {
        let Some(counts) = Counts::of_row(&row, &entries.moments) else { return Ok(None) };
        all.change(row.spec_id, row.partition, &counts, false)?;
    }
    let ancestors = metadata.ancestors_of(snapshot.snapshot_id).into_iter();
    let since: Vec<_> = ancestors.take_while(|each| each.snapshot_id != file.snapshot_id).collect();
    let lists = ordered(&since, entries.reader.threads, cancel, |each| {
        let mut added = entries.reader.manifests(each)?;
        let is_known = added.iter().all(|manifest| manifest.added_snapshot_id.is_some());
        added.retain(|manifest| manifest.added_snapshot_id == Some(each.snapshot_id));
        Ok(is_known.then_some(added))
    })?;
    let Some(lists) = lists.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Some(changes) = entries.counts(&lists.concat(), Meaning::Changes)? else { return Ok(None) };
    all.add(changes)?;
    Ok(Some(all).filter(|all| fits(all, manifests)))
}

/// Do partition values mean in an older file what they mean now?
///
/// Not if the source column of a field was dropped, since other writers leave the field out then, nor if fields of a table of format
/// version 1 had to be given new ids.
fn has_same_partitions(metadata: &TableMetadata) -> Result<bool> {
    let unified = unified_partition(metadata)?;
    let schema = metadata.current_schema();
    Ok(metadata.partition_specs.iter().all(|spec| {
        let positions = unified.positions.get(&spec.spec_id).map_or(&[][..], Vec::as_slice);
        spec.fields.iter().zip(positions).all(|(field, position)| {
            let id = unified.struct_type.fields.get(*position).map(|field| field.id);
            let has_source = field.source_ids.iter().all(|id| schema.field(*id).is_some());
            id == Some(field.field_id) && has_source && !matches!(field.transform, Transform::Unknown(_))
        })
    }))
}

/// Are the counts possible, and those of the manifest list?
fn fits(all: &Partitions, manifests: &[ManifestFile]) -> bool {
    let total = |of: fn(&Counts) -> i64| all.counts().map(of).fold(0_i64, i64::saturating_add);
    let listed = |content: ManifestContent, of: fn(&ManifestFile) -> Option<i64>| {
        let some = manifests.iter().filter(|manifest| manifest.content == content);
        some.map(of).try_fold(0_i64, |sum, count| Some(sum.saturating_add(count?)))
    };
    let files =
        |manifest: &ManifestFile| manifest.added_files_count?.checked_add(manifest.existing_files_count?);
    let rows =
        |manifest: &ManifestFile| manifest.added_rows_count?.checked_add(manifest.existing_rows_count?);
    let agrees = |listed: Option<i64>, counted: i64| listed.is_none_or(|listed| listed == counted);
    all.counts().all(Counts::is_possible)
        && agrees(listed(ManifestContent::Data, files), total(|counts| counts.data_files))
        && agrees(listed(ManifestContent::Data, rows), total(|counts| counts.data_records))
        && agrees(
            listed(ManifestContent::Deletes, files),
            total(|counts| {
                counts.position_files.saturating_add(counts.vectors).saturating_add(counts.equality_files)
            }),
        )
}
