//! What does a difference of two tables ask of them, of whichever format each is?
//!
//! Invariant: the columns are valid: mistakes were raised when it was made.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::Scan as IcebergScan;
use floeberg_lance::diff::all_files;
use floeberg_lance::{Scan as LanceTableScan, ScanRows};
use floeberg_maintain::TableDiff as Diff;
use floeberg_rows::{TableRows, TwoTables as Compared, differing_columns, files_alone};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batch, schema_capsule};
use crate::error::to_exception;
use crate::lance::pages::PythonPages;
use crate::lance::rows::LanceRows;
use crate::lance::scan::LanceScan;
use crate::pickle::refuse;
use crate::runtime;
use crate::scan::scan::Scan;

/// Rows that were inserted, deleted and updated, and how often each column was.
type Counts = (u64, u64, u64, BTreeMap<String, u64>);

/// What decodes the pages of each table; `None` for an Iceberg table.
type BothPages<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// The rows of a table.
#[derive(Debug, Clone)]
enum Rows {
    Iceberg(IcebergScan),
    Lance(LanceTableScan),
}

impl Rows {
    fn of(scan: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(scan) = scan.cast::<LanceScan>() {
            return Ok(Self::Lance(scan.get().inner().clone()));
        }
        Ok(Self::Iceberg(scan.cast::<Scan>()?.get().inner().clone()))
    }

    fn schema(&self) -> Result<arrow_schema::SchemaRef> {
        match self {
            Self::Iceberg(scan) => TableRows::schema(scan),
            Self::Lance(scan) => Ok(Arc::clone(scan.request()?.schema())),
        }
    }

    /// All files, as those of a difference that were added.
    fn files(&self, cancel: &Cancel) -> Result<RecordBatch> {
        match self {
            Self::Iceberg(scan) => {
                let all = IcebergScan::new(scan.table().clone()).at(scan.snapshot_choice().clone());
                Diff::new(all, None, None)?.files(cancel)
            }
            Self::Lance(scan) => all_files(scan.table()),
        }
    }

    fn open(&self, py: Python<'_>, pages: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn TableRows>> {
        match (self, pages) {
            (Self::Iceberg(scan), _) => Ok(Arc::new(scan.clone())),
            (Self::Lance(scan), Some(pages)) => {
                Ok(Arc::new(ScanRows::new(scan.clone(), PythonPages::of(pages))))
            }
            (Self::Lance(_), None) => {
                Err(to_exception(py, &Error::internal("nothing decodes the pages of a Lance table")))
            }
        }
    }
}

/// What differs between two tables.
#[pyclass(frozen, module = "floeberg._native")]
pub struct TwoTables {
    before: Rows,
    after: Rows,
    compared: Compared,
    columns: Vec<(String, &'static str)>,
}

#[pymethods]
impl TwoTables {
    /// Between the rows of two scans of all columns.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        before: &Bound<'_, PyAny>,
        after: &Bound<'_, PyAny>,
        selected_fields: Vec<String>,
        key: Option<Vec<String>>,
        own_key: Vec<String>,
    ) -> PyResult<Self> {
        let (before, after) = (Rows::of(before)?, Rows::of(after)?);
        runtime::call(py, move || {
            let (old, new) = (before.schema()?, after.schema()?);
            let compared = Compared::new(&old, &new, &selected_fields, key, own_key)?;
            Ok(Self { before, after, compared, columns: differing_columns(&old, &new) })
        })
    }

    /// How many rows differ.
    fn counts(&self, py: Python<'_>, pages: BothPages<'_>) -> PyResult<Counts> {
        let before = self.before.open(py, pages.0.as_ref())?;
        let after = self.after.open(py, pages.1.as_ref())?;
        let compared = self.compared.clone();
        let counts =
            runtime::asking(py, &Cancel::default(), move |cancel| compared.counts(before, after, cancel))?;
        Ok((counts.inserted, counts.deleted, counts.updated, counts.changed_columns))
    }

    /// Begins to read the rows that differ.
    fn rows(&self, py: Python<'_>, pages: BothPages<'_>) -> PyResult<LanceRows> {
        let before = self.before.open(py, pages.0.as_ref())?;
        let after = self.after.open(py, pages.1.as_ref())?;
        let mut stream = self.compared.stream(before, after);
        Ok(LanceRows::new(move |cancel| stream.next_batch(cancel)))
    }

    /// The files that one of two tables of one format has alone.
    fn files(&self, py: Python<'_>) -> PyResult<Batch> {
        let (before, after) = (self.before.clone(), self.after.clone());
        let found = move |cancel: &Cancel| files_alone(&before.files(cancel)?, &after.files(cancel)?);
        runtime::run(py, &Cancel::default(), found).map(Batch)
    }

    /// The columns that differ by their names, and how.
    fn columns(&self) -> Vec<(String, &'static str)> {
        self.columns.clone()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.compared.schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a difference of tables", "the TwoTablesDiff"))
    }
}
