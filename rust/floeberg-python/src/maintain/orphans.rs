//! Which files in the folders of a table does nothing name?

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{Cancel, Error};
use floeberg_exec::budget::thread_budget;
use floeberg_io::{FoundFile, open_store};
use floeberg_maintain::{
    ComparedFile, Orphans, PrefixMismatch, Prefixes, listed_places as places_in, named_parts as parts_of,
    named_places as places_of,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::Batch;
use crate::pickle::refuse;
use crate::runtime;
use crate::table::table::Table;

/// The files below a folder, before they are compared with a table.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ListedFiles(Arc<Orphans>);

#[pymethods]
impl ListedFiles {
    /// Lists a folder, which is used as it is written; or takes a list that somebody else made: locations, and when they were written, in milliseconds since 1970.
    #[staticmethod]
    #[pyo3(signature = (folder, files, *, storage_options))]
    fn of_folder(
        py: Python<'_>,
        folder: String,
        files: Option<Vec<(String, i64)>>,
        storage_options: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let listed = runtime::run(py, &Cancel::default(), move |_| {
            if let Some(files) = files {
                let found = |(location, modified_ms)| FoundFile { location, size: 0, modified_ms };
                return Ok(Orphans::of_files(&folder, files.into_iter().map(found).collect()));
            }
            Orphans::list(open_store(&storage_options.into_iter().collect())?, &folder)
        })?;
        Ok(Self(Arc::new(listed)))
    }

    /// The files of a folder that the table does not name just as they are: locations, sizes, times, and the schemes and authorities with
    /// which it names their paths. `is_known` says whether it names any file of the folder.
    #[staticmethod]
    #[pyo3(signature = (folder, files, *, is_known))]
    fn of_compared(folder: &str, files: Vec<(String, u64, i64, Vec<String>)>, is_known: bool) -> Self {
        let compared = |(location, size, modified_ms, prefixes)| ComparedFile {
            file: FoundFile { location, size, modified_ms },
            prefixes,
        };
        Self(Arc::new(Orphans::of_compared(folder, files.into_iter().map(compared).collect(), is_known)))
    }

    /// The orphans among them: locations and sizes. The table must have been loaded after the list was made.
    #[pyo3(signature = (table, *, older_than_ms, equal_schemes, equal_authorities, prefix_mismatch))]
    fn orphans(
        &self,
        py: Python<'_>,
        table: &Table,
        older_than_ms: i64,
        equal_schemes: BTreeMap<String, String>,
        equal_authorities: BTreeMap<String, String>,
        prefix_mismatch: &str,
    ) -> PyResult<Vec<(String, u64)>> {
        let listed = Arc::clone(&self.0);
        let (table, mismatch) = (table.table.clone(), prefix_mismatch.to_owned());
        let found = runtime::run(py, &Cancel::default(), move |cancel| {
            let mismatch = match mismatch.as_str() {
                "error" => PrefixMismatch::Error,
                "ignore" => PrefixMismatch::Ignore,
                "delete" => PrefixMismatch::Delete,
                other => {
                    let message = format!(
                        "prefix_mismatch_mode: expected 'error', 'ignore' or 'delete', found {other:?}"
                    );
                    return Err(Error::invalid_input(message));
                }
            };
            let prefixes = Prefixes { schemes: equal_schemes, authorities: equal_authorities };
            listed.find(&table, older_than_ms, &prefixes, mismatch, cancel)
        })?;
        Ok(found.into_iter().map(|file| (file.location, file.size)).collect())
    }

    /// The time that it was at least by the clock of the store: that of the newest file or, where times do not come with names, of the
    /// newest folder; none for a list that somebody else made.
    #[getter]
    fn newest_ms(&self) -> Option<i64> {
        self.0.newest_ms()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a list of files", "the folder"))
    }
}

/// The places of the files in a folder, of one level with its folders or of all levels.
#[pyfunction]
#[pyo3(signature = (folder, *, all_levels, may_be_gone, storage_options, equal_schemes, equal_authorities))]
pub fn listed_places(
    py: Python<'_>,
    folder: String,
    all_levels: bool,
    may_be_gone: bool,
    storage_options: BTreeMap<String, String>,
    equal_schemes: BTreeMap<String, String>,
    equal_authorities: BTreeMap<String, String>,
) -> PyResult<Batch> {
    let prefixes = Prefixes { schemes: equal_schemes, authorities: equal_authorities };
    runtime::run(py, &Cancel::default(), move |_| {
        let store = open_store(&storage_options.into_iter().collect())?;
        places_in(store.as_ref(), &folder, all_levels, may_be_gone, &prefixes)
    })
    .map(Batch)
}

/// The places of a table's own files and manifests, and tasks that read the manifests.
#[pyfunction]
#[pyo3(signature = (table, *, most_tasks, equal_schemes, equal_authorities))]
pub fn named_parts<'py>(
    py: Python<'py>,
    table: &Table,
    most_tasks: usize,
    equal_schemes: BTreeMap<String, String>,
    equal_authorities: BTreeMap<String, String>,
) -> PyResult<(Batch, Vec<Bound<'py, PyBytes>>)> {
    let prefixes = Prefixes { schemes: equal_schemes, authorities: equal_authorities };
    let table = table.table.clone();
    let (own, tasks) =
        runtime::run(py, &Cancel::default(), move |cancel| parts_of(&table, most_tasks, &prefixes, cancel))?;
    Ok((Batch(own), tasks.iter().map(|task| PyBytes::new(py, task)).collect()))
}

/// The places of the files that the manifests of a task name.
#[pyfunction]
#[pyo3(signature = (task, *, threads, storage_options, equal_schemes, equal_authorities))]
pub fn named_places(
    py: Python<'_>,
    task: Vec<u8>,
    threads: Option<usize>,
    storage_options: BTreeMap<String, String>,
    equal_schemes: BTreeMap<String, String>,
    equal_authorities: BTreeMap<String, String>,
) -> PyResult<Batch> {
    let prefixes = Prefixes { schemes: equal_schemes, authorities: equal_authorities };
    runtime::run(py, &Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        let threads = threads.map_or_else(thread_budget, Ok)?;
        places_of(&task, store, threads, &prefixes, cancel)
    })
    .map(Batch)
}

/// The time by the clock of a store, in milliseconds since 1970: a small file is written to the folder, and removed.
#[pyfunction]
#[pyo3(signature = (folder, *, storage_options))]
pub fn store_time_ms(
    py: Python<'_>,
    folder: String,
    storage_options: BTreeMap<String, String>,
) -> PyResult<i64> {
    runtime::run(py, &Cancel::default(), move |_| {
        floeberg_maintain::store_time_ms(
            open_store(&storage_options.into_iter().collect())?.as_ref(),
            &folder,
        )
    })
}

/// Raises where one of the metadata files is of a table whose location is the folder, is in it, or has it.
#[pyfunction]
#[pyo3(signature = (folder, *, metadata_locations, storage_options))]
pub fn check_no_other_table(
    py: Python<'_>,
    folder: String,
    metadata_locations: Vec<String>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<()> {
    runtime::run(py, &Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        floeberg_maintain::check_no_other_table(store.as_ref(), &folder, &metadata_locations, cancel)
    })
}
