//! Is a table, or a view, what the specification says?

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use floeberg_core::finding::{Finding, Level, Rule};
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::OpenOptions;
use floeberg_maintain::{Check as IcebergCheck, CheckRequest, SnapshotsToCheck, iceberg_rules};
use pyo3::prelude::*;

use crate::arrow::Batches;
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

/// All rules of Iceberg tables and views.
#[pyfunction]
pub fn check_rules() -> Vec<RuleOfPython> {
    let shown = |rule: &'static Rule| {
        (rule.id, rule.level.name(), rule.severity.name(), rule.section, rule.says, rule.engines, rule.repair)
    };
    iceberg_rules().map(shown).collect()
}

/// A check, once through.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Check {
    check: Arc<Mutex<IcebergCheck>>,
    cancel: Cancel,
}

impl Check {
    fn new(check: IcebergCheck, cancel: Cancel) -> Self {
        Self { check: Arc::new(Mutex::new(check)), cancel }
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
        let storage = storage_options.into_iter().collect();
        let options = OpenOptions { relocate, storage, ..OpenOptions::default() };
        let made = runtime::call(py, || {
            let request = request(level, snapshot_id, since, all_snapshots, sample)?;
            IcebergCheck::of_location(location, &options, request, &cancel)
        })?;
        Ok(Self::new(made, cancel))
    }

    /// Of a table.
    #[staticmethod]
    #[pyo3(signature = (table, *, level, snapshot_id, since, all_snapshots, sample))]
    fn of_table(
        py: Python<'_>,
        table: &Table,
        level: &str,
        snapshot_id: Option<i64>,
        since: Option<i64>,
        all_snapshots: bool,
        sample: Option<f64>,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let made = runtime::call(py, || {
            let request = request(level, snapshot_id, since, all_snapshots, sample)?;
            IcebergCheck::of_table(&table.table, request, &cancel)
        })?;
        Ok(Self::new(made, cancel))
    }

    /// Of a view.
    #[staticmethod]
    fn of_view(py: Python<'_>, view: &View) -> PyResult<Self> {
        let cancel = Cancel::default();
        let made = runtime::call(py, || {
            IcebergCheck::of_view(&view.0, request("metadata", None, None, false, None)?, &cancel)
        })?;
        Ok(Self::new(made, cancel))
    }

    /// The next findings; empty at the end.
    fn next_findings(&self, py: Python<'_>) -> PyResult<Vec<FindingOfPython>> {
        let check = Arc::clone(&self.check);
        let found = runtime::run(py, &self.cancel, move |_| {
            let mut check = check.lock().unwrap_or_else(PoisonError::into_inner);
            check.take_some(MOST)
        })?;
        let shown = |finding: Finding| {
            (finding.rule.id, finding.location, finding.part, finding.message, finding.snapshot_id)
        };
        Ok(found.into_iter().map(shown).collect())
    }

    /// All findings that are left, as rows.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        let check = Arc::clone(&self.check);
        runtime::run(py, &self.cancel, move |_| {
            let mut check = check.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a check", "the table or the location that it checks"))
    }
}

fn request(
    level: &str,
    snapshot_id: Option<i64>,
    since: Option<i64>,
    all_snapshots: bool,
    sample: Option<f64>,
) -> Result<CheckRequest> {
    let level = Level::ALL.into_iter().find(|known| known.name() == level).ok_or_else(|| {
        let known = Level::ALL.map(Level::name);
        Error::invalid_input(format!("level: expected one of {known:?}, found {level:?}"))
    })?;
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
