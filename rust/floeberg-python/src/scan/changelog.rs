//! What does `floeberg.ChangelogScan` ask of a changelog?
//!
//! Invariant: its range and its columns are valid: mistakes were raised when it was made.

use arrow_schema::Schema;
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::{ChangelogScan as IcebergChangelog, ChangelogStream};
use floeberg_io::location;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batch, Batches};
use crate::runtime;
use crate::scan::engine_schema::EngineSchema;
use crate::scan::plan::Plan;
use crate::scan::rows::{self, Rows};
use crate::scan::scan::Scan;
use crate::scan::stream::BatchReader;

/// What rows a range of snapshots changed.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ChangelogScan(IcebergChangelog);

/// The arguments of `ChangelogScan.of`.
type Arguments = (Scan, Option<i64>, Option<Vec<String>>, bool, Option<i32>, bool);

impl Rows for IcebergChangelog {
    type Stream = ChangelogStream;

    fn output(&self) -> Result<Schema> {
        self.output_schema()
    }

    fn open(&self, cancel: &Cancel) -> Result<ChangelogStream> {
        self.stream(cancel)
    }
}

#[pymethods]
impl ChangelogScan {
    /// The changes after a snapshot, up to that of a scan; with `only`, those of one snapshot.
    #[staticmethod]
    #[pyo3(signature = (scan, start, identifier_columns, net, only=None, updates=true))]
    fn of(
        py: Python<'_>,
        scan: &Scan,
        start: Option<i64>,
        identifier_columns: Option<Vec<String>>,
        net: bool,
        only: Option<i32>,
        updates: bool,
    ) -> PyResult<Self> {
        let scan = scan.inner().clone();
        let all = runtime::call(py, || IcebergChangelog::new(scan, start, identifier_columns, net))?;
        let all = if updates { all } else { all.without_updates() };
        Ok(Self(match only {
            None => all,
            Some(ordinal) => all.only(ordinal),
        }))
    }

    /// The snapshots whose changes are read: the ordinal and the id of each, and whether it only added rows.
    fn snapshots(&self, py: Python<'_>) -> PyResult<Vec<(i32, i64, bool)>> {
        let found = runtime::call(py, || self.0.snapshots())?;
        Ok(found.iter().map(|each| (each.ordinal, each.snapshot_id, each.is_append)).collect())
    }

    /// The changes of one snapshot.
    fn only(&self, ordinal: i32) -> Self {
        Self(self.0.clone().only(ordinal))
    }

    /// Deletes and inserts alone.
    fn without_updates(&self) -> Self {
        Self(self.0.clone().without_updates())
    }

    /// Are updates distinguished from deletes and inserts?
    #[getter]
    fn has_updates(&self) -> bool {
        self.0.has_updates()
    }

    /// The files that an append added.
    fn appended(&self, py: Python<'_>, ordinal: i32) -> PyResult<Option<Plan>> {
        let changelog = self.0.clone();
        let plan = runtime::run(py, &Cancel::default(), move |cancel| changelog.appended(ordinal, cancel))?;
        Ok(plan.map(|plan| Plan::of(self.0.scan(), plan)))
    }

    /// The columns that identify a row, as they were named.
    #[getter]
    fn identifier_columns(&self) -> Option<Vec<String>> {
        self.0.identifier_columns().map(<[String]>::to_vec)
    }

    /// Are only the changes between the two ends read?
    #[getter]
    fn is_net(&self) -> bool {
        self.0.is_net()
    }

    /// The scan of the end.
    fn scan(&self) -> Scan {
        Scan::of(self.0.scan().clone())
    }

    /// The snapshot after which changes are read.
    #[getter]
    fn start(&self) -> Option<i64> {
        self.0.start()
    }

    /// The files with changed rows.
    fn plan(&self, py: Python<'_>) -> PyResult<Batch> {
        let changelog = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| changelog.plan(cancel)).map(Batch)
    }

    /// All changes.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        rows::read_all(py, &self.0)
    }

    /// The changes, batch by batch, in an engine.
    #[pyo3(signature = (engine=None))]
    fn stream(&self, py: Python<'_>, engine: Option<&str>) -> PyResult<BatchReader> {
        let (changelog, engine) =
            (self.0.clone(), runtime::call(py, || EngineSchema::named(engine, &self.0.projection()?))?);
        BatchReader::open(py, engine, move |cancel| changelog.stream(cancel))
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
        rows::rows_capsule(py, &self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let scan = self.0.scan();
        let end = runtime::call(py, || scan.snapshot())?;
        let shown = |id: Option<i64>| id.map_or_else(|| "None".to_owned(), |id| id.to_string());
        Ok(format!(
            "ChangelogScan({:?}, from_snapshot_id_exclusive={}, to_snapshot_id_inclusive={}, net={})",
            location::shown(scan.table().metadata_location()),
            shown(self.0.start()),
            shown(end.map(|end| end.snapshot_id)),
            if self.0.is_net() { "True" } else { "False" },
        ))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Arguments)> {
        let changelog = &slf.get().0;
        let columns = changelog.identifier_columns().map(<[String]>::to_vec);
        let scan = Scan::of(changelog.scan().clone());
        let (start, net, only) = (changelog.start(), changelog.is_net(), changelog.only_ordinal());
        let arguments = (scan, start, columns, net, only, changelog.has_updates());
        Ok((slf.get_type().getattr("of")?, arguments))
    }
}
