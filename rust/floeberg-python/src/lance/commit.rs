//! How does Python commit to Lance tables, and name their versions?
//!
//! Invariant: retries are Python's. Nothing is removed here unless it asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{Cancel, Error};
use floeberg_io::{Location, location, open_store};
use floeberg_lance::commit::{Commit, CommitRequest, Conditions, Staged, check_written, finalize};
use floeberg_lance::{clean, metadata, refs};
use pyo3::prelude::*;

use crate::lance::operation::LanceOperation;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;

/// Settings of a table, and their values; `None` for those that are not there.
type Settings = Vec<(String, Option<String>)>;

/// An operation that is tried until it is a version.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceCommit(Arc<Commit>);

#[pymethods]
impl LanceCommit {
    #[staticmethod]
    #[pyo3(signature = (
        table, operation, *, properties, key, inserts_missing_keys, expected=Vec::new(), settings=Vec::new(),
        keeps_rows=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each")]
    fn begin(
        py: Python<'_>,
        table: PyRef<'_, LanceTable>,
        operation: PyRef<'_, LanceOperation>,
        properties: Vec<(String, String)>,
        key: Option<String>,
        inserts_missing_keys: bool,
        expected: Settings,
        settings: Settings,
        keeps_rows: bool,
    ) -> PyResult<Self> {
        let request = CommitRequest {
            table: table.0.clone(),
            operation: operation.operation.clone(),
            deletes: operation.deletes.clone(),
            properties,
            key,
            inserts_missing_keys,
            conditions: Conditions { expected, settings, keeps_rows },
        };
        runtime::call(py, || Commit::begin(request)).map(|commit| Self(Arc::new(commit)))
    }

    /// Tries to make the next version. Says whether it was made here, and not by another commit with the same key.
    fn attempt(&self, py: Python<'_>) -> PyResult<(LanceTable, bool)> {
        let commit = Arc::clone(&self.0);
        let done = runtime::run(py, &Cancel::default(), move |_| commit.attempt())?;
        Ok((LanceTable(done.table), done.is_here))
    }

    /// Writes the next version where another store is to decide about it: the version and where it is; or the version that is there
    /// already, and whether it was made here.
    #[expect(clippy::type_complexity, reason = "one of two pairs")]
    fn stage(&self, py: Python<'_>) -> PyResult<(Option<(u64, String)>, Option<(LanceTable, bool)>)> {
        let commit = Arc::clone(&self.0);
        Ok(match runtime::run(py, &Cancel::default(), move |_| commit.stage())? {
            Staged::Done(done) => (None, Some((LanceTable(done.table), done.is_here))),
            Staged::Waiting(version, path) => (Some((version, path)), None),
        })
    }

    /// Takes what the other store decided.
    #[pyo3(signature = (*, is_taken))]
    fn settle(&self, py: Python<'_>, is_taken: bool) -> PyResult<LanceTable> {
        let commit = Arc::clone(&self.0);
        let done = runtime::run(py, &Cancel::default(), move |_| commit.settle(is_taken))?;
        Ok(LanceTable(done.table))
    }

    /// Removes what attempts wrote, where it is certain that no version names it. Says whether it is.
    fn abandon(&self, py: Python<'_>) -> PyResult<bool> {
        let commit = Arc::clone(&self.0);
        runtime::run(py, &Cancel::default(), move |_| Ok(commit.abandon()))
    }

    /// Did the last attempt lose a race alone, so that it may be tried again as it is?
    #[getter]
    fn is_raced(&self) -> bool {
        self.0.is_raced()
    }

    /// The version because of which the last attempt failed: it added rows, which may have the keys of inserted ones.
    #[getter]
    fn adds_rows(&self) -> Option<u64> {
        self.0.adds_rows()
    }

    /// Says that rows that were added until a version have other keys.
    fn allow_added_rows(&self, version: u64) {
        self.0.allow_added_rows(version);
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a commit", "the rows, and commit them there"))
    }
}

