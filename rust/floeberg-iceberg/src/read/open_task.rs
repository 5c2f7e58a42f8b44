//! A task whose file is open: everything that was known before the first row.
//!
//! In: a task. Out: the units of its file to read, each a reader of batches.
//!
//! Invariant: what cannot be read or applied is found here, before any row comes out.

use std::sync::Arc;

use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};

use super::ReadRequest;
use super::deletes::{self, DataKeys, KeyFilter, TaskKeys};
use super::file::{OpenFile, Unit, UnitRequest};
use super::filter::FileFilter;
use super::project::{PartitionConstants, Projection};
use super::task_rows::TaskRows;
use crate::plan::FileScanTask;

/// A task whose file is open.
#[derive(Debug)]
pub(super) struct OpenTask {
    /// What to read, in the file's order.
    pub(super) units: Vec<Unit>,
    file: OpenFile,
    projection: Arc<Projection>,
    filter: FileFilter,
    deletes: Arc<DeletedRows>,
    keys: Option<Arc<KeyFilter>>,
    batch_rows: usize,
    cancel: Cancel,
}

impl OpenTask {
    /// Opens the file of a task and reads its deletes.
    pub(super) fn open(request: &ReadRequest, task: &FileScanTask) -> Result<Self> {
        Self::open_with(request, task, &request.projected)
    }

    /// Opens a task to read other columns than the request's.
    pub(super) fn open_with(request: &ReadRequest, task: &FileScanTask, projected: &Schema) -> Result<Self> {
        Self::try_open(request, task, projected).context("path", &task.location)
    }

    fn try_open(request: &ReadRequest, task: &FileScanTask, projected: &Schema) -> Result<Self> {
        let mut deletes = deletes::load(request, task)?;
        let keys = TaskKeys::load(request, task)?;
        let mapping = request.name_mapping.as_deref();
        let file = OpenFile::open(request, &task.location, task.file_format, mapping)?;
        let constants = match request.specs.get(&task.spec_id) {
            Some(spec) => PartitionConstants::new(spec, &task.partition),
            None if task.partition.is_empty() => PartitionConstants::default(),
            None => {
                return Err(Error::invalid_data(format!(
                    "the file is partitioned by spec {}, which the table does not have",
                    task.spec_id
                )));
            }
        };
        let filter = FileFilter::new(&task.residual, &request.schema, file.fields(), &constants)?;
        let units = file.units(task.byte_range.as_ref(), &deletes, &filter);
        let mut units = file.without_ruled_out(units, &filter)?;
        if keys.has_unshared() {
            let data = DataKeys { request, task, file: &file, constants: &constants, units: &units };
            keys.apply_unshared(data, &mut deletes)?;
            let left = file.units(task.byte_range.as_ref(), &deletes, &filter);
            units.retain(|unit| left.contains(unit));
        }
        let keys = KeyFilter::new(keys, projected, task.data_sequence_number);
        let projection = match &keys {
            None => Projection::new(projected, file.fields(), &constants)?,
            Some(keys) => {
                let columns: Vec<_> = projected.fields().iter().chain(keys.columns()).cloned().collect();
                Projection::of_fields(&columns, file.fields(), &constants)?
            }
        };
        let file = file.prepared(&units, &projection, &filter)?;
        Ok(Self {
            units,
            file,
            projection: Arc::new(projection),
            filter,
            deletes: Arc::new(deletes),
            keys: keys.map(Arc::new),
            batch_rows: request.batch_rows,
            cancel: request.cancel.clone(),
        })
    }

    /// How many rows of a unit are left, where that can be said before it is read.
    pub(super) fn kept_rows(&self, unit: &Unit) -> Option<u64> {
        match self.filter {
            FileFilter::All if self.keys.is_none() => {
                let rows = unit.rows.clone()?;
                Some(rows.end - rows.start - self.deletes.count(rows))
            }
            FileFilter::None => Some(0),
            FileFilter::All | FileFilter::Rows(_) => None,
        }
    }

    /// The batches of one of [`Self::units`].
    pub(super) fn read(&self, unit: &Unit) -> Result<TaskRows> {
        let predicate = match &self.filter {
            FileFilter::Rows(predicate) => Some(predicate),
            FileFilter::All | FileFilter::None => None,
        };
        let reader = self.file.read(&UnitRequest {
            unit,
            projection: &self.projection,
            deletes: &self.deletes,
            predicate,
            batch_rows: self.batch_rows,
            cancel: &self.cancel,
        })?;
        Ok(TaskRows::new(reader, self.keys.clone()))
    }
}
