//! How do the scan tasks of a REST server become a plan?
//!
//! In: the scan, and the tasks as the server sent them, part by part. Out: the plan, in the order of the server.
//! Spec: REST catalog specification, `ScanTasks`, `FileScanTask`.
//!
//! Invariant: a task of the server is either in the plan, with all its deletes, or the error that names its file.

mod content_file;
mod request;

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::error::beginning;
use floeberg_core::expr::{BoundExpr, Expr, bind, json as expression_json};
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::schema::reserved::{LAST_UPDATED_SEQUENCE_NUMBER, ROW_ID};
use floeberg_core::{Context, Error, Result};
use floeberg_io::Relocation;
use serde_json::Value as Json;

use super::columns::{DeleteLists, plan_schema};
use super::{Appends, DeleteFile, DeleteKind, Explain, Plan};
use crate::manifest::Specs;
use crate::metadata::{Snapshot, TableMetadata};
use content_file::{ServedDelete, ServedFile};
use request::filter_parts;
pub use request::served_request;

/// What plans the scans of a table instead of Floeberg: a server that demands it. Whoever makes scans knows what it is.
pub trait ScanPlanner: Any + fmt::Debug + Send + Sync {}

/// A scan that a server plans.
#[derive(Debug, Clone)]
pub struct ServedScan {
    /// The table.
    pub metadata: Arc<TableMetadata>,
    /// Where its files are.
    pub relocation: Arc<Relocation>,
    /// The snapshot; of a table without one, no file is read.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The appends that are read, and the snapshot after which they begin; `None` is all live files.
    pub appends: Option<(Option<i64>, Arc<Appends>)>,
    /// The schema of the rows, without metadata columns.
    pub schema: Arc<Schema>,
    /// The same with the metadata columns that the filter tests.
    pub filter_schema: Arc<Schema>,
    /// The columns of the result.
    pub projection: Arc<Schema>,
    /// Were columns selected?
    pub has_selection: bool,
    /// The filter.
    pub filter: BoundExpr,
    /// Are names found with regard to case?
    pub case_sensitive: bool,
    /// Rows, at most.
    pub limit: Option<u64>,
}

/// Makes the plan of the scan tasks of a server.
///
/// Tasks carry no sequence numbers: those of the plan are 0 for data files and 1 for deletes, since all deletes of a task apply to
/// its file.
///
/// Args: the scan, and what the server answered: each part has `delete-files` and `file-scan-tasks`.
///
/// Errors: `InvalidData` for an answer that is not as specified, naming the file; `Unsupported` for encrypted files, and for a scan
/// of a metadata column that the tasks do not carry.
pub fn served_plan(scan: &ServedScan, answers: &[Json]) -> Result<Plan> {
    let mut served = Served::new(scan)?;
    for answer in answers {
        served.add(answer)?;
    }
    served.finish()
}

struct Served<'a> {
    scan: &'a ServedScan,
    specs: Arc<Specs>,
    /// The part of the filter that the server was not sent.
    unsent: Expr,
    needs_row_ids: bool,
    chunks: Vec<RecordBatch>,
    deletes: Vec<Arc<DeleteFile>>,
    residuals: Vec<Arc<BoundExpr>>,
    /// The data files so far.
    paths: HashSet<String>,
    /// The numbers of residuals, by what the server sent.
    numbers: HashMap<String, i32>,
    explain: Explain,
}

/// Tasks of one part whose files are of one partition spec.
struct Run<'a> {
    spec_id: i32,
    files: Vec<ServedFile<'a>>,
    deletes: DeleteLists,
    residuals: Vec<i32>,
}

impl Run<'_> {
    /// No file yet.
    fn of(spec_id: i32) -> Self {
        let deletes = DeleteLists { offsets: vec![0], values: Vec::new() };
        Self { spec_id, files: Vec::new(), deletes, residuals: Vec::new() }
    }
}

/// The delete files of an answer.
struct AnswerDeletes<'a> {
    deletes: Vec<ServedDelete>,
    /// The number in the plan of a delete, by that in the answer; and the data file of a deletion vector.
    known: HashMap<usize, (i32, Option<&'a str>)>,
}

impl<'a> AnswerDeletes<'a> {
    /// The number in the plan of the delete that a task refers to.
    fn number_in_plan(
        &mut self,
        reference: &Json,
        data_file: &'a str,
        served: &mut Served<'_>,
    ) -> Result<i32> {
        let number = reference.as_u64().and_then(|number| usize::try_from(number).ok());
        let Some((number, delete)) = number.and_then(|number| Some((number, self.deletes.get(number)?)))
        else {
            return Err(Error::invalid_data(format!(
                "expected the number of one of {} delete files in delete-file-references, found {reference}",
                self.deletes.len()
            ))
            .with("path", data_file));
        };
        let of_file = delete.is_vector().then_some(data_file);
        match self.known.get(&number) {
            Some((of_plan, earlier)) if *earlier == of_file => Ok(*of_plan),
            Some(_) => {
                Err(Error::invalid_data("expected a deletion vector of one data file, found one of two")
                    .with("path", &delete.file_path))
            }
            None => {
                let of_plan = number_of(served.deletes.len(), "delete files")?;
                served.deletes.push(Arc::new(delete.of_file(of_file, &served.scan.relocation)));
                self.known.insert(number, (of_plan, of_file));
                Ok(of_plan)
            }
        }
    }
}

