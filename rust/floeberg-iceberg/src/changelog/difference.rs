//! What differs between any two snapshots of a table?
//!
//! A description: nothing is read before it is planned, counted or streamed. The two need not be of one line. Rows have the columns
//! of the second one's schema, found by their field ids, of types that values of both have.
//!
//! Spec: Row Lineage; Schema Evolution (columns are found by field id); Column Projection.

use std::sync::Arc;

use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Result};
use floeberg_rows::{ChangedCells, RowCounts, Side};

use super::changed_cells::changed_cells;
use super::columns::SentColumns;
use super::common_schema::common_schema;
use super::diff::{DifferingFiles, differing_files};
use super::difference_stream::DifferenceStream;
use super::planned_steps::TwoPlans;
use super::scan::{ChangelogScan, changed_rows};
use super::step::{Matching, Step};
use crate::Scan;
use crate::plan::{DeleteFile, DeleteKind, FileScanTask, Plan};

/// What differs between two snapshots.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The scan of the second snapshot, in its own schema.
    scan: Scan,
    /// The columns of the key, as they were named.
    key: Option<Vec<String>>,
    /// The columns whose values make rows one row; none where lineage does.
    known: Vec<String>,
    /// What differs, in the schema that both have in common.
    changes: ChangelogScan,
}

/// The files of two snapshots, without the data manifests that both have.
#[derive(Debug, Clone)]
pub struct FilesOfBoth {
    /// Files of the first snapshot.
    pub before: Plan,
    /// Files of the second snapshot.
    pub after: Plan,
    /// Which of them differ.
    pub differing: DifferingFiles,
    /// Have both the same delete manifests?
    pub has_same_deletes: bool,
}

/// A difference whose rows other processes find.
pub(crate) struct SentDifference {
    /// Each file as the first snapshot has it, and as the second one has it.
    pub files: Vec<(Option<FileScanTask>, Option<FileScanTask>)>,
    /// What is read of them.
    pub columns: SentColumns,
    /// Can rows of both snapshots be one row? Else they only came, or only went.
    pub is_matched: bool,
}

impl Difference {
    /// Between a snapshot and that of a scan. `start` is `None` for an empty table. Rows are one row by the columns of `key`, else by the
    /// identifier fields of the schema, else by lineage.
    ///
    /// Errors: `NotFound` for a snapshot that the table does not have, `InvalidInput` for an unknown column.
    pub fn new(scan: Scan, start: Option<i64>, key: Option<Vec<String>>) -> Result<Self> {
        let (metadata, own) = (scan.table().metadata(), scan.schema()?);
        let before = match start {
            Some(start) => metadata.schema_for_snapshot(metadata.snapshot(start)?)?,
            None => &own,
        };
        let common = Arc::new(common_schema(before, &own)?);
        let known = key.clone().or_else(|| identifier_columns(&own));
        let changes = ChangelogScan::between(scan.clone().in_schema(common), start, known.clone())?;
        Ok(Self { scan, key, known: known.unwrap_or_default(), changes })
    }

    /// The scan of the second snapshot.
    pub fn scan(&self) -> &Scan {
        &self.scan
    }

    /// The first snapshot.
    pub fn start(&self) -> Option<i64> {
        self.changes.start()
    }

    /// The columns of the key, as they were named.
    pub fn key(&self) -> Option<&[String]> {
        self.key.as_deref()
    }

    /// `_change`, `_changed_columns`, `before` and `after`.
    pub fn output_schema(&self) -> Result<ArrowSchema> {
        Ok(self.cells()?.output().as_ref().clone())
    }

    /// The files that differ; `None` where both snapshots are the same. No data file and no delete file is opened.
    ///
    /// Errors: those of planning.
    pub fn files(&self, cancel: &Cancel) -> Result<Option<FilesOfBoth>> {
        let plans = self.changes.steps(&self.changes.columns(cancel)?, cancel)?.next_plans()?;
        let Some(TwoPlans { before, after, has_same_deletes }) = plans else { return Ok(None) };
        let differing = differing_files(&before, &after)?;
        Ok(Some(FilesOfBoth { before, after, differing, has_same_deletes }))
    }

