//! Which delete files does a snapshot have?
//!
//! In: the delete manifests that a filter keeps. Out: the delete index.
//! Spec: Data File Fields (`content`, `equality_ids`, `referenced_data_file`, `content_offset`); Delete File Stats.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Int32Array, Int64Array, StringArray};
use floeberg_core::expr::{ColumnStats, Stats as _};
use floeberg_core::schema::reserved::DELETE_FILE_PATH;
use floeberg_core::value::Value;
use floeberg_core::{Context, Error, Result};
use floeberg_io::Relocation;

use super::index::DeleteIndex;
use super::indexed_delete::IndexedDelete;
use super::key_stats::{KeyColumn, MOST_COLUMNS};
use crate::manifest::{
    BlockEntries, BoundSpec, EntryRequest, EntryStats, Found, ManifestBlocks, ManifestEntries, ManifestFile,
    NO_KEY, PruneCounts, Pruner, Specs, UntrustedColumns, Use, block_range_bytes,
};
use crate::plan::request::PlanRequest;
use crate::plan::{DeleteFile, DeleteKind, FileFormat};
use floeberg_exec::threads::ordered;

/// The block ranges of delete manifests, cached or read.
pub(crate) fn delete_blocks(
    request: &PlanRequest,
    used: Use,
    specs: &Specs,
    manifests: &[ManifestFile],
) -> Result<Vec<ManifestBlocks>> {
    let reader = &request.reader;
    let most_bytes = block_range_bytes(manifests, reader.threads);
    let ranges = ordered(manifests, reader.threads, &reader.cancel, |manifest| {
        // The entries themselves decide which statistics are needed, so the cache is asked for none.
        let spec = specs.get(manifest.partition_spec_id)?;
        match reader.cache.find(used, manifest, &spec.partition_type, &[]) {
            Found::Whole(ranges) => Ok(ManifestBlocks::decoded(manifest.clone(), ranges)),
            Found::Without(_) => ManifestBlocks::read(reader, manifest.clone(), most_bytes),
        }
    })?;
    Ok(ranges.into_iter().flatten().collect())
}

/// Indexes the live entries of delete manifests.
///
/// Deletes of partitions that the filter rules out are dropped: no data file of such a partition is planned. Equality deletes are
/// dropped too, and counted, if the filter rules out all their keys, unless rows that do not match are used too.
pub(crate) fn index_deletes(
    request: &PlanRequest,
    used: Use,
    specs: &Specs,
    filter: &Pruner,
    ranges: &[ManifestBlocks],
) -> Result<(DeleteIndex, PruneCounts)> {
    let (reader, untrusted) = (&request.reader, specs.untrusted());
    let lists = ordered(ranges, reader.threads, &reader.cancel, |blocks| {
        let manifest = &blocks.manifest;
        let spec = specs.get(manifest.partition_spec_id)?;
        let decoded = delete_entries(request, used, spec, blocks)?;
        let entries = &decoded.entries;
        let key_columns = key_columns(request, untrusted, ids_of(entries));
        let mask = filter.keep_by_partition(entries, spec, None, &mut PruneCounts::default())?;
        let partitions = spec.partitions(&entries.partition)?;
        let mut by_filter = PruneCounts::new(request.verbose);
        let mut deletes = Vec::new();
        for row in 0..entries.len() {
            if mask.as_ref().is_some_and(|mask| !mask[row]) {
                continue;
            }
            let partition = spec.values(&entries.partition, row)?;
            let key = partitions.keys[partitions.of[row] as usize].clone();
            let file = delete_file(entries, row, partition, &reader.relocation)
                .context("path", entries.file_path.value(row))
                .context("manifest", &manifest.manifest_path)?;
            if let DeleteKind::Equality { equality_ids } = &file.kind {
                by_filter.enter(1);
                let keys = EntryStats { entries, row, untrusted: specs.untrusted() };
                let mismatch = || filter.mismatch_of_keys(equality_ids, &keys);
                if let Some((test, reason)) = request.to_change.is_none().then(mismatch).flatten() {
                    by_filter.drop(test, reason, &file.file_path);
                    continue;
                }
            }
            let bound = |bounds: fn(&crate::manifest::EntryStatistics) -> &BinaryArray| {
                let bounds = bounds(entries.statistics.get(&DELETE_FILE_PATH)?);
                let bytes = bounds.is_valid(row).then(|| bounds.value(row))?;
                String::from_utf8(bytes.to_vec()).ok()
            };
            let delete = IndexedDelete {
                partition: (spec.spec_id, key),
                unpartitioned: spec.unpartitioned,
                lowest_path: bound(|statistics| &statistics.lower_bound),
                highest_path: bound(|statistics| &statistics.upper_bound),
                keys: key_stats(&key_columns, &EntryStats { entries, row, untrusted }, &file.kind),
                file: Arc::new(file),
            };
            if delete.is_scoped_by_partition() && !spec.is_comparable(&entries.partition) {
                return Err(spec
                    .not_comparable()
                    .with("path", entries.file_path.value(row))
                    .with("manifest", &manifest.manifest_path));
            }
            deletes.push(delete);
        }
        Ok((deletes, by_filter))
    })?;
    let (mut deletes, mut by_filter) = (Vec::new(), PruneCounts::new(request.verbose));
    for (list, tally) in lists {
        deletes.extend(list);
        by_filter.merge(tally);
    }
    let ids = deletes.iter().flat_map(|delete: &IndexedDelete| &delete.keys).map(|(id, _)| *id).collect();
    Ok((DeleteIndex::new(deletes, key_columns(request, untrusted, ids)), by_filter))
}