/// A tag or a branch, and what is done with it.
#[pyfunction]
pub fn change_lance_ref(
    py: Python<'_>,
    table: PyRef<'_, LanceTable>,
    change: String,
    name: String,
) -> PyResult<()> {
    let table = table.0.clone();
    runtime::run(py, &Cancel::default(), move |_| match change.as_str() {
        "create-tag" => refs::create_tag(&table, &name),
        "update-tag" => refs::update_tag(&table, &name),
        "remove-tag" => refs::remove_tag(&table, &name),
        "create-branch" => refs::create_branch(&table, &name),
        "remove-branch" => refs::remove_branch(&table, &name),
        other => Err(floeberg_core::Error::internal(format!("{other:?} is not a change of a ref"))),
    })
}

/// Gives the manifests of a branch the names of the newer scheme, and says how many had others. The table is not opened.
#[pyfunction]
#[pyo3(signature = (location, branch, *, storage_options))]
pub fn rename_lance_manifests(
    py: Python<'_>,
    location: String,
    branch: Option<String>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<usize> {
    runtime::run(py, &Cancel::default(), move |_| {
        if let Some(branch) = &branch {
            metadata::check_branch(branch)?;
        }
        let store = open_store(&storage_options.into_iter().collect())?;
        let root = Location::from_user(&location)?;
        let folder = metadata::branch_folder(location::without_end_slashes(&root), branch.as_deref());
        if !metadata::is_table(store.as_ref(), &folder)? {
            let message = "no Lance table is here: there is no manifest in `_versions`";
            return Err(Error::not_found(message).with("path", location::shown(&folder)));
        }
        metadata::migrate_to_v2(store.as_ref(), &folder)
    })
}

/// Begins a table in another folder with the version.
#[pyfunction]
pub fn shallow_clone_lance_table(
    py: Python<'_>,
    table: PyRef<'_, LanceTable>,
    target: String,
) -> PyResult<()> {
    let table = table.0.clone();
    runtime::run(py, &Cancel::default(), move |_| {
        let root = Location::from_user(&target)?;
        refs::shallow_clone(&table, location::without_end_slashes(&root)).map(drop)
    })
}

/// Gives a version that another store decided for its own name, and returns where it is then.
#[pyfunction]
#[pyo3(signature = (folder, version, path, *, storage_options))]
pub fn finalize_lance_version(
    py: Python<'_>,
    folder: String,
    version: u64,
    path: String,
    storage_options: std::collections::BTreeMap<String, String>,
) -> PyResult<String> {
    runtime::run(py, &Cancel::default(), move |_| {
        let store = open_store(&storage_options.into_iter().collect())?;
        finalize(store.as_ref(), &folder, version, &path)
    })
}

/// Removes data files that were written and not committed. What cannot be removed stays.
#[pyfunction]
#[pyo3(signature = (locations, *, storage_options))]
pub fn remove_lance_files(
    py: Python<'_>,
    locations: Vec<String>,
    storage_options: std::collections::BTreeMap<String, String>,
) -> PyResult<()> {
    runtime::run(py, &Cancel::default(), move |_| {
        clean::remove_new_files(&locations, &storage_options.into_iter().collect())
    })
}

/// Checks that data files of a table are there: their names and bytes.
#[pyfunction]
pub fn check_lance_files(
    py: Python<'_>,
    table: PyRef<'_, LanceTable>,
    files: Vec<(String, u64)>,
) -> PyResult<()> {
    let table = table.0.clone();
    runtime::run(py, &Cancel::default(), move |_| {
        check_written(table.store().as_ref(), table.bases().folder(), &files)
    })
}

/// Files that no version, tag or branch names: their locations and bytes, and whether they were removed.
#[pyfunction]
#[pyo3(signature = (table, *, kept_versions, older_than_us, dry_run))]
pub fn clean_up_lance_table(
    py: Python<'_>,
    table: PyRef<'_, LanceTable>,
    kept_versions: u64,
    older_than_us: i64,
    dry_run: bool,
) -> PyResult<(Vec<u64>, Vec<String>, u64)> {
    let table = table.0.clone();
    runtime::run(py, &Cancel::default(), move |cancel| {
        let found = clean::find_unused(&table, kept_versions, older_than_us, cancel)?;
        if !dry_run {
            clean::remove_unused(&table, &found, cancel)?;
        }
        Ok((found.versions, found.files, found.bytes))
    })
}
