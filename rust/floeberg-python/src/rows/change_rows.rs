//! How does Python change rows of Iceberg tables?
//!
//! Invariant: rows are read, changed and written by other threads, which never need Python; functions of the user are called on the
//! thread of the caller. A change that fails leaves no file.

use std::sync::Arc;

use floeberg_commit::RowDelta;
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::lookup::{
    ChangedRows, PreparedChange, RowChanges, RowSink, change_rows as change, prepare_feed,
    prepare_feed_by_keys, prepare_merge, prepare_update, prepare_upsert,
};
use floeberg_iceberg::write::{Receipt as IcebergReceipt, WriteProgress, WriteTask};
use pyo3::prelude::*;

use crate::pickle::refuse;
use crate::rows::functions::functions_of;
use crate::rows::row_change::{Request, RowChange};
use crate::runtime::{self, Caller};
use crate::scan::scan::Scan;
use crate::write::keys::{FoundRows, SourceKeys};
use crate::write::receipt::Receipt;
use crate::write::row_delta::{KeyRecipe, RowDeltaReceipt};
use crate::write::writer::WriteRecipe;

/// What a change did, before its commit.
#[pyclass(frozen, get_all, module = "floeberg._native")]
pub struct RowsChanged {
    /// The files of new rows, and of deleted keys.
    receipt: Py<Receipt>,
    /// The positions of rows that are deleted or replaced.
    deleted: Py<RowDeltaReceipt>,
    /// The number of rows that are replaced.
    updated_rows: u64,
    /// The number of rows that are inserted.
    inserted_rows: u64,
    /// The keys of the source.
    keys: Option<Py<SourceKeys>>,
    /// The rows with such a key.
    found: Option<Py<FoundRows>>,
    /// Are rows inserted whose keys no row had?
    inserts_keys: bool,
}

#[pymethods]
impl RowsChanged {
    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("changed rows", "the source, and change the rows there"))
    }
}

/// Changes rows of the snapshot of a scan, and writes the new ones.
///
/// `keys` has a feed of changes applied by equality deletes. Without `writes`, rows are counted only. `functions` calls functions of
/// the user; `progress` is called as in [`WriteRecipe`]'s `write`.
#[pyfunction]
#[pyo3(name = "change_rows", signature = (row_change, scan, recipe, *, keys, writes, functions, progress))]
#[expect(clippy::too_many_arguments, reason = "keywords")]
pub fn change_rows_of_table(
    py: Python<'_>,
    row_change: &RowChange,
    scan: &Scan,
    recipe: &WriteRecipe,
    keys: Option<PyRef<'_, KeyRecipe>>,
    writes: bool,
    functions: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowsChanged> {
    let (request, scan, recipe_of_rows) = (row_change.0.clone(), scan.inner().clone(), recipe.0.clone());
    let of_keys = keys.map(|keys| keys.inner().clone());
    let functions = functions.map(Arc::new);
    let written = Arc::new(WriteProgress::default());
    let report = |py: Python<'_>| {
        let Some(callback) = &progress else { return Ok(()) };
        callback.call1(py, (written.files(), written.rows())).map(drop)
    };
    let counting = Arc::clone(&written);
    let work = move |cancel: &Cancel, caller: Caller| -> Result<(PreparedChange, ChangedRows)> {
        let functions = functions_of(caller, functions);
        let prepared = match &request {
            Request::Update(update) => prepare_update(update, &scan, functions)?,
            Request::Upsert(upsert) => prepare_upsert(upsert, &scan, cancel)?,
            Request::Feed(feed) if of_keys.is_some() => prepare_feed_by_keys(feed, &scan, cancel)?,
            Request::Feed(feed) => prepare_feed(feed, &scan, cancel)?,
            Request::Merge(merge) => prepare_merge(merge, &scan, functions, cancel)?,
        };
        let task = WriteTask { partition: 0, name: "0" };
        let sink = RowSink { recipe: &recipe_of_rows, task, progress: &counting, writes };
        let mut changed = change(&prepared.changes, &scan, &sink, cancel)?;
        if let (Some(of_keys), true, RowChanges::Insert(source)) = (&of_keys, writes, &prepared.changes) {
            let write = || {
                let mut deleting = of_keys.writer(task, cancel)?;
                let of_keys = Arc::clone(deleting.schema());
                source.keys_of_all(&of_keys, |keys| deleting.write(&keys))?;
                deleting.finish()
            };
            match write() {
                Ok(more) => {
                    changed.receipt = IcebergReceipt::concat(vec![changed.receipt, more])?;
                }
                Err(error) => {
                    drop(recipe_of_rows.remove(&changed.receipt));
                    return Err(error);
                }
            }
        }
        Ok((prepared, changed))
    };
    let undo = |(_, changed): (PreparedChange, ChangedRows)| recipe.0.remove(&changed.receipt);
    let (prepared, changed) = runtime::asking_reported(py, &Cancel::default(), &report, work, undo)?;
    let places = changed.positions.iter().map(|(path, rows)| (path.as_str(), rows.clone()));
    Ok(RowsChanged {
        receipt: Py::new(py, Receipt(changed.receipt))?,
        deleted: Py::new(py, RowDeltaReceipt(RowDelta::of_positions(places)))?,
        updated_rows: changed.updated_rows,
        inserted_rows: changed.inserted_rows,
        keys: prepared.keys.map(|keys| Py::new(py, SourceKeys(keys))).transpose()?,
        found: prepared.found.map(|found| Py::new(py, FoundRows(found))).transpose()?,
        inserts_keys: prepared.inserts_keys,
    })
}