/// The entries of a block range of a delete manifest, with the statistics of their key columns.
pub(crate) fn delete_entries(
    request: &PlanRequest,
    used: Use,
    spec: &BoundSpec,
    blocks: &ManifestBlocks,
) -> Result<Arc<BlockEntries>> {
    blocks.entries(|bytes, piece| {
        // Only the entries name the key columns, and delete files have statistics of few other columns.
        let wanted = EntryRequest { with_metrics: true, ..EntryRequest::default() };
        let mut decoded = bytes.entries_of(piece, &spec.partition_type, &wanted)?;
        if let Some(metrics) = decoded.entries.metrics.take() {
            let keys = key_columns(request, &UntrustedColumns::default(), ids_of(&decoded.entries));
            let ids: Vec<i32> = [DELETE_FILE_PATH].into_iter().chain(keys.iter().map(|key| key.id)).collect();
            let statistics = metrics.statistics_of(&ids);
            decoded.entries.statistics = statistics.context("manifest", &blocks.manifest.manifest_path)?;
        }
        let decoded = Arc::new(decoded);
        let manifest = (blocks.manifest.as_ref(), &spec.partition_type);
        request.reader.cache.keep(used, manifest, &[], blocks.place, &decoded);
        Ok(decoded)
    })
}

/// The columns that the equality deletes of a manifest name.
fn ids_of(entries: &ManifestEntries) -> BTreeSet<i32> {
    let is_equality = |row: &usize| entries.file_content.value(*row) == 2;
    (0..entries.len()).filter(is_equality).filter_map(|row| ids(entries, row)).flatten().collect()
}

/// The columns of these whose statistics can be used.
fn key_columns(request: &PlanRequest, untrusted: &UntrustedColumns, ids: BTreeSet<i32>) -> Vec<KeyColumn> {
    let trusted = ids.into_iter().filter(|id| !untrusted.contains(*id));
    let columns = trusted.filter_map(|id| KeyColumn::find(&request.metadata, id));
    columns.take(MOST_COLUMNS).collect()
}

/// The statistics of the key columns of a delete file.
fn key_stats(columns: &[KeyColumn], stats: &EntryStats<'_>, kind: &DeleteKind) -> Vec<(i32, ColumnStats)> {
    let DeleteKind::Equality { equality_ids } = kind else { return Vec::new() };
    let own = columns.iter().filter(|column| equality_ids.contains(&column.id));
    own.map(|column| (column.id, stats.column(column.id, &column.field_type)))
        .filter(|(_, stats)| *stats != ColumnStats::default())
        .collect()
}

/// The delete file of an entry whose partition values are known.
pub(crate) fn delete_file(
    entries: &ManifestEntries,
    row: usize,
    partition: Vec<(i32, Option<Value>)>,
    relocation: &Relocation,
) -> Result<DeleteFile> {
    if !entries.keys_are_known && entries.key_metadata.is_valid(row) {
        return Err(Error::unsupported(format!("the delete file is encrypted, {NO_KEY}")));
    }
    let file_path = entries.file_path.value(row).to_owned();
    let file_format: FileFormat = entries.file_format.value(row).parse()?;
    Ok(DeleteFile {
        location: relocation.apply(&file_path),
        kind: delete_kind(entries, row, file_format)?,
        file_path,
        file_format,
        record_count: entries.record_count.value(row),
        file_size_in_bytes: entries.file_size_in_bytes.value(row),
        data_sequence_number: entries.data_sequence_number.value(row),
        referenced_data_file: string(&entries.details()?.referenced_data_file, row),
        spec_id: entries.spec_id,
        partition,
    })
}

fn delete_kind(entries: &ManifestEntries, row: usize, file_format: FileFormat) -> Result<DeleteKind> {
    match (entries.file_content.value(row), file_format) {
        (1, FileFormat::Puffin) => {
            let details = entries.details()?;
            let offset = long(&details.content_offset, row);
            let size = long(&details.content_size_in_bytes, row);
            let (Some(content_offset), Some(content_size_in_bytes)) = (offset, size) else {
                return Err(Error::invalid_data(
                    "a deletion vector has no content_offset or content_size_in_bytes, both are required",
                ));
            };
            if details.referenced_data_file.is_null(row) {
                return Err(Error::invalid_data(
                    "a deletion vector has no referenced_data_file, which is required",
                ));
            }
            Ok(DeleteKind::Vector { content_offset, content_size_in_bytes })
        }
        (1, _) => Ok(DeleteKind::Position),
        (2, _) => {
            let equality_ids = ids(entries, row).filter(|ids| !ids.is_empty()).ok_or_else(|| {
                Error::invalid_data("an equality delete file names no columns in equality_ids")
            })?;
            Ok(DeleteKind::Equality { equality_ids })
        }
        (content, _) => Err(Error::unsupported(format!(
            "a delete manifest holds a file of content {content}, expected 1 (position) or 2 (equality)"
        ))),
    }
}

fn ids(entries: &ManifestEntries, row: usize) -> Option<Vec<i32>> {
    let ids = &entries.details.as_ref()?.equality_ids;
    let list = ids.is_valid(row).then(|| ids.value(row))?;
    Some(list.as_any().downcast_ref::<Int32Array>()?.values().to_vec())
}

fn long(values: &Int64Array, row: usize) -> Option<i64> {
    values.is_valid(row).then(|| values.value(row))
}

fn string(values: &StringArray, row: usize) -> Option<String> {
    values.is_valid(row).then(|| values.value(row).to_owned())
}
