//! Where are rows now whose data files a concurrent commit wrote again?
//!
//! In: positions of rows in removed data files, and the snapshot that they were read from. Out: their positions in data files
//! that came since.
//! Spec: Row Lineage.
//!
//! Invariant: a row is found if one live row of these files has its row id, and its last update is what it was. A row without a row
//! id, or that has one with another row, is not found. Files whose row ids are others are not read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, Int64Array, RecordBatch};
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{LAST_UPDATED_SEQUENCE_NUMBER, POS, ROW_ID, metadata_column};
use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::lookup::RowsByFile;
use floeberg_iceberg::manifest::{EntryRequest, ManifestEntries};
use floeberg_iceberg::metadata::Snapshot;
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::read::{TableReader, read_rows, read_task};
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use super::affected::{listed_in, with_live_data};
use super::matched::{read_request, tasks_at};
use crate::produce::{ActionContext, base_manifests, manifests_of};

/// This part of the memory may be taken by the rows that are looked for.
const MEMORY_PART: u64 = 4;

/// Rows that were written again, as they were.
#[derive(Debug, Default)]
pub(crate) struct RebasedRows {
    /// The canonical paths of the files that have them now.
    files: Vec<String>,
    /// By the canonical paths of removed files: the new positions of rows, by their old ones.
    places: HashMap<String, BTreeMap<u64, Place>>,
}

/// The number of a file, and a position in it.
type Place = (usize, u64);

impl RebasedRows {
    /// Where a row of a file that is gone is now: the canonical path of a file, and a position. `None` if it was not found.
    pub fn place(&self, path: &str, row: u64) -> Option<(&str, u64)> {
        let (file, position) = self.places.get(path)?.get(&row)?;
        Some((&self.files[*file], *position))
    }

    /// All rows that were found, where they are now.
    pub fn rows(&self) -> RowsByFile {
        let mut found = RowsByFile::new();
        for (file, position) in self.places.values().flat_map(BTreeMap::values) {
            found.entry(self.files[*file].clone()).or_default().insert(*position);
        }
        found
    }
}

/// A row that is looked for.
#[derive(Debug, Clone, Copy)]
struct Lineage {
    row_id: i64,
    last_update: i64,
    /// The number of the file that is gone.
    file: usize,
    position: u64,
}

/// Looks for rows of files that are gone. Where their lineage is not known any more, or does not fit into memory, none is found.
///
/// Errors: those of planning and reading.
pub(crate) fn rebase_rows(
    context: &ActionContext<'_>,
    read_snapshot_id: Option<i64>,
    gone: &RowsByFile,
) -> Result<RebasedRows> {
    let rows: u64 = gone.values().map(RoaringTreemap::len).sum();
    let bytes = rows.saturating_mul(size_of::<(Lineage, Option<Place>)>() as u64);
    if rows == 0 || context.metadata.format_version < 3 || bytes > memory_budget()? / MEMORY_PART {
        return Ok(RebasedRows::default());
    }
    let Some(read) = read_snapshot_id.and_then(|id| context.metadata.snapshot(id).ok()) else {
        return Ok(RebasedRows::default());
    };
    let head = context.parent()?.map(|parent| parent.snapshot_id);
    if head.is_none_or(|head| !context.metadata.is_ancestor(read.snapshot_id, head)) {
        return Ok(RebasedRows::default());
    }
    let paths: Vec<&String> = gone.keys().collect();
    let wanted = match lineage_of(context, read, &paths, gone) {
        // Its snapshot may have expired, or is about to.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RebasedRows::default()),
        wanted => wanted?,
    };
    let (files, places) = places_of(context, read.sequence_number, &wanted)?;
    let mut found = RebasedRows { files, places: HashMap::new() };
    for (row, place) in wanted.iter().zip(places) {
        if let Some(place) = place {
            found.places.entry(paths[row.file].clone()).or_default().insert(row.position, place);
        }
    }
    Ok(found)
}

/// The rows with a row id that no other of them has, by their row ids.
fn lineage_of(
    context: &ActionContext<'_>,
    read: &Arc<Snapshot>,
    paths: &[&String],
    gone: &RowsByFile,
) -> Result<Vec<Lineage>> {
    let wanted: HashSet<String> = gone.keys().cloned().collect();
    let manifests = listed_in(context, &manifests_of(context, read)?, &wanted)?;
    let snapshot = Some(Arc::clone(read));
    let tasks = tasks_at(context, snapshot, BoundExpr::True, &wanted, Some(manifests))?;
    let reader = reader_of_lineage(context)?;
    let numbers: HashMap<&str, usize> = paths.iter().map(|path| path.as_str()).zip(0..).collect();
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let path = canonical(&task.file_path);
        let (Some(rows), Some(file)) = (gone.get(path), numbers.get(path)) else { return Ok(Vec::new()) };
        let mut found = Vec::with_capacity(usize::try_from(rows.len()).unwrap_or(0));
        for batch in read_rows(&reader, task, rows)? {
            each(&batch.context("path", &task.file_path)?, |position, row_id, last_update| {
                if rows.contains(position) {
                    found.push(Lineage { row_id, last_update, file: *file, position });
                }
            });
        }
        Ok(found)
    })?;
    let mut all: Vec<Lineage> = found.into_iter().flatten().collect();
    all.sort_unstable_by_key(|row| row.row_id);
    Ok(all
        .chunk_by(|one, next| one.row_id == next.row_id)
        .filter(|same| same.len() == 1)
        .flatten()
        .copied()
        .collect())
}

