//! Is a table, or a view, what the specification says?
//!
//! Which format a folder has is seen when its check begins: nothing is read before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use floeberg_core::finding::{Finding, Level, Rule};
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::OpenOptions;
use floeberg_iceberg::metadata::parse_table_metadata;
use floeberg_io::StoreOptions;
use floeberg_lance::OpenOptions as LanceOptions;
use floeberg_lance::check::{
    Check as LanceCheck, CheckRequest as LanceRequest, OpenPages, VersionsToCheck, lance_rules,
};
use floeberg_maintain::{Check as IcebergCheck, CheckRequest, SnapshotsToCheck, TaskChecks, iceberg_rules};
use pyo3::prelude::*;

use crate::arrow::Batches;
use crate::lance::pages::PythonPages;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;
use crate::table::table::Table;
use crate::table::view::View;

/// The most findings of a batch.
const MOST: usize = 4096;

/// A rule: its name, level, severity, section, text, engines and repair.
type RuleOfPython = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
);

/// A finding: the name of its rule, location, part, message and snapshot.
pub(super) type FindingOfPython = (&'static str, String, String, String, Option<i64>);

/// All rules: those of Iceberg tables and views, and those of Lance tables, in this order.
#[pyfunction]
pub fn check_rules() -> (Vec<RuleOfPython>, Vec<RuleOfPython>) {
    let shown = |rule: &'static Rule| {
        (rule.id, rule.level.name(), rule.severity.name(), rule.section, rule.says, rule.engines, rule.repair)
    };
    (iceberg_rules().map(shown).collect(), lance_rules().map(shown).collect())
}

/// A check, once through.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Check {
    running: Arc<Mutex<Running>>,
    /// Are rows of Lance tables decoded by Python?
    asks: bool,
    cancel: Cancel,
}

impl Check {
    fn new(check: Running, asks: bool, cancel: Cancel) -> Self {
        Self { running: Arc::new(Mutex::new(check)), asks, cancel }
    }

    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Running) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let running = Arc::clone(&self.running);
        let work = move |_: &Cancel| work(&mut running.lock().unwrap_or_else(PoisonError::into_inner));
        if self.asks { runtime::asking(py, &self.cancel, work) } else { runtime::run(py, &self.cancel, work) }
    }
}

/// A check of a format.
enum Running {
    /// Of a folder that is one of a Lance table, or not.
    Either(Box<IcebergCheck>, Box<LanceCheck>),
    Iceberg(Box<IcebergCheck>),
    Lance(Box<LanceCheck>),
    /// Nothing is found any more.
    Ended,
}

impl Running {
    fn take_some(&mut self, most: usize) -> Result<Vec<Finding>> {
        match self {
            Self::Either(..) => {
                if let Self::Either(iceberg, lance) = std::mem::replace(self, Self::Ended) {
                    *self = if lance.is_lance()? { Self::Lance(lance) } else { Self::Iceberg(iceberg) };
                }
                self.take_some(most)
            }
            Self::Iceberg(check) => check.take_some(most),
            Self::Lance(check) => check.take_some(most),
            Self::Ended => Ok(Vec::new()),
        }
    }
}

