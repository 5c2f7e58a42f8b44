//! What does `floeberg.Scan` ask of a scan?
//!
//! Invariant: its names, literals and snapshot are valid: mistakes were raised when it was made.

use std::fmt::Write as _;

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::transform::Transform;
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::aggregate::Extreme;
use floeberg_iceberg::metadata::{MAIN_BRANCH, PartitionSpec, RefKind};
use floeberg_iceberg::{AppendsAfter, Scan as IcebergScan, SnapshotChoice};
use floeberg_io::location;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};

use crate::arrow::{ArrowSchema, Batches};
use crate::recipe::{scan_from_bytes, scan_to_bytes};
use crate::runtime;
use crate::scan::aggregate::describe_metrics;
use crate::scan::analyze::analyze;
use crate::scan::engine_schema::{EngineSchema, arrow_schema};
use crate::scan::explain::explain_with_names;
use crate::scan::plan::Plan;
use crate::scan::planner::planned;
use crate::scan::rows;
use crate::scan::stream::BatchReader;
use crate::values::expression::{Tree, unbind, value_to_python};
use crate::values::snapshots::snapshots;

/// How many characters of a filter a repr shows.
const MOST_SHOWN: usize = 1000;

/// The id of a table, and a branch of it at a snapshot.
type BranchRead = (Option<String>, String, Option<i64>);

/// Rows and columns of one snapshot.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Scan(IcebergScan);

impl Scan {
    /// A scan whose names, literals and snapshot are right.
    pub fn checked(py: Python<'_>, scan: IcebergScan) -> PyResult<Self> {
        runtime::call(py, || {
            scan.bound_filter()?;
            scan.projection()?;
            scan.appends()?;
            Ok(())
        })?;
        Ok(Self(scan))
    }

    /// A scan that was checked before.
    pub fn of(scan: IcebergScan) -> Self {
        Self(scan)
    }

    /// The scan.
    pub fn inner(&self) -> &IcebergScan {
        &self.0
    }
}

#[pymethods]
impl Scan {
    fn filter(&self, py: Python<'_>, row_filter: Tree) -> PyResult<Self> {
        Self::checked(py, self.0.clone().filter(row_filter.0))
    }

    /// The filter, with literals of the columns' types.
    fn row_filter(&self, py: Python<'_>) -> PyResult<Tree> {
        runtime::call(py, || self.0.bound_filter()).map(|filter| Tree(unbind(&filter)))
    }

    /// For each partition spec the fields that its files are partitioned by as they are.
    fn identity_sources(&self) -> Vec<(i32, Vec<i32>)> {
        let specs = self.0.table().metadata().partition_specs.iter();
        let sources = |spec: &PartitionSpec| {
            let identities = spec.fields.iter().filter(|field| field.transform == Transform::Identity);
            identities.flat_map(|field| field.source_ids.iter().copied()).collect()
        };
        specs.map(|spec| (spec.spec_id, sources(spec))).collect()
    }

    /// The location of the table, as its metadata says it.
    #[getter]
    fn table_location(&self) -> &str {
        &self.0.table().metadata().location
    }

    /// The names of the options of stores that the table was opened with, which no other reader has.
    #[getter]
    fn storage_option_names(&self) -> Vec<String> {
        self.0.table().options().storage.iter().map(|(name, _)| name.to_owned()).collect()
    }

    fn select(&self, py: Python<'_>, field_names: Vec<String>) -> PyResult<Self> {
        Self::checked(py, self.0.clone().select(field_names))
    }

    fn use_ref(&self, py: Python<'_>, name: String) -> PyResult<Self> {
        Self::checked(py, self.0.clone().at(SnapshotChoice::Ref(name)))
    }

    /// Reads a snapshot with the table's current schema.
    fn in_current_schema(&self, py: Python<'_>, snapshot_id: i64) -> PyResult<Self> {
        Self::checked(py, self.0.clone().at(SnapshotChoice::InCurrentSchema(snapshot_id)))
    }

