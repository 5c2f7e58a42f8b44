//! What is known of a task before its first row is read?
//!
//! In: a task. Out: the units of its file to read, each a reader of batches.
//!
//! Invariant: anything that cannot be read or applied is an error here, before any row is returned.

use std::sync::Arc;

use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_files::{
    Counted, FileFilter, FileReader, Projection, ReadCounts, Timed, Unit, UnitRequest, timed_if,
    units_to_read,
};
use roaring::RoaringTreemap;

use super::deleted_column::DeletedColumn;
use super::deletes::{self, DataKeys, KeyFilter, TaskKeys};
use super::file_constants::constants_of;
use super::open::Names;
use super::table_reader::TableReader;
use super::task_rows::{Deleted, TaskRows};
use crate::plan::FileScanTask;

/// About how many bytes the metadata columns of one batch have.
const BATCH_BYTES: usize = 64 << 20;

/// Which rows of a task are wanted, by their positions.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// All.
    All,
    /// The rows at these positions.
    At(&'a RoaringTreemap),
    /// The rows at other positions.
    Except(&'a RoaringTreemap),
}

/// A task whose file is open.
#[derive(Debug)]
pub(super) struct OpenTask {
    /// The units to read, in the file's order.
    pub(super) units: Vec<Unit>,
    file: Arc<dyn FileReader>,
    projection: Arc<Projection>,
    filter: FileFilter,
    /// The rows that no reader returns.
    deletes: Arc<DeletedRows>,
    deleted: Deleted,
    batch_rows: usize,
    cancel: Cancel,
    counts: Option<Arc<ReadCounts>>,
}

impl OpenTask {
    /// The units in runs of at least this many rows, but the last one.
    pub(super) fn runs(&self, least_rows: u64) -> Vec<Vec<Unit>> {
        let mut runs: Vec<Vec<Unit>> = Vec::new();
        let mut rows = least_rows;
        for unit in &self.units {
            if rows >= least_rows {
                runs.push(Vec::new());
                rows = 0;
            }
            rows = rows.saturating_add(unit.rows.as_ref().map_or(least_rows, |rows| rows.end - rows.start));
            if let Some(run) = runs.last_mut() {
                run.push(unit.clone());
            }
        }
        runs
    }

    /// Opens the file of a task and reads its deletes.
    pub(super) fn open(reader: &TableReader, task: &FileScanTask) -> Result<Self> {
        Self::open_with(reader, task, &reader.request.projected)
    }

    /// Opens a task to read other columns than the request's.
    pub(super) fn open_with(reader: &TableReader, task: &FileScanTask, projected: &Schema) -> Result<Self> {
        Self::try_open(reader, task, projected, Wanted::All).context("path", &task.location)
    }

    /// Opens a task to read some of its rows.
    pub(super) fn open_rows(reader: &TableReader, task: &FileScanTask, wanted: Wanted<'_>) -> Result<Self> {
        Self::try_open(reader, task, &reader.request.projected, wanted).context("path", &task.location)
    }

    fn try_open(
        reader: &TableReader,
        task: &FileScanTask,
        projected: &Schema,
        wanted: Wanted<'_>,
    ) -> Result<Self> {
        let TableReader { request, deletes: caches } = reader;
        let access = &request.files;
        let counts = request.counts.as_deref();
        let (mut deletes, keys) = timed_if(counts, Timed::Deletes, || {
            let deletes = deletes::load(request, caches, task)?;
            Ok::<_, Error>((deletes, TaskKeys::load(request, &caches.keys, task)?))
        })?;
        let names = request.name_mapping.as_deref().map_or(Names::Unmapped(&request.schema), Names::Mapped);
        let file = timed_if(counts, Timed::Opening, || {
            access.open(&task.location, Some(task.file_size_in_bytes), task.file_format, names)
        })?;
        match wanted {
            Wanted::All => {}
            Wanted::At(positions) => deletes.add(&others(file.as_ref(), task, positions)),
            Wanted::Except(positions) => deletes.add(positions),
        }
        let constants = constants_of(request, task)?;
        let batch_rows = constants.origin().map_or(access.batch_rows, |origin| {
            access.batch_rows.min((BATCH_BYTES / origin.row_bytes()).max(1))
        });
        let filter = FileFilter::new(&task.residual, &request.schema, file.fields(), &constants)?;
        let is_marked = request.gives_deleted_rows();
        let no_rows = DeletedRows::default();
        let units_without = |deletes: &DeletedRows| {
            // If deleted rows are returned and marked, none of them can be skipped.
            let unread = if is_marked { &no_rows } else { deletes };
            units_to_read(file.as_ref(), task.byte_range.as_ref(), unread, &filter)
        };
        let mut units =
            timed_if(counts, Timed::Opening, || file.without_ruled_out(units_without(&deletes), &filter))?;
        if keys.has_unshared() {
            let data = DataKeys {
                request,
                cache: &caches.keys,
                task,
                file: &file,
                constants: &constants,
                units: &units,
            };
            keys.apply_unshared(data, &mut deletes)?;
            let left = units_without(&deletes);
            units.retain(|unit| left.contains(unit));
        }
        let keys = KeyFilter::new(keys, projected, task.data_sequence_number).map(Arc::new);
        let deletes = Arc::new(deletes);
        let deleted = match keys {
            keys if is_marked => DeletedColumn::new(projected, &deletes, keys)
                .map_or(Deleted::None, |column| Deleted::Marked(Arc::new(column))),
            Some(keys) => Deleted::Dropped(keys),
            None => Deleted::None,
        };
        let projection = match &deleted {
            Deleted::None => Projection::new(projected, file.fields(), &constants)?,
            Deleted::Dropped(_) | Deleted::Marked(_) => {
                let columns = projected.fields().iter().cloned().chain(deleted.hidden_columns()?);
                Projection::of_fields(&columns.collect::<Vec<_>>(), file.fields(), &constants)?
            }
        };
        let filter = if request.skips_units_only { FileFilter::All } else { filter };
        if let Some(counts) = counts {
            counts.add(Counted::Files, 1);
            let all = file.units(task.byte_range.as_ref(), &FileFilter::All);
            counts.add(Counted::Units, all.len() as u64);
            counts.add(Counted::UnitsRead, units.len() as u64);
        }
        let file = timed_if(counts, Timed::Opening, || file.prepared(&units, &projection, &filter))?;
        Ok(Self {
            units,
            file,
            projection: Arc::new(projection),
            filter,
            deletes: if is_marked { Arc::default() } else { deletes },
            deleted,
            batch_rows,
            cancel: access.cancel.clone(),
            counts: request.counts.clone(),
        })
    }

    /// How many rows of a unit remain, if known before it is read.
    pub(super) fn kept_rows(&self, unit: &Unit) -> Option<u64> {
        match self.filter {
            FileFilter::All if !matches!(self.deleted, Deleted::Dropped(_)) => {
                let rows = unit.rows.clone()?;
                Some(rows.end - rows.start - self.deletes.count(rows))
            }
            FileFilter::None => Some(0),
            FileFilter::All | FileFilter::Rows(_) => None,
        }
    }

    /// Where what is done is counted.
    pub(super) fn counts(&self) -> Option<&ReadCounts> {
        self.counts.as_deref()
    }

    /// About how many bytes of the file some units take to be read.
    pub(super) fn stored_bytes(&self, units: &[Unit]) -> u64 {
        let sizes = units.iter().map(|unit| self.file.stored_bytes(unit, &self.projection));
        sizes.fold(0, u64::saturating_add)
    }

    /// The batches of one of [`Self::units`].
    pub(super) fn read(&self, unit: &Unit) -> Result<TaskRows> {
        let predicate = match &self.filter {
            FileFilter::Rows(predicate) => Some(predicate),
            FileFilter::All | FileFilter::None => None,
        };
        let reader = Arc::clone(&self.file).read(&UnitRequest {
            unit,
            projection: &self.projection,
            deletes: &self.deletes,
            predicate,
            batch_rows: self.batch_rows,
            cancel: &self.cancel,
            counts: self.counts.as_deref(),
        })?;
        Ok(TaskRows::new(reader, self.deleted.clone()))
    }
}

/// The positions of a file that are not among these, as far as it is known how many rows the file has.
fn others(file: &dyn FileReader, task: &FileScanTask, positions: &RoaringTreemap) -> RoaringTreemap {
    let ends =
        file.units(None, &FileFilter::All).into_iter().filter_map(|unit| unit.rows.map(|rows| rows.end));
    let rows = ends.max().unwrap_or_else(|| u64::try_from(task.record_count).unwrap_or(0));
    let mut others = RoaringTreemap::new();
    others.insert_range(0..rows);
    others -= positions;
    others
}