#[pymethods]
impl Check {
    /// Of a metadata file, or of the folder of a table or a view. Nothing is read yet.
    #[staticmethod]
    #[pyo3(signature = (location, *, relocate, storage_options, level, snapshot_id, since, all_snapshots, sample))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn of_location(
        py: Python<'_>,
        location: &str,
        relocate: Vec<(String, String)>,
        storage_options: BTreeMap<String, String>,
        level: &str,
        snapshot_id: Option<i64>,
        since: Option<i64>,
        all_snapshots: bool,
        sample: Option<f64>,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let storage: StoreOptions = storage_options.into_iter().collect();
        let made = runtime::call(py, || {
            let asked = request(level, snapshot_id, since, all_snapshots, sample)?;
            let of_lance = lance_request(&asked);
            let options = OpenOptions {
                relocate: relocate.clone(),
                storage: storage.clone(),
                ..OpenOptions::default()
            };
            let iceberg = IcebergCheck::of_location(location, &options, asked, &cancel)?;
            let options = LanceOptions { relocate, storage: storage.clone(), ..LanceOptions::default() };
            let lance = LanceCheck::of_location(location, &options, of_lance, open_pages(storage), &cancel)?;
            let asks = lance.reads_rows();
            Ok((Running::Either(Box::new(iceberg), Box::new(lance)), asks))
        })?;
        Ok(Self::new(made.0, made.1, cancel))
    }

    /// Of a table.
    #[staticmethod]
    #[pyo3(signature = (table, *, level, snapshot_id, since, all_snapshots, sample, leaves_files=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn of_table(
        py: Python<'_>,
        table: &Table,
        level: &str,
        snapshot_id: Option<i64>,
        since: Option<i64>,
        all_snapshots: bool,
        sample: Option<f64>,
        leaves_files: bool,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let made = runtime::call(py, || {
            let request = request(level, snapshot_id, since, all_snapshots, sample)?;
            let made = IcebergCheck::of_table(&table.table, request, &cancel)?;
            Ok(if leaves_files { made.leaving_files() } else { made })
        })?;
        Ok(Self::new(Running::Iceberg(Box::new(made)), false, cancel))
    }

    /// Of the branch of a Lance table, at the version that is open where no other one is given.
    #[staticmethod]
    #[pyo3(signature = (table, *, level, version, since, all_versions, sample))]
    fn of_lance_table(
        py: Python<'_>,
        table: &LanceTable,
        level: &str,
        version: Option<u64>,
        since: Option<u64>,
        all_versions: bool,
        sample: Option<f64>,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let made = runtime::call(py, || {
            let level = level_of(level)?;
            let last = version.unwrap_or(table.0.version());
            let versions = match (version, since, all_versions) {
                (_, None, false) => VersionsToCheck::One(last),
                (_, Some(since), false) => VersionsToCheck::Since(Some(last), since),
                (None, None, true) => VersionsToCheck::All,
                _ => {
                    let message = "all_versions: expected neither version nor since beside it";
                    return Err(Error::invalid_input(message));
                }
            };
            let request = LanceRequest { level, versions, sample };
            let pages = open_pages(table.0.options().storage.clone());
            LanceCheck::of_table(&table.0, request, pages, &cancel)
        })?;
        let asks = made.reads_rows();
        Ok(Self::new(Running::Lance(Box::new(made)), asks, cancel))
    }

    /// Of a view.
    #[staticmethod]
    fn of_view(py: Python<'_>, view: &View) -> PyResult<Self> {
        let cancel = Cancel::default();
        let made = runtime::call(py, || {
            IcebergCheck::of_view(&view.0, request("metadata", None, None, false, None)?, &cancel)
        })?;
        Ok(Self::new(Running::Iceberg(Box::new(made)), false, cancel))
    }

    /// The next findings; empty at the end.
    fn next_findings(&self, py: Python<'_>) -> PyResult<Vec<FindingOfPython>> {
        let found = self.work(py, |check| check.take_some(MOST))?;
        let shown = |finding: Finding| {
            (finding.rule.id, finding.location, finding.part, finding.message, finding.snapshot_id)
        };
        Ok(found.into_iter().map(shown).collect())
    }

    /// All findings that are left, as rows.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        self.work(py, |check| {
            let schema = schema();
            let mut rows = Vec::new();
            loop {
                let found = check.take_some(MOST)?;
                if found.is_empty() {
                    return Ok(Batches { schema, rows });
                }
                rows.push(batch(&schema, &found)?);
            }
        })
    }

    /// The metadata as JSON text, and tasks that check the files that were left; `None` where there are none.
    fn file_tasks(&self, py: Python<'_>, most_tasks: usize) -> PyResult<Option<(String, Vec<String>)>> {
        self.work(py, move |check| {
            let Running::Iceberg(check) = check else { return Ok(None) };
            let Some((metadata, tasks)) = check.file_tasks(most_tasks)? else { return Ok(None) };
            Ok(Some((metadata.to_text()?, tasks)))
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a check", "the table or the location that it checks"))
    }
}

/// The findings of a task of a check, in the store of a table.
#[pyfunction]
#[pyo3(signature = (table, task, *, metadata, level, threads))]
pub fn check_files(
    py: Python<'_>,
    table: &Table,
    task: String,
    metadata: String,
    level: &str,
    threads: usize,
) -> PyResult<Batches> {
    let (table, level) = (table.table.clone(), runtime::call(py, || level_of(level))?);
    runtime::run(py, &Cancel::default(), move |cancel| {
        let metadata = parse_table_metadata(metadata.as_bytes(), table.metadata_location())?;
        let (store, relocation) = (Arc::clone(table.store()), table.relocation().as_ref().clone());
        let found = TaskChecks::new(metadata, store, relocation, level, cancel)?.run(&task, threads)?;
        let schema = schema();
        let rows = found.chunks(MOST).map(|some| batch(&schema, some)).collect::<Result<_>>()?;
        Ok(Batches { schema, rows })
    })
}

fn request(
    level: &str,
    snapshot_id: Option<i64>,
    since: Option<i64>,
    all_snapshots: bool,
    sample: Option<f64>,
) -> Result<CheckRequest> {
    let level = level_of(level)?;
    let snapshots = match (snapshot_id, since, all_snapshots) {
        (None, None, false) => SnapshotsToCheck::Current,
        (Some(id), None, false) => SnapshotsToCheck::One(id),
        (newest, Some(since), false) => SnapshotsToCheck::Since(newest, since),
        (None, None, true) => SnapshotsToCheck::All,
        _ => {
            let message = "all_snapshots: expected neither snapshot_id nor since beside it";
            return Err(Error::invalid_input(message));
        }
    };
    Ok(CheckRequest { level, snapshots, sample })
}

fn level_of(level: &str) -> Result<Level> {
    Level::ALL.into_iter().find(|known| known.name() == level).ok_or_else(|| {
        let known = Level::ALL.map(Level::name);
        Error::invalid_input(format!("level: expected one of {known:?}, found {level:?}"))
    })
}

/// What is asked of a folder, for a Lance table: its versions are its snapshots.
fn lance_request(request: &CheckRequest) -> LanceRequest {
    // No version has a number below 0; the highest number is that of none.
    let number = |id: i64| u64::try_from(id).unwrap_or(u64::MAX >> 1);
    let versions = match request.snapshots {
        SnapshotsToCheck::Current => VersionsToCheck::Newest,
        SnapshotsToCheck::One(id) => VersionsToCheck::One(number(id)),
        SnapshotsToCheck::Since(last, since) => VersionsToCheck::Since(last.map(number), number(since)),
        SnapshotsToCheck::All => VersionsToCheck::All,
    };
    LanceRequest { level: request.level, versions, sample: request.sample }
}

fn open_pages(storage: StoreOptions) -> OpenPages {
    Box::new(move || PythonPages::of_damaged(&storage))
}

fn schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let optional = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut fields: Vec<_> =
        ["rule", "level", "severity", "section", "location", "part", "message"].map(text).into();
    fields.push(Field::new("snapshot_id", DataType::Int64, true));
    fields.extend([optional("engines"), optional("repair")]);
    Arc::new(Schema::new(fields))
}

fn batch(schema: &SchemaRef, found: &[Finding]) -> Result<RecordBatch> {
    let text = |of: fn(&Finding) -> &str| -> ArrayRef {
        Arc::new(found.iter().map(|finding| Some(of(finding))).collect::<StringArray>())
    };
    let optional = |of: fn(&Finding) -> Option<&str>| -> ArrayRef {
        Arc::new(found.iter().map(of).collect::<StringArray>())
    };
    let snapshots: ArrayRef =
        Arc::new(found.iter().map(|finding| finding.snapshot_id).collect::<Int64Array>());
    let columns = vec![
        text(|finding| finding.rule.id),
        text(|finding| finding.rule.level.name()),
        text(|finding| finding.rule.severity.name()),
        text(|finding| finding.rule.section),
        text(|finding| &finding.location),
        text(|finding| &finding.part),
        text(|finding| &finding.message),
        snapshots,
        optional(|finding| finding.rule.engines),
        optional(|finding| finding.rule.repair),
    ];
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|error| Error::internal("a batch of findings").caused_by(error))
}
