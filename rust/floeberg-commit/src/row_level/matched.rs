//! Which rows of data files match a filter?
//!
//! In: the files that may hold such rows. Out: of each its task, the positions of the rows, and those that are deleted already.
//! Spec: Scan Planning; Column Projection.
//!
//! Invariant: rows that are deleted already do not match. Only the columns of the filter are read. Tasks have all deletes of their
//! files, also those that no row of the filter can have: other rows are copied by them.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::lookup::{RowsByFile, SourceKeys};
use floeberg_iceberg::manifest::DataFile;
use floeberg_iceberg::metadata::Snapshot;
use floeberg_iceberg::plan::{FileScanTask, PlanRequest, PlanStream};
use floeberg_iceberg::read::{
    ReadRequest, TableReader, TaskBatches, deleted_positions, read_rows, read_task,
};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use super::affected::{listed, listed_in};
use crate::produce::{ActionContext, manifests_of};
use crate::state::Step;

/// A data file with rows that match.
#[derive(Debug)]
pub(crate) struct Matched {
    /// The file and its deletes.
    pub task: FileScanTask,
    /// The positions of the rows that match.
    pub rows: RoaringTreemap,
    /// The positions of the rows that are deleted by position already.
    pub deleted: RoaringTreemap,
}

impl Matched {
    /// Do all rows that are left match? `false` if that is unknown, because of equality deletes.
    pub fn is_whole(&self) -> bool {
        let is_gone = |rows: u64| {
            // Deletes may name positions behind the last row, which count for nothing.
            let deleted = rows.checked_sub(1).map_or(0, |last| self.deleted.rank(last));
            rows == self.rows.len() + deleted
        };
        u64::try_from(self.task.record_count).is_ok_and(is_gone)
    }

    /// A file of which no row matches: all that are not deleted are other rows.
    pub fn none(task: FileScanTask) -> Self {
        Self { task, rows: RoaringTreemap::new(), deleted: RoaringTreemap::new() }
    }

    /// The file, as an entry to remove.
    pub fn data_file(&self) -> WrittenFile {
        data_file(&self.task)
    }
}

/// The data file of a task, as a file to remove.
pub(crate) fn data_file(task: &FileScanTask) -> WrittenFile {
    let file = DataFile {
        partition: task.partition.iter().map(|(_, value)| value.clone()).collect(),
        record_count: task.record_count,
        file_size_in_bytes: task.file_size_in_bytes,
        ..DataFile::new(&task.file_path, task.file_format.name())
    };
    WrittenFile { spec_id: task.spec_id, file, purpose: None }
}

/// Reads the files of these canonical paths, which these manifests list, unless an earlier attempt did. Those without matching rows
/// are left out.
///
/// Errors: those of planning and reading.
pub(crate) fn matched(
    context: &ActionContext<'_>,
    filter: &BoundExpr,
    paths: &HashSet<String>,
    manifests: HashSet<String>,
) -> Result<Vec<Matched>> {
    let tasks = tasks(context, filter.clone(), paths, Some(manifests))?;
    let reader = reader_of_positions(context)?;
    context.progress.begin(Step::Reading, tasks.len());
    context.found_rows_cache.prepare(context.operation, filter, &context.metadata);
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let rows = known_or_read(context, &reader, task)?;
        context.progress.add_file();
        if rows.is_empty() {
            return Ok(None);
        }
        let deleted = deleted_positions(&reader, task)?;
        let rows = rows - &deleted;
        context.progress.add_rows(rows.len());
        Ok(Some(Matched { task: task.clone(), rows, deleted }).filter(|found| !found.rows.is_empty()))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// The first of these files, by canonical paths, that has a row that matches, besides `except`. With `gone_too` also one that is
/// not in the table.
///
/// Errors: those of planning and reading.
pub(crate) fn any_match(
    context: &ActionContext<'_>,
    filter: &BoundExpr,
    paths: &HashSet<String>,
    gone_too: bool,
    except: &RowsByFile,
) -> Result<Option<String>> {
    let tasks = tasks(context, filter.clone(), paths, None)?;
    let live: HashSet<&str> = tasks.iter().map(|task| canonical(&task.file_path)).collect();
    if let Some(gone) = paths.iter().find(|path| gone_too && !live.contains(path.as_str())) {
        return Ok(Some(gone.clone()));
    }
    let reader = reader_of_positions(context)?;
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let path = canonical(&task.file_path);
        let known = except.get(path);
        for batch in read_task(&reader, task)? {
            let batch = batch.context("path", &task.file_path)?;
            let positions = batch.column(0).as_primitive::<Int64Type>().values();
            let is_other = |position: &i64| known.is_none_or(|known| !known.contains(*position as u64));
            if positions.iter().any(is_other) {
                return Ok(Some(path.to_owned()));
            }
        }
        Ok(None)
    })?;
    Ok(found.into_iter().flatten().next())
}

