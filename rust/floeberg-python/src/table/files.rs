//! What do catalogs ask of files beside tables?
//!
//! In: locations and the options of stores. Out: what a store says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::budget;
use floeberg_io::{Below, Location, open_store};
use pyo3::prelude::*;

use crate::runtime;

/// The written form of a location that a user gave.
#[pyfunction]
pub fn location_from_user(py: Python<'_>, location: &str) -> PyResult<String> {
    runtime::call(py, || Location::from_user(location))
}

/// The path that a local location names; `None` for another one.
#[pyfunction]
pub fn local_path(py: Python<'_>, location: &str) -> PyResult<Option<String>> {
    runtime::call(py, || {
        let parsed = Location::parse(location);
        if !parsed.is_local() {
            return Ok(None);
        }
        let path = parsed.local_path()?.into_os_string().into_string();
        path.map(Some).map_err(|_| Error::invalid_input("expected a path in UTF-8").with("path", location))
    })
}

/// How many requests may wait for a store that is far away, in a task of Spark or elsewhere.
#[pyfunction]
pub fn request_budget(py: Python<'_>, is_task: bool) -> PyResult<usize> {
    runtime::call(py, || if is_task { budget::task_request_budget() } else { budget::request_budget() })
}

/// The one spelling of a written location that comparisons use.
#[pyfunction]
pub fn canonical_location(location: &str) -> &str {
    floeberg_io::location::canonical(location)
}

/// The names in a folder, and whether each is a folder.
#[pyfunction]
#[pyo3(signature = (location, *, storage_options))]
pub fn list_folder(
    py: Python<'_>,
    location: String,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Vec<(String, bool)>> {
    runtime::run(py, &Cancel::default(), move |_| {
        let entries = open_store(&storage_options.into_iter().collect())?.list(&location)?;
        Ok(entries.into_iter().map(|entry| (entry.name, entry.is_folder)).collect())
    })
}

/// Is there a file?
#[pyfunction]
#[pyo3(signature = (location, *, storage_options))]
pub fn file_exists(
    py: Python<'_>,
    location: String,
    storage_options: BTreeMap<String, String>,
) -> PyResult<bool> {
    runtime::run(py, &Cancel::default(), move |_| {
        open_store(&storage_options.into_iter().collect())?.exists(&location)
    })
}

/// A file's bytes.
#[pyfunction]
#[pyo3(signature = (location, *, storage_options))]
pub fn read_file(
    py: Python<'_>,
    location: String,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Vec<u8>> {
    runtime::run(py, &Cancel::default(), move |_| {
        let file = open_store(&storage_options.into_iter().collect())?.open(&location)?;
        Ok(file.read_all(file.size()?)?.into())
    })
}

/// Writes a file, and replaces one that exists.
#[pyfunction]
#[pyo3(signature = (location, content, *, storage_options))]
pub fn put_file(
    py: Python<'_>,
    location: String,
    content: Vec<u8>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<()> {
    runtime::run(py, &Cancel::default(), move |_| {
        open_store(&storage_options.into_iter().collect())?.put(&location, content.into())
    })
}

/// Writes a file, if none is there.
#[pyfunction]
#[pyo3(signature = (location, content, *, storage_options))]
pub fn put_file_if_absent(
    py: Python<'_>,
    location: String,
    content: Vec<u8>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<()> {
    runtime::run(py, &Cancel::default(), move |_| {
        open_store(&storage_options.into_iter().collect())?.put_if_absent(&location, content.into())
    })
}

/// Removes the files that exist and lie below one of the folders. Returns the others.
#[pyfunction]
#[pyo3(signature = (locations, *, folders, storage_options))]
pub fn remove_files_below(
    py: Python<'_>,
    locations: Vec<String>,
    folders: Vec<String>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Vec<String>> {
    runtime::run(py, &Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        let (own, others) = split_below(locations, &folders);
        own.iter().try_for_each(|location| -> Result<()> {
            cancel.check()?;
            store.remove(location)
        })?;
        Ok(others)
    })
}

/// The locations that lie below one of the folders, links followed.
#[pyfunction]
#[pyo3(signature = (locations, *, folders))]
pub fn files_below(py: Python<'_>, locations: Vec<String>, folders: Vec<String>) -> PyResult<Vec<String>> {
    runtime::call(py, || Ok(split_below(locations, &folders).0))
}

/// The locations that lie below one of the folders, and the others.
pub fn split_below(locations: Vec<String>, folders: &[String]) -> (Vec<String>, Vec<String>) {
    let mut below = Below::new(folders.iter().map(String::as_str));
    locations.into_iter().partition(|location| below.holds(location))
}

/// A text without the users and passwords of locations in it.
#[pyfunction]
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    floeberg_core::error::without_passwords(text)
}

/// Removes the files that exist.
#[pyfunction]
#[pyo3(signature = (locations, *, storage_options))]
pub fn remove_files(
    py: Python<'_>,
    locations: Vec<String>,
    storage_options: BTreeMap<String, String>,
) -> PyResult<()> {
    runtime::run(py, &Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        locations.iter().try_for_each(|location| -> Result<()> {
            cancel.check()?;
            store.remove(location)
        })
    })
}