impl<'a> Served<'a> {
    fn new(scan: &'a ServedScan) -> Result<Self> {
        let wanted = |id: i32| scan.projection.field(id).or_else(|| scan.filter_schema.field(id)).is_some();
        if wanted(LAST_UPDATED_SEQUENCE_NUMBER) {
            return Err(Error::unsupported(
                "the tasks of a server have no sequence numbers: the scan cannot return _last_updated_sequence_number",
            ));
        }
        let (_, unsent) = filter_parts(scan);
        let snapshot_id = scan.snapshot.as_ref().map(|snapshot| snapshot.snapshot_id);
        let filter = scan.filter.to_string();
        Ok(Self {
            scan,
            specs: Specs::new(&scan.metadata, &scan.filter_schema)?,
            unsent,
            needs_row_ids: wanted(ROW_ID),
            chunks: Vec::new(),
            deletes: Vec::new(),
            residuals: Vec::new(),
            paths: HashSet::new(),
            numbers: HashMap::new(),
            explain: Explain { snapshot_id, filter, ..Explain::default() },
        })
    }

    /// Adds the tasks of one answer.
    fn add(&mut self, answer: &Json) -> Result<()> {
        let deletes = list(answer, "delete-files")?.iter();
        let deletes: Vec<_> =
            deletes.map(|delete| ServedDelete::read(delete, &self.specs)).collect::<Result<_>>()?;
        let mut deletes = AnswerDeletes { deletes, known: HashMap::new() };
        let mut runs: Vec<Run<'_>> = Vec::new();
        for task in list(answer, "file-scan-tasks")? {
            let file = member(task, "data-file").and_then(|file| ServedFile::read(file, &self.specs))?;
            let residual = self.residual(task.get("residual-filter")).context("path", file.path)?;
            if !self.paths.insert(file.path.to_owned()) {
                return Err(
                    Error::invalid_data("the server planned a data file twice").with("path", file.path)
                );
            }
            if self.needs_row_ids && file.first_row_id.is_none() {
                return Err(Error::unsupported(
                    "the server sent no first row id: the scan cannot return _row_id",
                )
                .with("path", file.path));
            }
            if runs.last().is_none_or(|run| run.spec_id != file.spec_id) {
                runs.push(Run::of(file.spec_id));
            }
            let Some(run) = runs.last_mut() else { continue };
            for reference in list(task, "delete-file-references")? {
                let number = deletes.number_in_plan(reference, file.path, self)?;
                run.deletes.values.push(number);
            }
            run.deletes.offsets.push(number_of(run.deletes.values.len(), "deletes of an answer")?);
            run.residuals.push(residual);
            self.count(&file);
            run.files.push(file);
        }
        for run in runs {
            let chunk = self.chunk(run)?;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    fn count(&mut self, file: &ServedFile<'_>) {
        self.explain.data_files += 1;
        self.explain.records =
            self.explain.records.saturating_add(u64::try_from(file.record_count).unwrap_or(0));
        self.explain.bytes = self.explain.bytes.saturating_add(u64::try_from(file.size).unwrap_or(0));
    }

    /// The number of a residual: of what the server left of the filter, and of what it was not sent.
    fn residual(&mut self, sent: Option<&Json>) -> Result<i32> {
        let sent = sent.filter(|sent| !sent.is_null());
        let key = sent.map(Json::to_string).unwrap_or_default();
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let residual = match sent {
            None => self.scan.filter.clone(),
            Some(sent) => {
                let left = expression_json::from_json(sent).map_err(|error| {
                    Error::invalid_data("a residual filter cannot be read").caused_by(error)
                })?;
                let whole = left.and(self.unsent.clone());
                bind(&whole, &self.scan.filter_schema, self.scan.case_sensitive).map_err(|error| {
                    Error::invalid_data("a residual filter does not fit the table").caused_by(error)
                })?
            }
        };
        let number = number_of(self.residuals.len(), "residual filters")?;
        self.residuals.push(Arc::new(residual));
        self.numbers.insert(key, number);
        Ok(number)
    }

    fn chunk(&self, run: Run<'_>) -> Result<RecordBatch> {
        let files = &run.files;
        let spec = self.specs.get(run.spec_id)?;
        let mut partition: Vec<ArrayRef> = Vec::new();
        let mut fields: Vec<ArrowField> = Vec::new();
        for (place, field) in spec.partition_type.fields.iter().enumerate() {
            let values: Vec<_> =
                files.iter().map(|file| file.partition.get(place).and_then(Option::as_ref)).collect();
            partition.push(values_to_array(&values, &field.field_type)?);
            fields.push(field_to_arrow(field)?.with_nullable(true));
        }
        let partition = if fields.is_empty() {
            StructArray::new_empty_fields(files.len(), None)
        } else {
            StructArray::try_new(fields.into(), partition, None)
                .map_err(|error| Error::internal("the partitions of served files").caused_by(error))?
        };
        let mut offsets = ListBuilder::new(Int64Builder::new()).with_field(ArrowField::new(
            "element",
            DataType::Int64,
            false,
        ));
        for file in files {
            match &file.split_offsets {
                Some(of_file) => {
                    offsets.values().append_slice(of_file);
                    offsets.append(true);
                }
                None => offsets.append(false),
            }
        }
        let longs = |of: fn(&ServedFile<'_>) -> i64| -> ArrayRef {
            Arc::new(files.iter().map(|file| Some(of(file))).collect::<Int64Array>())
        };
        let locations = files.iter().map(|file| self.scan.relocation.apply(file.path));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(files.iter().map(|file| file.path))),
            Arc::new(StringArray::from_iter_values(locations)),
            Arc::new(StringArray::from_iter_values(files.iter().map(|file| file.format.name()))),
            Arc::new(Int32Array::from_value(run.spec_id, files.len())),
            Arc::new(self.specs.unify(run.spec_id, &partition)?),
            longs(|file| file.record_count),
            longs(|file| file.size),
            longs(|_| 0),
            Arc::new(files.iter().map(|file| file.first_row_id).collect::<Int64Array>()),
            Arc::new(offsets.finish()),
            Arc::new(run.deletes.finish()?),
            Arc::new(Int32Array::from(run.residuals)),
        ];
        RecordBatch::try_new(plan_schema(&self.specs), columns).map_err(|error| {
            Error::internal("the columns of a served plan do not fit its schema").caused_by(error)
        })
    }