/// Finds a file with a row that has a key of a source.
pub(crate) fn any_with_key(
    context: &ActionContext<'_>,
    keys: &SourceKeys,
    paths: &HashSet<String>,
    gone_too: bool,
    except: &RowsByFile,
) -> Result<Option<String>> {
    let schema = Arc::clone(keys.schema());
    let read = read_request(context, Schema::clone(&schema))?;
    let plan = plan_request(context, context.parent()?, BoundExpr::True, None)?;
    keys.find_in(plan, read, paths, gone_too, except)
}

/// The tasks of the files of these canonical paths, with all of their deletes. No file of rows is read, and none of deletes.
///
/// Errors: those of planning.
pub(crate) fn whole_files(context: &ActionContext<'_>, paths: &HashSet<String>) -> Result<Vec<FileScanTask>> {
    let manifests = listed(context, paths)?;
    tasks(context, BoundExpr::True, paths, Some(manifests))
}

/// The files of these canonical paths, with the rows of them that are named and those that are deleted already.
///
/// Errors: those of planning and reading deletes.
pub(crate) fn with_deletes(context: &ActionContext<'_>, paths: &HashSet<String>) -> Result<Vec<Matched>> {
    let manifests = listed(context, paths)?;
    let tasks = tasks(context, BoundExpr::True, paths, Some(manifests))?;
    let reader = reader_of_positions(context)?;
    ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let deleted = deleted_positions(&reader, task)?;
        Ok(Matched { task: task.clone(), rows: RoaringTreemap::new(), deleted })
    })
}

/// The rows of a file at these positions that no delete of it deletes.
///
/// Errors: those of reading.
pub(crate) fn live_at(
    context: &ActionContext<'_>,
    task: &FileScanTask,
    positions: &RoaringTreemap,
) -> Result<RoaringTreemap> {
    let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..task.clone() };
    let rows = read_rows(&reader_of_positions(context)?, &whole, positions)?;
    Ok(positions_of(rows, task)? & positions)
}

/// Did deletes since a snapshot delete rows of a file that the snapshot had?
///
/// Errors: those of planning and reading.
pub(crate) fn lost_rows_since(
    context: &ActionContext<'_>,
    snapshot: Option<Arc<Snapshot>>,
    task: &FileScanTask,
) -> Result<bool> {
    let path = HashSet::from([canonical(&task.file_path).to_owned()]);
    let manifests = match &snapshot {
        None => return Ok(true),
        Some(snapshot) => listed_in(context, &manifests_of(context, snapshot)?, &path)?,
    };
    let then = tasks_at(context, snapshot, BoundExpr::True, &path, Some(manifests))?;
    // A reader shares the keys of deletes between its tasks, so that each snapshot has its own.
    let live = |task| rows_of(&reader_of_positions(context)?, task);
    match then.as_slice() {
        [then] => Ok(live(then)? != live(task)?),
        _ => Ok(true),
    }
}