/// The files that were added since and have any of these rows, and for each row its position.
fn places_of(
    context: &ActionContext<'_>,
    since: i64,
    wanted: &[Lineage],
) -> Result<(Vec<String>, Vec<Option<Place>>)> {
    let (paths, manifests) = files_since(context, since, wanted)?;
    let tasks = tasks_at(context, context.parent()?, BoundExpr::True, &paths, Some(manifests))?;
    let reader = reader_of_lineage(context)?;
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task: &FileScanTask| {
        let mut hits = Vec::new();
        for batch in read_task(&reader, task)? {
            each(&batch.context("path", &task.file_path)?, |position, row_id, last_update| {
                if let Ok(number) = wanted.binary_search_by_key(&row_id, |row| row.row_id) {
                    hits.push((number, position, last_update));
                }
            });
        }
        Ok(hits)
    })?;
    let mut places = vec![None; wanted.len()];
    let mut is_seen = vec![false; wanted.len()];
    for (file, hits) in found.into_iter().enumerate() {
        for (number, position, last_update) in hits {
            let is_same = last_update == wanted[number].last_update;
            // A row that is there twice is neither of them.
            places[number] = (is_same && !is_seen[number]).then_some((file, position));
            is_seen[number] = true;
        }
    }
    let files = tasks.iter().map(|task| canonical(&task.file_path).to_owned()).collect();
    Ok((files, places))
}

/// The live data files that came since and may have any of these rows: canonical paths, and the manifests that list them.
fn files_since(
    context: &ActionContext<'_>,
    since: i64,
    wanted: &[Lineage],
) -> Result<(HashSet<String>, HashSet<String>)> {
    let manifests = base_manifests(context)?;
    let mut newer = with_live_data(&manifests);
    newer.retain(|manifest| manifest.sequence_number > since);
    let request = EntryRequest { statistics_of: vec![ROW_ID], ..EntryRequest::default() };
    let found = ordered(&newer, context.reader.threads, &context.reader.cancel, |manifest| {
        let entries = context.entries(manifest, &request).context("manifest", &manifest.manifest_path)?;
        let numbers = &entries.details()?.file_sequence_number;
        let mut paths = Vec::new();
        for row in 0..entries.len() {
            let is_newer = numbers.is_null(row) || numbers.value(row) > since;
            if is_newer && may_have(&entries, row, wanted) {
                paths.push(canonical(entries.file_path.value(row)).to_owned());
            }
        }
        Ok((manifest.manifest_path.clone(), paths))
    })?;
    let (mut paths, mut listing) = (HashSet::new(), HashSet::new());
    for (manifest, found) in found {
        if !found.is_empty() {
            listing.insert(manifest);
            paths.extend(found);
        }
    }
    Ok((paths, listing))
}

/// May the file of an entry have any of these rows, by the bounds of its row ids? Rows without an id of their own have the next
/// ones of the file, which are newer than all of these.
fn may_have(entries: &ManifestEntries, row: usize, wanted: &[Lineage]) -> bool {
    let bounds = entries.statistics.get(&ROW_ID).and_then(|statistics| {
        let bound = |bounds: &arrow_array::BinaryArray| {
            let bytes = bounds.is_valid(row).then(|| bounds.value(row))?;
            bytes.try_into().ok().map(i64::from_le_bytes)
        };
        Some((bound(&statistics.lower_bound)?, bound(&statistics.upper_bound)?))
    });
    let Some((least, greatest)) = bounds else { return true };
    let next = wanted.partition_point(|row| row.row_id < least);
    wanted.get(next).is_some_and(|row| row.row_id <= greatest)
}

/// Positions, row ids and last updates.
fn reader_of_lineage(context: &ActionContext<'_>) -> Result<Arc<TableReader>> {
    let columns = [POS, ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER]
        .map(|id| metadata_column(id).ok_or_else(|| Error::internal("a metadata column has its id")));
    let columns = columns.into_iter().collect::<Result<_>>()?;
    Ok(Arc::new(TableReader::new(read_request(context, Schema::new(0, columns)?)?)))
}

/// Calls a function for each row with a row id and a last update.
fn each(batch: &RecordBatch, mut found: impl FnMut(u64, i64, i64)) {
    let [positions, row_ids, last_updates] =
        [0, 1, 2].map(|column| batch.column(column).as_primitive::<Int64Type>());
    let value = |column: &Int64Array, row: usize| column.is_valid(row).then(|| column.value(row));
    for row in 0..batch.num_rows() {
        if let (Some(row_id), Some(last_update)) = (value(row_ids, row), value(last_updates, row)) {
            found(positions.value(row) as u64, row_id, last_update);
        }
    }
}
