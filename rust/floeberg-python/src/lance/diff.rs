//! What does `floeberg.lance.LanceTableDiff` ask of two versions?

use std::collections::BTreeMap;

use floeberg_core::Cancel;
use floeberg_core::expr::Expr;
use floeberg_lance::diff::{FieldParts, Proof, TableDiff};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batch, schema_capsule};
use crate::lance::pages::PythonPages;
use crate::lance::rows::LanceRows;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;
use crate::values::expression::Tree;

/// What differs between two versions.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceDiff(TableDiff);

/// Rows that were inserted, deleted and updated, and how often each column was.
type Counts = (u64, u64, u64, BTreeMap<String, u64>);

#[pymethods]
impl LanceDiff {
    /// Between two versions of a branch.
    #[staticmethod]
    #[pyo3(signature = (before, after, key, selected_fields, row_filter=None))]
    fn of(
        py: Python<'_>,
        before: PyRef<'_, LanceTable>,
        after: PyRef<'_, LanceTable>,
        key: Option<Vec<String>>,
        selected_fields: Vec<String>,
        row_filter: Option<Tree>,
    ) -> PyResult<Self> {
        let filter = row_filter.map_or(Expr::True, |tree| tree.0);
        let (before, after) = (before.0.clone(), after.0.clone());
        runtime::call(py, || TableDiff::new(&before, &after, key, selected_fields, filter)).map(Self)
    }

    /// What proves that no row differs.
    fn proof(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let diff = self.0.clone();
        let found = runtime::run(py, &Cancel::default(), move |cancel| diff.proof(cancel))?;
        Ok(found.map(Proof::name))
    }

    /// How many rows differ.
    fn counts(&self, py: Python<'_>, pages: &Bound<'_, PyAny>) -> PyResult<Counts> {
        let (diff, pages) = (self.0.clone(), PythonPages::of(pages));
        let counts = runtime::asking(py, &Cancel::default(), move |cancel| diff.counts(pages, cancel))?;
        Ok((counts.inserted, counts.deleted, counts.updated, counts.changed_columns))
    }

    /// Begins to read the rows that differ.
    fn rows(&self, pages: &Bound<'_, PyAny>) -> LanceRows {
        let mut stream = self.0.stream(PythonPages::of(pages));
        LanceRows::new(move |cancel| stream.next_batch(cancel))
    }

    /// The files that differ.
    fn files(&self, py: Python<'_>) -> PyResult<Batch> {
        let diff = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| diff.files()).map(Batch)
    }

    /// How many rows of each fragment differ at most.
    fn preview(&self, py: Python<'_>) -> PyResult<Batch> {
        let diff = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| diff.preview(cancel)).map(Batch)
    }

    /// The fields of both versions: id, dotted name, type and whether it may be null.
    fn fields(&self) -> (Vec<FieldParts>, Vec<FieldParts>) {
        let [before, after] = self.0.fields();
        (before, after)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.0.schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a difference of versions", "the LanceTableDiff"))
    }
}
