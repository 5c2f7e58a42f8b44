//! Which files did a writer write, on their way to a commit?

use floeberg_iceberg::write::Receipt as IcebergReceipt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::pickle::Envelope;
use crate::runtime;

const RECEIPT: Envelope = Envelope { kind: "Receipt", version: 1 };

/// Files that are there and in no table yet.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Receipt(pub IcebergReceipt);

#[pymethods]
impl Receipt {
    /// The files of several receipts, in their order.
    #[staticmethod]
    fn concat(py: Python<'_>, receipts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let all: Vec<IcebergReceipt> = receipts.iter().map(|receipt| receipt.0.clone()).collect();
        runtime::call(py, || IcebergReceipt::concat(all)).map(Self)
    }

    fn __len__(&self) -> usize {
        self.0.files().len()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    #[getter]
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn locations(&self) -> Vec<&str> {
        self.0.locations().collect()
    }

    fn __repr__(&self) -> String {
        format!("Receipt({} files, {} rows, {} bytes)", self.0.files().len(), self.0.rows(), self.0.size())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, receipt) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(RECEIPT.wrap(&receipt.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergReceipt::from_bytes(RECEIPT.open(recipe)?)).map(Self)
    }
}
