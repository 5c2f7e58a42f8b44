//! Which changes are read?
//!
//! A description, as a [`Scan`](crate::Scan) is: nothing is read before it is planned or streamed.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};

use super::appends::only_adds_files;
use super::columns::{Columns, output_schema, with_added};
use super::planned_steps::PlannedSteps;
use super::range::{Compared, compared, two_ends};
use super::step::{ChangedFile, ChangedRows, Step};
use super::stream::ChangelogStream;
use crate::Scan;
use crate::plan::{Appends, Plan, PlanRequest, plan};
use floeberg_rows::ChangeType;

/// The changes after one snapshot, up to that of a scan.
#[derive(Debug, Clone)]
pub struct ChangelogScan {
    scan: Scan,
    start: Option<i64>,
    identifier_columns: Option<Vec<String>>,
    net: bool,
    /// The `_change_ordinal` of the changes that are read; `None` is all.
    only: Option<i32>,
    /// Are updates told from deletes and inserts?
    updates: bool,
    /// Need the two ends not be of one line? Then the changes are net.
    any_ends: bool,
}

/// A snapshot whose changes are read. Of net changes there is one, the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangingSnapshot {
    /// The `_change_ordinal` of its changes, from 0.
    pub ordinal: i32,
    /// Its id.
    pub snapshot_id: i64,
    /// Does it say that it only added rows?
    pub is_append: bool,
}

impl ChangelogScan {
    /// The changes after a snapshot, exclusive, up to the snapshot of a scan, inclusive, in its schema. Without a start: from the
    /// first snapshot of the table on.
    ///
    /// An update is found by identifier columns: those that are named, else those of the schema, else by lineage. `net` compares
    /// the two ends alone.
    ///
    /// Errors: `InvalidInput` for a start that is not an ancestor of the end, for an expired snapshot between them, and for columns
    /// that a changelog cannot have; `NotFound` for an end that the table does not have.
    pub fn new(
        scan: Scan,
        start: Option<i64>,
        identifier_columns: Option<Vec<String>>,
        net: bool,
    ) -> Result<Self> {
        let changelog =
            Self { scan, start, identifier_columns, net, only: None, updates: true, any_ends: false };
        changelog.checked()
    }

    /// What differs between any two snapshots, in the schema of the scan, which is that of the second one.
    ///
    /// Errors: `NotFound` for a snapshot that the table does not have, `InvalidInput` for columns that a changelog cannot have.
    pub(super) fn between(scan: Scan, start: Option<i64>, key: Option<Vec<String>>) -> Result<Self> {
        let (net, updates, any_ends) = (true, true, true);
        Self { scan, start, identifier_columns: key, net, only: None, updates, any_ends }.checked()
    }

    fn checked(self) -> Result<Self> {
        let changelog = self;
        changelog.compared()?;
        changelog.key()?;
        changelog.output_schema()?;
        Ok(changelog)
    }

    /// The scan of the end.
    pub fn scan(&self) -> &Scan {
        &self.scan
    }

    /// The snapshot after which changes are read.
    pub fn start(&self) -> Option<i64> {
        self.start
    }

    /// The columns that identify a row, as they were named.
    pub fn identifier_columns(&self) -> Option<&[String]> {
        self.identifier_columns.as_deref()
    }

    /// Are only the changes between the two ends read?
    pub fn is_net(&self) -> bool {
        self.net
    }

    /// The snapshots whose changes are read, oldest first. No manifest is read.
    pub fn snapshots(&self) -> Result<Vec<ChangingSnapshot>> {
        let of = |each: Compared| ChangingSnapshot {
            ordinal: each.ordinal,
            snapshot_id: each.after.snapshot_id,
            is_append: each.is_append,
        };
        Ok(self.compared()?.into_iter().map(of).collect())
    }

    /// The changes with one `_change_ordinal` alone. There are none where no snapshot has it.
    #[must_use]
    pub fn only(self, ordinal: i32) -> Self {
        Self { only: Some(ordinal), ..self }
    }

    /// The `_change_ordinal` of the changes that are read; `None` is all.
    pub fn only_ordinal(&self) -> Option<i32> {
        self.only
    }

    /// Deletes and inserts alone. A deleted and an inserted row of a snapshot with equal values are no change then, whatever
    /// their lineage.
    #[must_use]
    pub fn without_updates(self) -> Self {
        Self { updates: false, ..self }
    }

    /// Are updates told from deletes and inserts?
    pub fn has_updates(&self) -> bool {
        self.updates
    }

    /// The files that an append of this changelog added: all of their rows that the filter keeps came with it. They are read as a
    /// scan's, without deletes. `None` for a snapshot whose manifests do not prove that it only added files.
    ///
    /// Errors: those of planning.
    pub fn appended(&self, ordinal: i32, cancel: &Cancel) -> Result<Option<Plan>> {
        let found = self.compared()?.into_iter().find(|each| each.ordinal == ordinal && each.is_append);
        let Some(append) = found else { return Ok(None) };
        let request = self.scan.plan_request(cancel)?;
        let old = append.before.as_ref().map(|before| request.reader.manifests(before)).transpose()?;
        if !only_adds_files(&old.unwrap_or_default(), &request.reader.manifests(&append.after)?) {
            return Ok(None);
        }
        let before = append.before.map(|before| before.snapshot_id);
        let appends = Appends::between(self.scan.table().metadata(), before, &append.after)?;
        let request =
            PlanRequest { snapshot: Some(append.after), appends: Some(Arc::new(appends)), ..request };
        plan(request).map(Some)
    }

