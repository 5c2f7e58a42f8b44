//! What does `floeberg.LanceTable` ask of a Lance table?
//!
//! Invariant: a table is one version of one branch.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_core::expr::Expr;
use floeberg_io::{Location, location, open_store};
use floeberg_lance::commit::find_commit;
use floeberg_lance::diff::primary_key_columns;
use floeberg_lance::differences::incomparable_columns;
use floeberg_lance::{
    Appended, Checkout, OpenOptions, Scan, Table, Taken, appended_since, metadata, taken_rows,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use crate::arrow::{Batches, schema_capsule};
use crate::error::to_open_exception;
use crate::lance::describe::{
    BranchParts, FileParts, TagParts, VersionParts, branch_parts, data_files, facts, tag_parts, version_parts,
};
use crate::lance::pages::PythonPages;
use crate::lance::recipe::{table_from_bytes, table_to_bytes};
use crate::lance::scan::LanceScan;
use crate::runtime;
use crate::values::expression::Tree;

/// Fragments, other fragments, and a version with its operation.
type AppendedParts = (Vec<u64>, Vec<u64>, Option<(u64, &'static str)>);

/// A Lance table, opened at one of its versions.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceTable(pub Table);

#[pymethods]
impl LanceTable {
    #[staticmethod]
    #[pyo3(signature = (location, *, relocate, storage_options, version, tag, branch, as_of_us))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each of open_table")]
    fn open(
        py: Python<'_>,
        location: String,
        relocate: Vec<(String, String)>,
        storage_options: BTreeMap<String, String>,
        version: Option<u64>,
        tag: Option<String>,
        branch: Option<String>,
        as_of_us: Option<i64>,
    ) -> PyResult<Self> {
        let checkout = Checkout { version, tag, branch, as_of: as_of_us };
        let is_newest = checkout == Checkout::default();
        let options = OpenOptions { checkout, relocate, storage: storage_options.into_iter().collect() };
        let opened = runtime::wait(py, &Cancel::default(), move |_| Table::open(&location, &options))?;
        let missing = if is_newest { "NoSuchTableError" } else { "NotFoundError" };
        opened.map(Self).map_err(|error| to_open_exception(py, missing, &error))
    }

    /// Is there a Lance table in a folder?
    #[staticmethod]
    #[pyo3(signature = (location, *, storage_options))]
    fn exists(py: Python<'_>, location: String, storage_options: BTreeMap<String, String>) -> PyResult<bool> {
        runtime::run(py, &Cancel::default(), move |_| {
            let store = open_store(&storage_options.into_iter().collect())?;
            let root = Location::from_user(&location)?;
            metadata::is_table(store.as_ref(), location::without_end_slashes(&root))
        })
    }

    /// The newest version of the branch.
    fn newest(&self, py: Python<'_>) -> PyResult<Self> {
        let table = self.0.clone();
        let opened = runtime::wait(py, &Cancel::default(), move |_| table.newest())?;
        opened.map(Self).map_err(|error| to_open_exception(py, "NoSuchTableError", &error))
    }

    /// Checks that the table, or its branch, was not removed and made anew since it was opened.
    fn check_same(&self, py: Python<'_>) -> PyResult<()> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| table.check_same())
    }

    /// Another version of the branch.
    fn at_version(&self, py: Python<'_>, version: u64) -> PyResult<Self> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| table.at_version(version)).map(Self)
    }

    /// The columns that have another type or identity in an earlier version.
    fn incomparable_columns(&self, py: Python<'_>, before: PyRef<'_, Self>) -> PyResult<Vec<String>> {
        let before = before.0.clone();
        runtime::call(py, || Ok(incomparable_columns(&before, &self.0).into_iter().collect()))
    }

    /// The version that a commit with a key made, and its operation; `None` without one.
    #[pyo3(signature = (key, operation))]
    fn find_commit(
        &self,
        py: Python<'_>,
        key: String,
        operation: Option<String>,
    ) -> PyResult<Option<(Self, &'static str)>> {
        let table = self.0.clone();
        let found =
            runtime::run(py, &Cancel::default(), move |_| find_commit(&table, &key, operation.as_deref()))?;
        Ok(found.map(|(table, operation)| (Self(table), operation.name())))
    }

    #[getter]
    fn location(&self) -> &str {
        self.0.location()
    }

    /// The folder of its branch.
    #[getter]
    fn folder(&self) -> &str {
        self.0.bases().folder()
    }

    #[getter]
    fn branch(&self) -> Option<&str> {
        self.0.branch()
    }

    #[getter]
    fn version(&self) -> u64 {
        self.0.version()
    }

    #[getter]
    fn manifest_location(&self) -> &str {
        self.0.manifest_location()
    }

    /// The storage options that it was opened with, secrets among them.
    #[getter]
    fn storage_options(&self) -> BTreeMap<String, String> {
        let options = self.0.options().storage.iter();
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// What the manifest says beside its fragments.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.0)
    }

    /// What the manifest says of its version.
    fn version_parts(&self) -> VersionParts {
        version_parts(&self.0.manifest().head)
    }

    /// The numbers of all versions of the branch, ascending. No manifest is read.
    fn version_numbers(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| {
            table.check_same()?;
            Ok(table.versions()?.into_iter().map(|listed| listed.version).collect())
        })
    }

    /// What manifests of the branch say of their versions, ascending.
    fn versions(&self, py: Python<'_>) -> PyResult<Vec<VersionParts>> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| {
            table.check_same()?;
            let mut versions = Vec::new();
            for listed in table.versions()? {
                cancel.check()?;
                versions.push(version_parts(&table.version_head(listed)?));
            }
            Ok(versions)
        })
    }

    /// The tags, by name.
    fn tags(&self, py: Python<'_>) -> PyResult<Vec<TagParts>> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| Ok(table.tags()?.into_iter().map(tag_parts).collect()))
    }

    /// The branches but the main one, by name.
    fn branches(&self, py: Python<'_>) -> PyResult<Vec<BranchParts>> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| {
            Ok(table.branches()?.into_iter().map(branch_parts).collect())
        })
    }

    /// The data files of all fragments.
    fn data_files(&self, py: Python<'_>) -> PyResult<Vec<FileParts>> {
        runtime::call(py, || data_files(&self.0))
    }

    /// The columns of the unenforced primary key, in its order.
    fn primary_key(&self) -> Vec<String> {
        primary_key_columns(&self.0)
    }

    #[pyo3(signature = (*, row_filter, selected_fields, case_sensitive, limit))]
    fn scan(
        &self,
        py: Python<'_>,
        row_filter: Tree,
        selected_fields: Vec<String>,
        case_sensitive: bool,
        limit: Option<u64>,
    ) -> PyResult<LanceScan> {
        let mut scan = Scan::new(self.0.clone()).case_sensitive(case_sensitive).limit(limit);
        if row_filter.0 != Expr::True {
            scan = scan.filter(row_filter.0);
        }
        if selected_fields.is_empty() || selected_fields.iter().any(|name| name != "*") {
            scan = scan.select(selected_fields);
        }
        LanceScan::checked(py, scan)
    }

    /// The fragments of rows that were appended after a version: those of such rows alone, and others; or the version that did
    /// more, and its operation.
    fn appended_since(&self, py: Python<'_>, version: u64) -> PyResult<AppendedParts> {
        let table = self.0.clone();
        runtime::run(py, &Cancel::default(), move |cancel| {
            Ok(match appended_since(&table, version, cancel)? {
                Appended::Rows { fragments, mixed } => (fragments, mixed, None),
                Appended::Otherwise { version, operation } => {
                    (Vec::new(), Vec::new(), Some((version, operation)))
                }
            })
        })
    }

    /// Rows by their ids, or by their addresses: eight bytes for each, little endian.
    #[pyo3(signature = (pages, *, row_ids, addresses, selected_fields, case_sensitive))]
    fn take(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        row_ids: Option<&[u8]>,
        addresses: Option<&[u8]>,
        selected_fields: Vec<String>,
        case_sensitive: bool,
    ) -> PyResult<Batches> {
        let scan = Scan::new(self.0.clone()).case_sensitive(case_sensitive).select(selected_fields);
        let (row_ids, addresses, pages) =
            (row_ids.map(numbers), addresses.map(numbers), PythonPages::of(pages));
        runtime::asking(py, &Cancel::default(), move |cancel| {
            let request = scan.request()?;
            let schema = Arc::clone(request.schema());
            let taken = match row_ids {
                Some(ids) => Taken::by_ids(request, &ids)?,
                None => Taken::by_addresses(request, &addresses.unwrap_or_default())?,
            };
            Ok(Batches { schema, rows: taken_rows(&taken, &pages, cancel)? })
        })
    }

    /// The Arrow schema of the version.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = runtime::call(py, || self.0.schema().to_arrow())?;
        schema_capsule(py, &schema)
    }

    fn __repr__(&self) -> String {
        let (location, version) = (location::shown(self.0.location()), self.0.version());
        match self.0.branch() {
            None => format!("LanceTable({location:?}, version={version})"),
            Some(branch) => format!("LanceTable({location:?}, version={version}, branch={branch:?})"),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, table) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || table_to_bytes(table))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Opens what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        let work = move |_: &Cancel| table_from_bytes(&recipe);
        runtime::run(py, &Cancel::default(), work).map(Self)
    }
}

/// Numbers of eight bytes, little endian.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    let (numbers, _) = bytes.as_chunks::<8>();
    numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()
}