/// Reads positions alone.
fn reader_of_positions(context: &ActionContext<'_>) -> Result<Arc<TableReader>> {
    let position = metadata_column(POS).ok_or_else(|| Error::internal("_pos is a metadata column"))?;
    Ok(Arc::new(TableReader::new(read_request(context, Schema::new(0, vec![position])?)?)))
}

/// The positions of the rows of a task that match its residual, by an earlier attempt if one looked for them. Some may be
/// deleted by now.
fn known_or_read(
    context: &ActionContext<'_>,
    reader: &Arc<TableReader>,
    task: &FileScanTask,
) -> Result<RoaringTreemap> {
    if let Some(known) = context.found_rows_cache.of(context.operation, task) {
        return Ok(known);
    }
    let rows = rows_of(reader, task)?;
    context.found_rows_cache.found(context.operation, task, &rows);
    Ok(rows)
}

/// The positions of the rows of a task that match its residual.
fn rows_of(reader: &Arc<TableReader>, task: &FileScanTask) -> Result<RoaringTreemap> {
    positions_of(read_task(reader, task)?, task)
}

fn positions_of(batches: TaskBatches, task: &FileScanTask) -> Result<RoaringTreemap> {
    let mut rows = RoaringTreemap::new();
    for batch in batches {
        let batch = batch.context("path", &task.file_path)?;
        let positions = batch.column(0).as_primitive::<Int64Type>();
        rows.append(positions.values().iter().map(|position| *position as u64)).map_err(|error| {
            Error::internal("positions ascend").with("path", &task.file_path).caused_by(error)
        })?;
    }
    Ok(rows)
}

/// The tasks of the files of these canonical paths; with manifests that list them, with all of their deletes.
fn tasks(
    context: &ActionContext<'_>,
    filter: BoundExpr,
    paths: &HashSet<String>,
    manifests: Option<HashSet<String>>,
) -> Result<Vec<FileScanTask>> {
    tasks_at(context, context.parent()?, filter, paths, manifests)
}

/// The tasks of data files in a snapshot of the table.
pub(super) fn tasks_at(
    context: &ActionContext<'_>,
    snapshot: Option<Arc<Snapshot>>,
    filter: BoundExpr,
    paths: &HashSet<String>,
    manifests: Option<HashSet<String>>,
) -> Result<Vec<FileScanTask>> {
    let plan = PlanStream::open(plan_request(context, snapshot, filter, manifests)?)?;
    let is_wanted = |task: &FileScanTask| paths.contains(canonical(&task.file_path));
    plan.into_tasks().filter(|task| task.as_ref().map_or(true, is_wanted)).collect()
}

/// A plan of the files of a snapshot; with data manifests, of theirs alone.
pub(super) fn plan_request(
    context: &ActionContext<'_>,
    snapshot: Option<Arc<Snapshot>>,
    filter: BoundExpr,
    manifests: Option<HashSet<String>>,
) -> Result<PlanRequest> {
    Ok(PlanRequest {
        metadata: Arc::clone(&context.metadata),
        metadata_location: context.metadata.location.clone(),
        snapshot,
        appends: None,
        manifests: None,
        statistics_of: None,
        schema: Arc::clone(context.metadata.current_schema()),
        filter,
        to_change: manifests.map(Arc::new),
        reader: context.reader.clone(),
        verbose: false,
        memory: memory_budget()?,
    })
}

/// What reading columns of the table's data files needs beside tasks.
pub(super) fn read_request(context: &ActionContext<'_>, projected: Schema) -> Result<ReadRequest> {
    let metadata = &context.metadata;
    let schema = Arc::clone(metadata.current_schema());
    let request = ReadRequest::new(Arc::clone(&context.reader.store), schema, Arc::new(projected));
    Ok(request
        .with_specs(metadata.partition_specs.iter().cloned())
        .with_key_schemas(metadata.schemas_newest_first().cloned())
        .with_name_mapping(metadata.name_mapping()?.map(Arc::new))
        .with_memory(memory_budget()?)
        .with_cancel(context.reader.cancel.clone()))
}