    /// The snapshot that was current at a time; where a branch is audited, the one that this branch had.
    fn as_of(&self, py: Python<'_>, timestamp_ms: i64) -> PyResult<Self> {
        let choice = match self.0.snapshot_choice() {
            SnapshotChoice::Audit(branch) => {
                let metadata = self.0.table().metadata();
                let found = runtime::call(py, || metadata.snapshot_of_branch_as_of(branch, timestamp_ms))?;
                SnapshotChoice::Id(found.snapshot_id)
            }
            _ => SnapshotChoice::AsOf(timestamp_ms),
        };
        Self::checked(py, self.0.clone().at(choice))
    }

    /// Does it read only what appends added?
    #[getter]
    fn is_incremental(&self) -> bool {
        self.0.appends_choice().is_some()
    }

    /// Was a snapshot chosen?
    #[getter]
    fn is_pinned(&self) -> bool {
        self.0.snapshot_choice().is_chosen()
    }

    /// The table's id, the branch and its snapshot that are read; `None` where no branch is: a snapshot was chosen.
    fn branch_read(&self, py: Python<'_>) -> PyResult<Option<BranchRead>> {
        let metadata = self.0.table().metadata();
        let branch = match self.0.snapshot_choice() {
            SnapshotChoice::Current => MAIN_BRANCH,
            SnapshotChoice::Audit(name) => name,
            SnapshotChoice::Ref(name)
                if metadata.refs.get(name).is_some_and(|named| named.kind == RefKind::Branch) =>
            {
                name
            }
            _ => return Ok(None),
        };
        Ok(Some((metadata.table_uuid.clone(), branch.to_owned(), self.snapshot_id(py)?)))
    }

    /// At most this many rows.
    #[getter]
    fn limit(&self) -> Option<u64> {
        self.0.row_limit()
    }

    fn with_case_sensitive(&self, py: Python<'_>, case_sensitive: bool) -> PyResult<Self> {
        Self::checked(py, self.0.clone().case_sensitive(case_sensitive))
    }

