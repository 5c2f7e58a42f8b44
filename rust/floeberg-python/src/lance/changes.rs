//! How does Python change rows, columns and fragments of Lance tables?
//!
//! In: what is to change, and what decodes and encodes pages. Out: the operation, with the data files that it needs.
//!
//! Invariant: pages are decoded and encoded, and functions of the user called, on the thread of the caller; all else is done without
//! Python. A call that fails leaves no file.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Error, Result};
use floeberg_lance::pages::PageBatches as _;
use floeberg_lance::write::{
    ChangedRows, ColumnValues, Compacted, DataFiles, NewColumns, RowByRow, change_rows, column_types,
    write_columns, write_compacted,
};
use floeberg_rows::{Changer, plain_schema};
use pyo3::prelude::*;

use crate::arrow::ArrowSchema;
use crate::incoming::{RowSource, import_schema};
use crate::lance::data_files::LanceDataFiles;
use crate::lance::keys::LanceKeys;
use crate::lance::operation::LanceOperation;
use crate::lance::pages::{PythonBatches, PythonPages};
use crate::lance::scan::LanceScan;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::rows::functions::functions_of;
use crate::rows::new_value::NewValue;
use crate::rows::row_change::{Request, RowChange};
use crate::runtime::{self, Caller};

/// What a change of rows did, before its commit.
#[pyclass(frozen, get_all, module = "floeberg._native")]
pub struct LanceRowsChanged {
    /// Puts the new rows into the table; `None` where nothing changes, and where rows were counted only.
    operation: Option<Py<LanceOperation>>,
    /// The new files; `None` where rows were counted only.
    files: Option<Py<LanceDataFiles>>,
    /// The number of rows that are deleted or replaced.
    deleted_rows: u64,
    /// The number of rows that are replaced.
    updated_rows: u64,
    /// The number of rows that are inserted.
    inserted_rows: u64,
    /// The keys of the source, of which some may be inserted because no row has them.
    keys: Option<Py<LanceKeys>>,
}

#[pymethods]
impl LanceRowsChanged {
    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("changed rows", "the source, and change the rows there"))
    }
}

/// Changes rows of a version: those of a scan, or those with a key of the source. The new ones are written to files of at most
/// `rows_per_file` rows; without, rows are counted only. `functions` calls functions of the user.
#[pyfunction]
#[pyo3(signature = (row_change, table, pages, *, scan, rows_per_file, functions))]
pub fn change_lance_rows(
    py: Python<'_>,
    row_change: &RowChange,
    table: &LanceTable,
    pages: &Bound<'_, PyAny>,
    scan: Option<&LanceScan>,
    rows_per_file: Option<u64>,
    functions: Option<Py<PyAny>>,
) -> PyResult<LanceRowsChanged> {
    let (request, table, pages) = (row_change.0.clone(), table.0.clone(), PythonPages::of(pages));
    let scan = scan.map(|scan| scan.inner().clone());
    let functions = functions.map(Arc::new);
    let work = move |cancel: &Cancel, caller: Caller| {
        let functions = functions_of(caller, functions);
        let schema = SchemaRef::new(table.schema().to_arrow()?);
        let changer = match &request {
            Request::Update(update) => Changer::update(update, schema, functions)?,
            Request::Merge(merge) => Changer::merge(merge, schema, functions)?,
            Request::Upsert(upsert) => Changer::upsert(upsert, &schema, cancel)?,
            Request::Feed(feed) => Changer::feed(feed, &schema, cancel)?,
        };
        change_rows(&table, &changer, scan.as_ref(), &pages, rows_per_file, cancel)
    };
    let undo = |changed: ChangedRows| {
        changed.files.inspect(DataFiles::remove);
        Ok(())
    };
    let changed = runtime::asking_undone(py, &Cancel::default(), work, undo)?;
    let operation = changed.operation.map(|operation| LanceOperation { operation, deletes: changed.deletes });
    Ok(LanceRowsChanged {
        operation: operation.map(|operation| Py::new(py, operation)).transpose()?,
        files: changed.files.map(|files| Py::new(py, LanceDataFiles(files))).transpose()?,
        deleted_rows: changed.deleted_rows,
        updated_rows: changed.updated_rows,
        inserted_rows: changed.inserted_rows,
        keys: changed.keys.map(|keys| Py::new(py, LanceKeys(keys))).transpose()?,
    })
}

