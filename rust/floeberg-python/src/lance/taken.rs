//! How does Python take rows by ids or addresses?

use std::sync::Arc;

use arrow_array::UInt64Array;
use arrow_schema::{DataType, Field};
use floeberg_core::Cancel;
use floeberg_lance::Taken;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Column, schema_capsule};
use crate::lance::rows::LanceRows;
use crate::pickle::refuse;
use crate::runtime;

/// Rows that were asked for.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceTaken(pub Taken);

#[pymethods]
impl LanceTaken {
    /// How many fragments are read.
    fn __len__(&self) -> usize {
        self.0.fragments()
    }

    /// For each row asked, its place among the rows of all fragments.
    fn order(&self) -> Column {
        let order = UInt64Array::from(self.0.order().to_vec());
        Column(Field::new("place", DataType::UInt64, false), Arc::new(order))
    }

    /// Begins to read a fragment, by its number.
    fn open(&self, py: Python<'_>, number: usize) -> PyResult<LanceRows> {
        let taken = self.0.clone();
        let open = move |_: &Cancel| taken.open(number);
        Ok(LanceRows::new(runtime::run(py, &Cancel::default(), open)?))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.0.request().schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows that are taken", "the LanceTable"))
    }
}
