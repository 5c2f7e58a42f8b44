//! Which changes are read?
//!
//! A description, as a [`Scan`](crate::Scan) is: nothing is read before it is planned or streamed.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};

use super::columns::{Columns, output_schema, with_added};
use super::planned_steps::PlannedSteps;
use super::range::{Compared, compared};
use super::step::{ChangeType, ChangedFile, ChangedRows, Step};
use super::stream::ChangelogStream;
use crate::Scan;

/// The changes after one snapshot, up to that of a scan.
#[derive(Debug, Clone)]
pub struct ChangelogScan {
    scan: Scan,
    start: Option<i64>,
    identifier_columns: Option<Vec<String>>,
    net: bool,
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
        let changelog = Self { scan, start, identifier_columns, net };
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
        compared(table.metadata(), self.start, self.scan.snapshot()?.as_ref(), self.net)
            .context("table", table.metadata_location())
    }

    fn columns(&self, cancel: &Cancel) -> Result<Arc<Columns>> {
        Ok(Arc::new(Columns::new(&self.scan, self.key()?.as_deref(), cancel)?))
    }

    fn steps(&self, columns: &Arc<Columns>, cancel: &Cancel) -> Result<PlannedSteps> {
        Ok(PlannedSteps::new(self.scan.clone(), Arc::clone(columns), self.compared()?, cancel))
    }

    /// The field ids of the columns that identify a row; `None` without such columns.
    ///
    /// Errors: `InvalidInput` for an unknown column, and for one within another.
    fn key(&self) -> Result<Option<Vec<i32>>> {
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
fn changed_rows(file: &ChangedFile) -> Option<i64> {
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