    /// The metadata of the table, as JSON.
    fn metadata_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || self.0.table().metadata().to_text())
    }

    /// As `Table.snapshots` has them.
    fn snapshots<'py>(
        &self,
        py: Python<'py>,
        summary_class: &Bound<'py, PyAny>,
        snapshot_id: i64,
    ) -> PyResult<Bound<'py, PyList>> {
        snapshots(py, self.0.table().metadata(), summary_class, Some(snapshot_id))
    }

    #[getter]
    fn snapshot_id(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        runtime::call(py, || Ok(self.0.snapshot()?.map(|snapshot| snapshot.snapshot_id)))
    }

    /// The schema that names are looked up in, as JSON text.
    fn schema_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || schema_text(&*self.0.schema()?))
    }

    /// The columns of the result, as the JSON text of a schema.
    fn projection_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || schema_text(&*self.0.projection()?))
    }

    /// The error of a column that has no such engine, if there is one. Nothing is read.
    fn check_engine(&self, py: Python<'_>, engine: &str) -> PyResult<()> {
        runtime::call(py, || EngineSchema::named(Some(engine), &*self.0.projection()?).map(drop))
    }

    /// The Arrow schema of the rows for an engine.
    #[pyo3(signature = (engine=None))]
    fn arrow_schema(&self, py: Python<'_>, engine: Option<&str>) -> PyResult<ArrowSchema> {
        let projected = runtime::call(py, || self.0.projection())?;
        arrow_schema(py, &projected, engine)
    }

    /// Is the table encrypted, with a service that unwraps its keys?
    #[getter]
    fn is_encrypted(&self) -> bool {
        self.0.table().options().storage.keys().is_some()
    }

    /// Does the server of a catalog demand to plan the scan?
    #[getter]
    fn is_planned_by_server(&self) -> bool {
        self.0.table().options().planner.is_some()
    }

    /// Begins to plan.
    fn plan(&self, py: Python<'_>) -> PyResult<Plan> {
        Plan::begin(py, &planned(py, &self.0)?)
    }

    /// Reads all rows and drops them: the fields of `floeberg.scan.analysis.PlanningAnalysis` and of `ReadingAnalysis`.
    fn analyze<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        analyze(py, &planned(py, &self.0)?)
    }

    /// The account of planning with the names of files: the fields of `floeberg.scan.explain.Explain`.
    fn explain_with_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        explain_with_names(py, &planned(py, &self.0)?)
    }

    /// The number of rows, and how it was found.
    fn count<'py>(&self, py: Python<'py>) -> PyResult<(u64, Bound<'py, PyDict>)> {
        let scan = planned(py, &self.0)?;
        let counted = runtime::run(py, &Cancel::default(), move |cancel| scan.count(cancel))?;
        Ok((counted.value, describe_metrics(py, &counted.metrics)?))
    }

    /// The smallest or the largest value of a column as a literal, and how it was found.
    fn extreme<'py>(
        &self,
        py: Python<'py>,
        column: String,
        largest: bool,
    ) -> PyResult<(Option<Bound<'py, PyTuple>>, Bound<'py, PyDict>)> {
        let scan = planned(py, &self.0)?;
        let which = if largest { Extreme::Largest } else { Extreme::Smallest };
        let work = move |cancel: &Cancel| scan.extreme(&column, which, cancel);
        let found = runtime::run(py, &Cancel::default(), work)?;
        let value = found.value.as_ref().map(|value| value_to_python(py, value)).transpose()?;
        Ok((value, describe_metrics(py, &found.metrics)?))
    }

    /// All rows.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        rows::read_all(py, &planned(py, &self.0)?)
    }

    /// The rows, batch by batch.
    fn stream(&self, py: Python<'_>) -> PyResult<BatchReader> {
        rows::read_batches(py, &planned(py, &self.0)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        rows::output_capsule(py, &self.0)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        rows::rows_capsule(py, &planned(py, &self.0)?)
    }

    fn __repr__(&self) -> String {
        let scan = &self.0;
        let mut text = format!("Scan({:?}", location::shown(scan.table().metadata_location()));
        let filter = scan.row_filter().to_string();
        let shown = match filter.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => format!("{}...", &filter[..end]),
            None => filter,
        };
        let _infallible = write!(text, ", row_filter={shown:?}");
        if let Some(names) = scan.selected_fields() {
            let _infallible = write!(text, ", selected_fields={names:?}");
        }
        if let Some(AppendsAfter(after)) = scan.appends_choice() {
            let after = after.map_or_else(|| "None".to_owned(), |id| id.to_string());
            let _infallible = write!(text, ", from_snapshot_id_exclusive={after}");
        }
        describe_choice(&mut text, scan.snapshot_choice());
        if let Some(limit) = scan.row_limit() {
            let _infallible = write!(text, ", limit={limit}");
        }
        text + ")"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, scan) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || scan_to_bytes(scan))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Opens what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        let work = move |_: &Cancel| scan_from_bytes(&recipe);
        runtime::run(py, &Cancel::default(), work).map(Self)
    }
}

fn schema_text(schema: &Schema) -> Result<String> {
    Ok(schema_to_json(schema)?.to_string())
}

/// Adds the choice of a snapshot to a repr, as the keyword that makes it.
pub fn describe_choice(text: &mut String, choice: &SnapshotChoice) {
    let _infallible = match choice {
        SnapshotChoice::Current => Ok(()),
        SnapshotChoice::Id(id) | SnapshotChoice::InCurrentSchema(id) => write!(text, ", snapshot_id={id}"),
        SnapshotChoice::Ref(name) | SnapshotChoice::Audit(name) => write!(text, ", ref={name:?}"),
        SnapshotChoice::AsOf(moment) => write!(text, ", as_of={moment}"),
    };
}
