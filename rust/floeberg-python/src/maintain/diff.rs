//! What does `floeberg.TableDiff` ask of two snapshots?
//!
//! Invariant: the snapshots and the columns are valid: mistakes were raised when it was made.

use std::collections::BTreeMap;

use arrow_schema::Schema;
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::DifferenceStream;
use floeberg_maintain::TableDiff as Diff;
use floeberg_rows::RowCounts;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow::{Batch, Batches};
use crate::runtime;
use crate::scan::rows::{self, Rows};
use crate::scan::scan::Scan;
use crate::scan::stream::BatchReader;

/// What differs between two snapshots.
#[pyclass(frozen, module = "floeberg._native")]
pub struct TableDiff(Diff);

/// Rows that were inserted, deleted and updated, and how often each column was.
pub(super) type Counts = (u64, u64, u64, BTreeMap<String, u64>);

/// What `TableDiff.tasks` gives.
type Tasks<'py> = (Vec<Bound<'py, PyBytes>>, Bound<'py, PyBytes>, bool, u64, Option<Counts>);

pub(super) fn counted(counts: RowCounts) -> Counts {
    (counts.inserted, counts.deleted, counts.updated, counts.changed_columns)
}

/// The arguments of `TableDiff.of`.
type Arguments = (Scan, Option<i64>, Option<Vec<String>>);

impl Rows for Diff {
    type Stream = DifferenceStream;

    fn output(&self) -> Result<Schema> {
        self.output_schema()
    }

    fn open(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        self.stream(cancel)
    }
}

#[pymethods]
impl TableDiff {
    /// Between a snapshot and that of a scan.
    #[staticmethod]
    fn of(py: Python<'_>, scan: &Scan, start: Option<i64>, key: Option<Vec<String>>) -> PyResult<Self> {
        let scan = scan.inner().clone();
        runtime::call(py, || Diff::new(scan, start, key)).map(Self)
    }

    /// The scan of the second snapshot.
    fn scan(&self) -> Scan {
        Scan::of(self.0.difference().scan().clone())
    }

    /// The same in the schema in which rows are compared.
    fn compared(&self) -> Scan {
        Scan::of(self.0.difference().compared().clone())
    }

    /// The first snapshot.
    #[getter]
    fn start(&self) -> Option<i64> {
        self.0.difference().start()
    }

    /// The columns of the key, as they were named.
    #[getter]
    fn key(&self) -> Option<Vec<String>> {
        self.0.difference().key().map(<[String]>::to_vec)
    }

    /// What proves that no row differs.
    fn proof(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let diff = self.0.clone();
        let found = runtime::run(py, &Cancel::default(), move |cancel| diff.proof(cancel))?;
        Ok(found.map(floeberg_maintain::Proof::name))
    }

    /// How many rows differ.
    fn counts(&self, py: Python<'_>) -> PyResult<Counts> {
        let diff = self.0.clone();
        let counts = runtime::run(py, &Cancel::default(), move |cancel| diff.counts(cancel))?;
        Ok(counted(counts))
    }

    /// Tasks that find the rows that differ, the columns, whether rows are matched, the bytes of files, and the counts if they are known;
    /// `None` where the history proves that no row differs.
    fn tasks<'py>(&self, py: Python<'py>, most_tasks: usize) -> PyResult<Option<Tasks<'py>>> {
        let diff = self.0.clone();
        let found = runtime::run(py, &Cancel::default(), move |cancel| diff.tasks(most_tasks, cancel))?;
        Ok(found.map(|found| {
            let tasks = found.tasks.iter().map(|task| PyBytes::new(py, task)).collect();
            let columns = PyBytes::new(py, &found.columns);
            (tasks, columns, found.is_matched, found.bytes, found.counts.map(counted))
        }))
    }

    /// The files that differ.
    fn files(&self, py: Python<'_>) -> PyResult<Batch> {
        let diff = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| diff.files(cancel)).map(Batch)
    }

    /// How many rows of each partition differ at most.
    fn preview(&self, py: Python<'_>) -> PyResult<Batch> {
        let diff = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| diff.preview(cancel)).map(Batch)
    }

    /// The metadata with which a snapshot was committed, as canonical JSON text.
    fn metadata_then(&self, py: Python<'_>, snapshot_id: i64) -> PyResult<Option<String>> {
        let diff = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| {
            let metadata = diff.metadata_then(snapshot_id, cancel)?;
            metadata.map(|metadata| metadata.to_text()).transpose()
        })
    }

    /// The metadata of the table as it is, as canonical JSON text.
    fn metadata_now(&self, py: Python<'_>) -> PyResult<String> {
        let table = self.0.difference().scan().table();
        runtime::call(py, || table.metadata().to_text())
    }

    /// All rows that differ.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        rows::read_all(py, &self.0)
    }

    /// The rows that differ, batch by batch.
    fn stream(&self, py: Python<'_>) -> PyResult<BatchReader> {
        rows::read_batches(py, &self.0)
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

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Arguments)> {
        let diff = slf.get();
        Ok((slf.get_type().getattr("of")?, (diff.scan(), diff.start(), diff.key())))
    }
}
