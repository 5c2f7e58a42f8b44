//! Which operations does Python commit to Lance tables?
//!
//! In: files that were written, filters of rows, columns, settings. Out: operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::Field;
use floeberg_core::{Cancel, Result};
use floeberg_io::{Location, location, open_store};
use floeberg_lance::change::{self, NewColumn, NewFile};
use floeberg_lance::commit::{CreateRequest, RowsOf, create_table, stage_table};
use floeberg_lance::wire::{Operation, Restore};
use floeberg_lance::write::matching_rows;
use floeberg_lance::{OpenOptions, Table};
use pyo3::prelude::*;

use crate::error::to_exception;
use crate::incoming::import_schema;
use crate::lance::pages::PythonPages;
use crate::lance::scan::LanceScan;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;

/// Name, rows and bytes.
pub type FileParts = (String, u64, u64);

/// The places of fragments, their ids, and their rows that are not deleted.
type GroupParts = (Vec<usize>, Vec<u64>, u64);

/// What is to be committed.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceOperation {
    pub operation: Operation,
    pub deletes: RowsOf,
}

impl LanceOperation {
    /// An operation that deletes no rows by where they are.
    pub fn of(operation: Operation) -> Self {
        Self { operation, deletes: RowsOf::new() }
    }
}

#[pymethods]
impl LanceOperation {
    #[staticmethod]
    fn append(py: Python<'_>, table: PyRef<'_, LanceTable>, files: Vec<FileParts>) -> PyResult<Self> {
        let table = table.0.clone();
        runtime::call(py, || change::append(&table, &new_files(files))).map(Self::of)
    }

    /// Replaces all rows, and the schema.
    #[staticmethod]
    #[pyo3(signature = (table, schema, files, *, config))]
    fn overwrite(
        py: Python<'_>,
        table: PyRef<'_, LanceTable>,
        schema: &Bound<'_, PyAny>,
        files: Vec<FileParts>,
        config: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let table = table.0.clone();
        let schema = import_schema(py, schema)?;
        runtime::call(py, || {
            let version = table.manifest().head.data_format.as_ref().map(|format| format.version.clone());
            let version = version.unwrap_or_default();
            change::overwrite(Some(&table), &schema, &version, &new_files(files), config)
        })
        .map(|overwrite| Self::of(Operation::Overwrite(overwrite)))
    }

    /// Deletes the rows of a scan, and their number. `predicate` says which, for people.
    #[staticmethod]
    fn delete(
        py: Python<'_>,
        predicate: String,
        scan: &LanceScan,
        pages: &Bound<'_, PyAny>,
    ) -> PyResult<(Self, u64)> {
        let (scan, pages) = (scan.inner().clone(), PythonPages::of(pages));
        runtime::asking(py, &Cancel::default(), move |cancel| {
            let (deletes, count) = matching_rows(&scan, &pages, cancel)?;
            Ok((Self { operation: change::delete(&predicate), deletes }, count))
        })
    }

    /// Adds columns that are null.
    #[staticmethod]
    fn add_columns(
        py: Python<'_>,
        table: PyRef<'_, LanceTable>,
        schema: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let table = table.0.clone();
        let schema = import_schema(py, schema)?;
        runtime::call(py, || {
            let new = |field: &Arc<Field>| NewColumn { field: Field::clone(field), replaces: None };
            let columns: Vec<_> = schema.fields().iter().map(new).collect();
            change::add_columns(&table, &columns, &BTreeMap::new())
        })
        .map(Self::of)
    }

    #[staticmethod]
    fn drop_columns(py: Python<'_>, table: PyRef<'_, LanceTable>, names: Vec<String>) -> PyResult<Self> {
        let table = table.0.clone();
        runtime::call(py, || change::drop_columns(&table, &names)).map(Self::of)
    }

    /// Renames columns, or lets them be null: the path, the new name, and whether it may be null.
    #[staticmethod]
    fn alter_columns(
        py: Python<'_>,
        table: PyRef<'_, LanceTable>,
        changes: Vec<(String, Option<String>, Option<bool>)>,
    ) -> PyResult<Self> {
        let table = table.0.clone();
        runtime::call(py, || change::alter_columns(&table, &changes)).map(Self::of)
    }

    #[staticmethod]
    fn update_config(py: Python<'_>, changes: Vec<(String, Option<String>)>) -> PyResult<Self> {
        runtime::call(py, || change::update_config(changes)).map(Self::of)
    }

    #[staticmethod]
    #[pyo3(signature = (changes, *, replace))]
    fn update_metadata(
        py: Python<'_>,
        changes: Vec<(String, Option<String>)>,
        replace: bool,
    ) -> PyResult<Self> {
        runtime::call(py, || change::update_metadata(changes, replace)).map(Self::of)
    }