    /// The scan of the second snapshot, in the schema in which rows are compared.
    pub fn compared(&self) -> &Scan {
        self.changes.scan()
    }

    /// What other processes need to find the rows that differ. No data file and no delete file is opened.
    ///
    /// Errors: those of planning.
    pub(crate) fn sent(&self, cancel: &Cancel) -> Result<SentDifference> {
        let columns = self.changes.columns(cancel)?;
        let mut files = Vec::new();
        if let Some(FilesOfBoth { before, after, differing, .. }) = self.files(cancel)? {
            for number in &differing.came {
                files.push((None, Some(after.task(*number)?)));
            }
            for number in &differing.went {
                files.push((Some(before.task(*number)?), None));
            }
            for (old, new) in &differing.in_both {
                files.push((Some(before.task(*old)?), Some(after.task(*new)?)));
            }
        }
        let is_one_sided =
            files.iter().all(|(old, _)| old.is_none()) || files.iter().all(|(_, new)| new.is_none());
        let has_row_ids =
            |task: &Option<FileScanTask>| task.as_ref().is_none_or(|task| task.first_row_id.is_some());
        let matching = if is_one_sided {
            Matching::Nothing
        } else if files.iter().all(|(old, new)| has_row_ids(old) && has_row_ids(new)) {
            Matching::Lineage
        } else {
            Matching::Values
        };
        Ok(SentDifference { files, columns: columns.sent(matching), is_matched: !is_one_sided })
    }

    /// The rows that differ, in batches. Those that went come before those that came.
    ///
    /// Errors: those of planning. The stream gives those of reading.
    pub fn stream(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        let columns = self.changes.columns(cancel)?;
        let step = self.changes.steps(&columns, cancel)?.next().transpose()?;
        DifferenceStream::new(self.changes.scan(), self.cells()?, step, columns, cancel)
    }

    fn cells(&self) -> Result<ChangedCells> {
        changed_cells(self.changes.scan(), &self.known)
    }

    /// No rows, as a stream.
    ///
    /// Errors: those of the scan's columns.
    pub fn no_rows(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        DifferenceStream::new(self.changes.scan(), self.cells()?, None, self.changes.columns(cancel)?, cancel)
    }

    /// How many rows differ. Files whose rows all came, or all went, are not read for it.
    ///
    /// Errors: those of planning and of reading.
    pub fn counts(&self, cancel: &Cancel) -> Result<RowCounts> {
        let columns = self.changes.columns(cancel)?;
        let Some(step) = self.changes.steps(&columns, cancel)?.next().transpose()? else {
            return Ok(RowCounts::default());
        };
        if let Some(counts) = counts_of_files(&step) {
            return Ok(counts);
        }
        let mut counts = RowCounts::default();
        for batch in DifferenceStream::new(self.changes.scan(), self.cells()?, Some(step), columns, cancel)? {
            counts.add(&batch?);
        }
        Ok(counts)
    }
}

/// The identifier fields of a schema by their names, if all of them are columns of their own.
fn identifier_columns(schema: &Schema) -> Option<Vec<String>> {
    let ids = schema.identifier_field_ids();
    let name =
        |id: &i32| schema.fields().iter().find(|field| field.id == *id).map(|field| field.name.clone());
    ids.iter().map(name).collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
}

/// The counts of files whose rows only came, or only went, where manifests and positions say them.
fn counts_of_files(step: &Step) -> Option<RowCounts> {
    let mut counts = RowCounts::default();
    if step.matching != Matching::Nothing {
        return None;
    }
    for file in &step.files {
        let by_equality = |delete: &Arc<DeleteFile>| matches!(delete.kind, DeleteKind::Equality { .. });
        if *file.task.residual != BoundExpr::True || file.task.deletes.iter().any(by_equality) {
            return None;
        }
        let rows = changed_rows(file)?;
        let side = if file.side == Side::Inserted { &mut counts.inserted } else { &mut counts.deleted };
        *side += u64::try_from(rows).ok()?;
    }
    Some(counts)
}
