//! Which rows of a Lance table have the keys of a source?

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use arrow_schema::{DataType, Field};
use floeberg_core::Cancel;
use floeberg_lance::{FoundRows, SourceKeys};
use floeberg_rows::check_source_memory;
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::lance::pages::PythonPages;
use crate::lance::rows::LanceRows;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::rows::row_changer::RowChanger;
use crate::runtime;

/// The keys of a source, in memory.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceKeys(Arc<SourceKeys>);

#[pymethods]
impl LanceKeys {
    /// Of the source of a change.
    #[staticmethod]
    fn of(py: Python<'_>, changer: &RowChanger) -> PyResult<Self> {
        let (table, changer) = (Arc::clone(&changer.table), Arc::clone(&changer.changer));
        let take = move |cancel: &Cancel| {
            let (nulls, repeats) = changer.key_rules();
            let mut keys = SourceKeys::new(changer.key_schema(&table)?.as_ref(), nulls, repeats)?;
            changer.keys_of_all(&table, |batch| {
                cancel.check()?;
                keys.insert(&batch)?;
                check_source_memory(keys.memory() as u64)
            })?;
            Ok(keys)
        };
        runtime::run(py, &Cancel::default(), take).map(|keys| Self(Arc::new(keys)))
    }

    /// Looks for rows with these keys in a version.
    #[pyo3(signature = (table, pages, *, lists_all))]
    fn find(
        &self,
        py: Python<'_>,
        table: &LanceTable,
        pages: &Bound<'_, PyAny>,
        lists_all: bool,
    ) -> PyResult<LanceFoundRows> {
        let (keys, table, pages) = (Arc::clone(&self.0), table.0.clone(), PythonPages::of(pages));
        let find = move |cancel: &Cancel| FoundRows::find(&table, keys, lists_all, &pages, cancel);
        runtime::asking(py, &Cancel::default(), find).map(|found| LanceFoundRows(Arc::new(found)))
    }

    /// Can a row that came into a table since a version was read have one of the keys?
    fn may_have_come(
        &self,
        py: Python<'_>,
        read: &LanceTable,
        newest: &LanceTable,
        pages: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (keys, read, newest) = (Arc::clone(&self.0), read.0.clone(), newest.0.clone());
        let pages = PythonPages::of(pages);
        let look = move |cancel: &Cancel| keys.may_have_come(&read, &newest, &pages, cancel);
        runtime::asking(py, &Cancel::default(), look)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("keys of a source", "the source"))
    }
}

/// The rows of a version with a key of a source.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceFoundRows(Arc<FoundRows>);

#[pymethods]
impl LanceFoundRows {
    /// All columns of the rows, where the rows are, and their rows of the source.
    fn stream(&self, py: Python<'_>, pages: &Bound<'_, PyAny>) -> PyResult<LanceRows> {
        let (found, pages) = (Arc::clone(&self.0), PythonPages::of(pages));
        let mut stream = runtime::call(py, || found.stream(&pages))?;
        Ok(LanceRows::new(move |cancel| stream.next_batch(cancel)))
    }

    /// The numbers of the rows of the source whose keys no row has.
    fn unmatched(&self, py: Python<'_>) -> PyResult<Column> {
        let rows: ArrayRef = Arc::new(UInt32Array::from(runtime::call(py, || Ok(self.0.unmatched()))?));
        Ok(Column(Field::new("row", DataType::UInt32, false), rows))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("found rows", "the source, and look for them there"))
    }
}