    /// The Arrow schema of every batch: the selected columns, then `_change_type`, `_change_ordinal` and `_commit_snapshot_id`.
    pub fn output_schema(&self) -> Result<ArrowSchema> {
        output_schema(&self.scan).context("table", self.scan.table().metadata_location())
    }

    /// The same columns, as a schema of the table.
    pub fn projection(&self) -> Result<Schema> {
        with_added(&self.scan)
    }

    /// The changes, in batches.
    ///
    /// Errors: those of planning. The stream gives those of reading.
    pub fn stream(&self, cancel: &Cancel) -> Result<ChangelogStream> {
        let columns = self.columns(cancel)?;
        ChangelogStream::new(&self.scan, self.steps(&columns, cancel)?, columns, cancel)
    }

    /// The files with changed rows, one row each. `change_type` is `INSERT` or `DELETE`; `changed_rows` is null where it is not
    /// known before the file is read.
    ///
    /// Errors: those of planning.
    pub fn plan(&self, cancel: &Cancel) -> Result<RecordBatch> {
        let steps = self.steps(&self.columns(cancel)?, cancel)?.collect::<Result<Vec<_>>>()?;
        let files: Vec<(&Step, &ChangedFile)> =
            steps.iter().flat_map(|step| step.files.iter().map(move |file| (step, file))).collect();
        let long = |of: fn(&ChangedFile) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(files.iter().map(|(_, file)| of(file))))
        };
        let types = files.iter().map(|(_, file)| ChangeType::from(file.side).name());
        let paths = files.iter().map(|(_, file)| file.task.file_path.as_str());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(files.iter().map(|(step, _)| step.ordinal))),
            Arc::new(Int64Array::from_iter_values(files.iter().map(|(step, _)| step.snapshot_id))),
            Arc::new(StringArray::from_iter_values(types)),
            Arc::new(StringArray::from_iter_values(paths)),
            long(|file| file.task.record_count),
            long(|file| file.task.file_size_in_bytes),
            Arc::new(files.iter().map(|(_, file)| changed_rows(file)).collect::<Int64Array>()),
        ];
        RecordBatch::try_new(plan_schema(), columns)
            .map_err(|error| Error::internal("the files of a changelog do not fit").caused_by(error))
    }

    fn compared(&self) -> Result<Vec<Compared>> {
        let table = self.scan.table();
        let end = self.scan.snapshot()?;
        let all = if self.any_ends {
            two_ends(table.metadata(), self.start, end.as_ref())
        } else {
            compared(table.metadata(), self.start, end.as_ref(), self.net)
        };
        let mut all = all.context("table", table.metadata_location())?;
        all.retain(|each| self.only.is_none_or(|ordinal| each.ordinal == ordinal));
        Ok(all)
    }

    pub(super) fn columns(&self, cancel: &Cancel) -> Result<Arc<Columns>> {
        let key = self.key()?;
        Ok(Arc::new(Columns::new(&self.scan, key.as_deref(), self.updates, self.any_ends, cancel)?))
    }

    pub(super) fn steps(&self, columns: &Arc<Columns>, cancel: &Cancel) -> Result<PlannedSteps> {
        Ok(PlannedSteps::new(self.scan.clone(), Arc::clone(columns), self.compared()?, cancel))
    }

    /// The field ids of the columns that identify a row; `None` without such columns.
    ///
    /// Errors: `InvalidInput` for an unknown column, and for one within another.
    fn key(&self) -> Result<Option<Vec<i32>>> {
        if !self.updates {
            return Ok(None);
        }
        let schema = self.scan.schema()?;
        let is_top = |id: &i32| schema.fields().iter().any(|field| field.id == *id);
        let Some(names) = &self.identifier_columns else {
            let ids = schema.identifier_field_ids().to_vec();
            return Ok(Some(ids).filter(|ids| !ids.is_empty() && ids.iter().all(is_top)));
        };
        if names.is_empty() {
            return Err(Error::invalid_input("identifier_columns: expected at least one column, found none"));
        }
        let find = |name: &String| {
            let id = schema.find(name, self.scan.is_case_sensitive())?;
            if !is_top(&id) {
                return Err(Error::invalid_input(format!(
                    "identifier_columns: {name:?} is a part of another column, expected a column of its own"
                )));
            }
            Ok(id)
        };
        names.iter().map(find).collect::<Result<_>>().map(Some)
    }
}

/// How many rows of a file changed, if that is known.
pub(super) fn changed_rows(file: &ChangedFile) -> Option<i64> {
    match &file.rows {
        ChangedRows::All if file.task.deletes.is_empty() => Some(file.task.record_count),
        ChangedRows::At(positions) => i64::try_from(positions.len()).ok(),
        ChangedRows::All | ChangedRows::NotIn(_) => None,
    }
}

fn plan_schema() -> SchemaRef {
    Arc::new(ArrowSchema::new(vec![
        ArrowField::new("change_ordinal", DataType::Int32, false),
        ArrowField::new("commit_snapshot_id", DataType::Int64, false),
        ArrowField::new("change_type", DataType::Utf8, false),
        ArrowField::new("file_path", DataType::Utf8, false),
        ArrowField::new("record_count", DataType::Int64, false),
        ArrowField::new("file_size_in_bytes", DataType::Int64, false),
        ArrowField::new("changed_rows", DataType::Int64, true),
    ]))
}
