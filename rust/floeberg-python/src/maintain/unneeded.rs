//! Which files does a table not need any more?

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{Cancel, ErrorKind};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::FileRole;
use floeberg_io::open_store;
use floeberg_maintain::ExpiredFiles as IcebergExpiredFiles;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::Batch;
use crate::pickle::refuse;
use crate::runtime;
use crate::table::files::split_below;
use crate::table::table::Table;

/// The files that a table needed before, and does not need now: what each is, and where.
#[pyfunction]
pub fn unneeded_files(
    py: Python<'_>,
    before: &Table,
    after: &Table,
) -> PyResult<Vec<(&'static str, String)>> {
    let (before, after) = (before.table.clone(), after.table.clone());
    let found = runtime::run(py, &Cancel::default(), move |cancel| {
        floeberg_maintain::unneeded_files(&before, &after, cancel)
    })?;
    Ok(found.into_iter().map(|file| (name(file.role), file.location)).collect())
}

/// The files that expired snapshots needed, until it is known which of them others need.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ExpiredFiles(Arc<IcebergExpiredFiles>);

#[pymethods]
impl ExpiredFiles {
    /// Of a table before and after snapshots expired.
    #[staticmethod]
    fn of(py: Python<'_>, before: &Table, after: &Table) -> PyResult<Self> {
        let (before, after) = (before.table.clone(), after.table.clone());
        let find = move |cancel: &Cancel| IcebergExpiredFiles::find(&before, &after, cancel);
        runtime::run(py, &Cancel::default(), find).map(|found| Self(Arc::new(found)))
    }

    /// The places of the data files and delete files: `number`, `prefix` and `path`.
    fn places(&self, py: Python<'_>) -> PyResult<Batch> {
        runtime::call(py, || self.0.places()).map(Batch)
    }

    /// Tasks that read the manifests of the snapshots that stay, at most so many.
    fn tasks<'py>(&self, py: Python<'py>, most_tasks: usize) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let tasks = runtime::call(py, || self.0.tasks(most_tasks))?;
        Ok(tasks.iter().map(|task| PyBytes::new(py, task)).collect())
    }

    /// The files that nothing needs any more, without those of these numbers; without numbers, manifests are read here.
    #[pyo3(signature = (needed=None))]
    fn unneeded(&self, py: Python<'_>, needed: Option<Vec<i64>>) -> PyResult<Vec<(&'static str, String)>> {
        let files = Arc::clone(&self.0);
        let found = runtime::run(py, &Cancel::default(), move |cancel| match needed {
            None => files.unneeded_here(cancel),
            Some(needed) => files.unneeded_but(needed),
        })?;
        Ok(found.into_iter().map(|file| (name(file.role), file.location)).collect())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("files that expired snapshots needed", "the table before and after"))
    }
}

/// All files of a table that was dropped, in the order in which they may be removed: what each is, and where.
#[pyfunction]
pub fn files_of_dropped_table(py: Python<'_>, table: &Table) -> PyResult<Vec<(&'static str, String)>> {
    let table = table.table.clone();
    let found = runtime::run(py, &Cancel::default(), move |cancel| {
        floeberg_maintain::files_of_dropped_table(&table, cancel)
    })?;
    Ok(found.into_iter().map(|file| (name(file.role), file.location)).collect())
}

fn name(role: FileRole) -> &'static str {
    match role {
        FileRole::Metadata => "metadata",
        FileRole::Statistics => "statistics",
        FileRole::ManifestList => "manifest list",
        FileRole::Manifest => "manifest",
        FileRole::Data => "data",
        FileRole::PositionDeletes => "position deletes",
        FileRole::EqualityDeletes => "equality deletes",
    }
}

/// Files that were kept: those that lie elsewhere, and those that could not be removed, with the reason.
type Kept = (Vec<String>, Vec<(String, String)>);

/// Removes the files that lie below one of the folders, or all of them without folders, some at a time. Returns those that lie elsewhere, and
/// those that could not be removed, with the reason. A file that is not there is removed.
#[pyfunction]
#[pyo3(signature = (locations, *, folders, storage_options))]
pub fn remove_unneeded_files(
    py: Python<'_>,
    locations: Vec<String>,
    folders: Option<Vec<String>>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Kept> {
    runtime::run(py, &Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        let (own, others) = match folders {
            Some(folders) => split_below(locations, &folders),
            None => (locations, Vec::new()),
        };
        let answers = ordered(&own, thread_budget()?, cancel, |location| match store.remove(location) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            answer => Ok(answer.err().map(|error| (location.clone(), error.to_string()))),
        })?;
        Ok((others, answers.into_iter().flatten().collect()))
    })
}