    #[staticmethod]
    fn restore(version: u64) -> Self {
        Self::of(Operation::Restore(Restore { version, ..Restore::default() }))
    }

    /// Removes all indices that users built; `None` where there are none.
    #[staticmethod]
    fn drop_indices(py: Python<'_>, table: PyRef<'_, LanceTable>) -> PyResult<Option<Self>> {
        let table = table.0.clone();
        runtime::call(py, || change::drop_indices(&table)).map(|operation| operation.map(Self::of))
    }

    /// The name of the operation.
    #[getter]
    fn name(&self) -> &'static str {
        self.operation.name()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("an operation of a Lance table", "the rows, and write them there"))
    }
}

/// Fragments that are better written as one: their places, their ids, and their rows that are not deleted.
#[pyfunction]
#[pyo3(signature = (table, *, target_rows, deletions))]
pub fn plan_lance_compaction(
    py: Python<'_>,
    table: PyRef<'_, LanceTable>,
    target_rows: u64,
    deletions: f64,
) -> PyResult<Vec<GroupParts>> {
    let table = table.0.clone();
    runtime::run(py, &Cancel::default(), move |_| {
        let ids = table.manifest().fragments.ids();
        let groups = change::plan_compaction(&table, target_rows, deletions)?;
        let parts = groups.into_iter().map(|group| {
            let of_group = group.places.iter().map(|place| ids[*place]).collect();
            (group.places, of_group, group.rows)
        });
        Ok(parts.collect())
    })
}

fn new_files(files: Vec<FileParts>) -> Vec<NewFile> {
    let new = |(name, rows, size_bytes)| NewFile { name, rows, size_bytes, row_ids: Vec::new() };
    files.into_iter().map(new).collect()
}

/// Creates a table of files that were written.
#[pyfunction]
#[pyo3(signature = (
    location, schema, files, *, storage_options, data_storage_version, stable_row_ids, config, properties, key
))]
#[expect(clippy::too_many_arguments, reason = "one keyword each of create_table")]
pub fn create_lance_table(
    py: Python<'_>,
    location: String,
    schema: &Bound<'_, PyAny>,
    files: Vec<FileParts>,
    storage_options: BTreeMap<String, String>,
    data_storage_version: String,
    stable_row_ids: bool,
    config: Vec<(String, String)>,
    properties: Vec<(String, String)>,
    key: Option<String>,
) -> PyResult<LanceTable> {
    let parts = NewTableParts { files, data_storage_version, stable_row_ids, config, properties, key };
    let schema = import_schema(py, schema)?;
    let made = runtime::wait(py, &Cancel::default(), move |_| {
        let options =
            OpenOptions { storage: storage_options.into_iter().collect(), ..OpenOptions::default() };
        let store = open_store(&options.storage)?;
        let root = Location::from_user(&location)?;
        let root = location::without_end_slashes(&root);
        create_table(&store, root, parts.request(&schema)?)?;
        Table::open_in(store, root, &options)
    })?;
    made.map(LanceTable).map_err(|error| to_exception(py, &error))
}

/// Writes the first version of a table for another store to decide about it: the locations of what was written, the manifest first.
#[pyfunction]
#[pyo3(signature = (
    location, schema, files, *, storage_options, data_storage_version, stable_row_ids, config, properties, key
))]
#[expect(clippy::too_many_arguments, reason = "one keyword each of create_table")]
pub fn stage_lance_table(
    py: Python<'_>,
    location: String,
    schema: &Bound<'_, PyAny>,
    files: Vec<FileParts>,
    storage_options: BTreeMap<String, String>,
    data_storage_version: String,
    stable_row_ids: bool,
    config: Vec<(String, String)>,
    properties: Vec<(String, String)>,
    key: Option<String>,
) -> PyResult<Vec<String>> {
    let parts = NewTableParts { files, data_storage_version, stable_row_ids, config, properties, key };
    let schema = import_schema(py, schema)?;
    runtime::run(py, &Cancel::default(), move |_| {
        let store = open_store(&storage_options.into_iter().collect())?;
        let root = Location::from_user(&location)?;
        stage_table(&store, location::without_end_slashes(&root), parts.request(&schema)?)
    })
}

/// What a new table is made of, beside its schema.
struct NewTableParts {
    files: Vec<FileParts>,
    data_storage_version: String,
    stable_row_ids: bool,
    config: Vec<(String, String)>,
    properties: Vec<(String, String)>,
    key: Option<String>,
}

impl NewTableParts {
    fn request(self, schema: &arrow_schema::Schema) -> Result<CreateRequest> {
        let (version, files) = (self.data_storage_version, new_files(self.files));
        Ok(CreateRequest {
            overwrite: change::overwrite(None, schema, &version, &files, self.config)?,
            data_storage_version: version,
            has_stable_row_ids: self.stable_row_ids,
            properties: self.properties,
            key: self.key,
        })
    }
}
