//! How do workers write delete files again for a commit that another process makes?
//!
//! In: data files with deletes, as a commit gives them. Out: receipts, which the commit takes.
//!
//! Invariant: deletes are read and written here, and never cross to Python.

use floeberg_commit::write_group_deletes;
use floeberg_core::Cancel;
use floeberg_iceberg::write::{DeleteRecipe as IcebergRecipe, WriteTask};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::pickle::Envelope;
use crate::runtime;
use crate::scan::task_group::TaskGroup;
use crate::write::receipt::Receipt;

const DELETES: Envelope = Envelope { kind: "DeleteRecipe", version: 1 };

/// How deletes of one write become files of a table.
#[pyclass(frozen, module = "floeberg._native")]
pub struct DeleteRecipe(pub IcebergRecipe);

#[pymethods]
impl DeleteRecipe {
    /// Writes what stands for the deletes of a group of data files, read by at most so many threads.
    #[pyo3(signature = (group, *, task, partition, threads))]
    fn write(
        &self,
        py: Python<'_>,
        group: &TaskGroup,
        task: String,
        partition: u32,
        threads: Option<usize>,
    ) -> PyResult<Receipt> {
        let (group, recipe) = (group.0.clone(), self.0.clone());
        let write = move |cancel: &Cancel| {
            write_group_deletes(&group, &recipe, WriteTask { partition, name: &task }, threads, cancel)
        };
        runtime::run(py, &Cancel::default(), write).map(Receipt)
    }

    /// Removes the files of a receipt that no table has.
    fn remove(&self, py: Python<'_>, receipt: &Receipt) -> PyResult<()> {
        let (recipe, receipt) = (self.0.clone(), receipt.0.clone());
        runtime::run(py, &Cancel::default(), move |_| recipe.remove(&receipt))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, recipe) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(DELETES.wrap(&recipe.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergRecipe::from_bytes(DELETES.open(recipe)?)).map(Self)
    }
}