    fn finish(self) -> Result<Plan> {
        let kinds = self.deletes.iter().map(|delete| &delete.kind);
        let keys = kinds.filter_map(|kind| match kind {
            DeleteKind::Equality { equality_ids } => Some(equality_ids),
            DeleteKind::Position | DeleteKind::Vector { .. } => None,
        });
        let schemas = &self.scan.metadata.schemas;
        for id in keys.flatten() {
            if !schemas.iter().any(|schema| schema.field(*id).is_some()) {
                return Err(Error::invalid_data(format!(
                    "an equality delete of the server names the field id {id}, which no schema of the table has"
                )));
            }
        }
        if let Some((_, appends)) = &self.scan.appends {
            check_appends(appends, &self.explain)?;
        }
        let Self { specs, chunks, deletes, residuals, explain, .. } = self;
        Ok(Plan::new(plan_schema(&specs), specs, chunks, deletes, residuals, explain).served())
    }
}

/// Checks the files and rows of appends by the summaries of their snapshots: servers are known that add those of the snapshot
/// after which the scan begins.
fn check_appends(appends: &Appends, explain: &Explain) -> Result<()> {
    let sum = |key: &str| -> Result<u64> {
        let counts = appends.snapshots.iter().map(|snapshot| {
            snapshot.summary.get(key).and_then(|count| count.parse::<u64>().ok()).ok_or_else(|| {
                Error::unsupported(format!(
                    "the summary of a snapshot has no {key}, so that appends which a server planned cannot be checked"
                ))
                .with("snapshot", snapshot.snapshot_id)
            })
        });
        counts.sum()
    };
    let (files, rows) = (sum("added-data-files")?, sum("added-records")?);
    if (files, rows) == (explain.data_files, explain.records) {
        return Ok(());
    }
    Err(Error::invalid_data(format!(
        "expected a plan of the {files} data files with {rows} rows that the appends added, found {} with {}",
        explain.data_files, explain.records
    )))
}

fn number_of(count: usize, what: &str) -> Result<i32> {
    i32::try_from(count).map_err(|_| Error::limit(format!("a plan has more than 2^31 {what}")))
}

/// A list of an answer; empty where it is absent or null.
fn list<'a>(object: &'a Json, name: &str) -> Result<&'a [Json]> {
    match object.get(name) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(other) => Err(expected("a list", name, other)),
    }
}

fn member<'a>(object: &'a Json, name: &str) -> Result<&'a Json> {
    object.get(name).filter(|found| !found.is_null()).ok_or_else(|| {
        Error::invalid_data(format!("expected {name:?} in a task of the server, found an object without it"))
    })
}

fn expected(what: &str, name: &str, found: &Json) -> Error {
    Error::invalid_data(format!(
        "expected {what} as {name:?} in a task of the server, found {}",
        beginning(found)
    ))
}