/// The columns that values of a table's rows make, in plain types.
#[pyfunction]
#[pyo3(signature = (table, pages, names, values, *, functions))]
pub fn lance_column_types(
    py: Python<'_>,
    table: &LanceTable,
    pages: &Bound<'_, PyAny>,
    names: Vec<String>,
    values: Vec<PyRef<'_, NewValue>>,
    functions: Py<PyAny>,
) -> PyResult<ArrowSchema> {
    let (table, pages) = (table.0.clone(), PythonPages::of(pages));
    let values: Vec<_> = names.into_iter().zip(values.iter().map(|value| value.0.clone())).collect();
    let work = move |cancel: &Cancel, caller: Caller| {
        let functions = functions_of(caller, Some(Arc::new(functions)));
        column_types(&table, &values, &functions, &pages, cancel)
    };
    let found = runtime::asking_undone(py, &Cancel::default(), work, |_| Ok(()))?;
    Ok(ArrowSchema(Arc::new(plain_schema(&found, true))))
}

/// Writes a file of new columns for each fragment, and the operation that adds them: of values that are computed, or of the rows of a
/// `pyarrow.RecordBatchReader` in the order of a scan. `replaces` has the columns whose place they take.
#[pyfunction]
#[pyo3(signature = (table, pages, schema, *, replaces, values, reader, functions))]
#[expect(clippy::too_many_arguments, reason = "keywords")]
pub fn write_lance_columns(
    py: Python<'_>,
    table: &LanceTable,
    pages: &Bound<'_, PyAny>,
    schema: &Bound<'_, PyAny>,
    replaces: Vec<Option<String>>,
    values: Vec<PyRef<'_, NewValue>>,
    reader: Option<&Bound<'_, PyAny>>,
    functions: Option<Py<PyAny>>,
) -> PyResult<(LanceOperation, LanceDataFiles)> {
    let (table, pages, schema) = (table.0.clone(), PythonPages::of(pages), import_schema(py, schema)?);
    let values: Vec<_> = values.iter().map(|value| value.0.clone()).collect();
    let rows = reader.map(RowSource::open).transpose()?.map(PythonBatches::of);
    let functions = functions.map(Arc::new);
    let work = move |cancel: &Cancel, caller: Caller| -> Result<NewColumns> {
        let mut rows = rows;
        let values = match &mut rows {
            Some(rows) => ColumnValues::Rows(RowByRow::new(|| rows.next_batch())),
            None => ColumnValues::Computed(values, functions_of(caller, functions)),
        };
        if replaces.len() != schema.fields().len() {
            return Err(Error::internal("each new column says which one it replaces"));
        }
        write_columns(&table, &pages, &Arc::new(schema), &replaces, values, cancel)
    };
    let undo = |columns: NewColumns| {
        columns.files.remove();
        Ok(())
    };
    let made = runtime::asking_undone(py, &Cancel::default(), work, undo)?;
    Ok((LanceOperation::of(made.operation), LanceDataFiles(made.files)))
}

/// What a compaction does: the operation, its files, fragments before and after, and rows.
type CompactedParts = (LanceOperation, LanceDataFiles, usize, usize, u64);

/// Writes fragments that are too small, or of which too many rows are deleted; `None` where there are none.
#[pyfunction]
#[pyo3(signature = (table, pages, *, target_rows, deletions))]
pub fn compact_lance_fragments(
    py: Python<'_>,
    table: &LanceTable,
    pages: &Bound<'_, PyAny>,
    target_rows: u64,
    deletions: f64,
) -> PyResult<Option<CompactedParts>> {
    let (table, pages) = (table.0.clone(), PythonPages::of(pages));
    let work =
        move |cancel: &Cancel, _: Caller| write_compacted(&table, &pages, target_rows, deletions, cancel);
    let undo = |compacted: Option<Compacted>| {
        compacted.inspect(|compacted| compacted.files.remove());
        Ok(())
    };
    let made = runtime::asking_undone(py, &Cancel::default(), work, undo)?;
    Ok(made.map(|made| {
        let operation = LanceOperation::of(made.operation);
        (operation, LanceDataFiles(made.files), made.fragments_before, made.fragments_after, made.rows)
    }))
}
