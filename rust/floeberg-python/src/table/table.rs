//! What does `floeberg.Table` ask of an Iceberg table?
//!
//! Invariant: the snapshot that it was opened at exists.

use std::collections::BTreeMap;

use floeberg_commit::{CommitKey, first_source};
use floeberg_core::expr::Expr;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_iceberg::inspect::{Inspection, MetadataTable};
use floeberg_iceberg::{
    AppendsAfter, OpenOptions, Scan as IcebergScan, SnapshotChoice, Table as IcebergTable,
};
use floeberg_io::location::shown;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error::to_open_exception;
use crate::key_management::{object_of, storage_of};
use crate::recipe::{table_from_bytes, table_to_bytes};
use crate::runtime;
use crate::scan::planner::PythonPlanner;
use crate::scan::scan::{Scan, describe_choice};
use crate::table::metadata_reader::MetadataReader;
use crate::values::expression::Tree;
use crate::values::snapshots::snapshots;

/// An Iceberg table, opened at one of its snapshots.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Table {
    pub table: IcebergTable,
    pub choice: SnapshotChoice,
}

#[pymethods]
impl Table {
    #[staticmethod]
    #[pyo3(signature = (location, *, relocate, storage_options, snapshot_id, reference, as_of_ms, manifest_cache, key_management=None))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each of open_table")]
    fn open(
        py: Python<'_>,
        location: String,
        relocate: Vec<(String, String)>,
        storage_options: BTreeMap<String, String>,
        snapshot_id: Option<i64>,
        reference: Option<String>,
        as_of_ms: Option<i64>,
        manifest_cache: Option<u64>,
        key_management: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let storage = storage_of(storage_options, key_management);
        let options = OpenOptions { relocate, storage, manifest_cache, planner: None };
        let opened = runtime::wait(py, &Cancel::default(), move |_| IcebergTable::open(&location, options))?;
        let table = opened.map_err(|error| to_open_exception(py, "NoSuchTableError", &error))?;
        let choice = match (snapshot_id, reference, as_of_ms) {
            (Some(id), ..) => SnapshotChoice::Id(id),
            (None, Some(name), _) => SnapshotChoice::Ref(name),
            (None, None, Some(moment)) => SnapshotChoice::AsOf(moment),
            (None, None, None) => SnapshotChoice::Current,
        };
        let opened = Self { table, choice };
        // A missing snapshot is reported now, not at the first scan.
        opened.snapshot_id(py)?;
        Ok(opened)
    }

    /// Opens the metadata file that a catalog names: its location is taken as it was written.
    #[staticmethod]
    #[pyo3(signature = (metadata_location, *, storage_options, key_management=None))]
    fn open_metadata(
        py: Python<'_>,
        metadata_location: String,
        storage_options: BTreeMap<String, String>,
        key_management: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let storage = storage_of(storage_options, key_management);
        let options = OpenOptions { storage, ..OpenOptions::default() };
        let opened = runtime::wait(py, &Cancel::default(), move |_| {
            IcebergTable::open_at(&metadata_location, options)
        })?;
        let table = opened.map_err(|error| to_open_exception(py, "NoSuchTableError", &error))?;
        Ok(Self { table, choice: SnapshotChoice::Current })
    }

    /// Opens metadata that a catalog gave, with the location of its file, which is not read. Manifests that were cached for an
    /// earlier state of the table stay cached.
    #[staticmethod]
    #[pyo3(signature = (metadata_json, metadata_location, *, storage_options, earlier, planner=None, key_management=None))]
    fn from_metadata(
        py: Python<'_>,
        metadata_json: &str,
        metadata_location: &str,
        storage_options: BTreeMap<String, String>,
        earlier: Option<PyRef<'_, Self>>,
        planner: Option<Py<PyAny>>,
        key_management: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let storage = storage_of(storage_options, key_management);
        let earlier = earlier.map(|earlier| earlier.table.clone());
        let table = runtime::call(py, || {
            let planner = planner.map(PythonPlanner::of);
            let options = OpenOptions { storage, planner, ..OpenOptions::default() };
            let table = IcebergTable::from_metadata(metadata_json.as_bytes(), metadata_location, options)?;
            Ok(match &earlier {
                Some(earlier) => table.with_manifests_of(earlier)?,
                None => table,
            })
        })?;
        Ok(Self { table, choice: SnapshotChoice::Current })
    }

    /// The storage options that it was opened with, secrets among them.
    #[getter]
    fn storage_options(&self) -> BTreeMap<String, String> {
        let options = self.table.options().storage.iter();
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// The object that it was opened with, or that its options name.
    #[getter]
    fn key_management(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        object_of(py, &self.table.options().storage)
    }

    /// What distinguishes this table and this state of it from others: its id, and when it was last changed.
    #[getter]
    fn identity(&self) -> (Option<String>, i64) {
        let metadata = self.table.metadata();
        (metadata.table_uuid.as_ref().map(ToString::to_string), metadata.last_updated_ms)
    }

    /// The snapshot that did the work of an idempotency key on a branch; operations of `None` match any work.
    #[pyo3(signature = (key, *, branch, operations))]
    fn find_commit(
        &self,
        py: Python<'_>,
        key: &str,
        branch: &str,
        operations: Option<Vec<String>>,
    ) -> PyResult<Option<i64>> {
        let key = match &operations {
            Some(names) => CommitKey::new(key, branch, names.iter().map(String::as_str)),
            None => CommitKey::begun(key, branch),
        };
        runtime::call(py, || key.find(self.table.metadata()))
    }

    /// The whole number by the key `wanted` in the summary of the newest snapshot of a branch that has `value` by `key` there. The
    /// branch may not be there yet.
    fn newest_number(&self, branch: &str, key: &str, value: &str, wanted: &str) -> Option<u64> {
        let metadata = self.table.metadata();
        // What a snapshot repeats is work of the branch too.
        let snapshots = metadata.snapshots_of(branch);
        let all = snapshots
            .iter()
            .flat_map(|each| std::iter::once(each.as_ref()).chain(first_source(metadata, each.as_ref())));
        let mut own = all.filter(|each| each.summary.get(key).is_some_and(|found| found == value));
        own.find_map(|each| each.summary.get(wanted)?.parse().ok())
    }

    /// Does the summary of a snapshot have this value by this key?
    fn has_in_summary(&self, key: &str, value: &str) -> bool {
        let mut snapshots = self.table.metadata().snapshots.iter();
        snapshots.any(|each| each.summary.get(key).is_some_and(|found| found == value))
    }

    /// The operation of a snapshot.
    fn operation_of(&self, snapshot_id: i64) -> Option<String> {
        self.table.metadata().snapshot(snapshot_id).ok()?.operation.clone()
    }

    /// Raises `NotFoundError` unless `later` is metadata of the same table.
    fn check_same_table(&self, py: Python<'_>, later: &Self) -> PyResult<()> {
        let (metadata, later) = (self.table.metadata(), &later.table);
        let checked = metadata.check_same_table(later.metadata()).context("path", later.metadata_location());
        checked.map_err(|error| to_open_exception(py, "NoSuchTableError", &error))
    }

    /// Do names of columns, and the name of a branch, mean the same in a later state of the table? With `with_new_columns` there
    /// may be more columns.
    #[pyo3(signature = (later, *, branch, with_new_columns=false))]
    fn means_the_same_in(&self, later: &Self, branch: &str, with_new_columns: bool) -> bool {
        let (now, later) = (self.table.metadata(), later.table.metadata());
        let is_gone = now.refs.contains_key(branch) && !later.refs.contains_key(branch);
        let (columns, columns_later) = (now.current_schema(), later.current_schema());
        let is_alike =
            columns == columns_later || (with_new_columns && only_adds_columns(columns, columns_later));
        is_alike && !is_gone
    }

    #[getter]
    fn location(&self) -> &str {
        &self.table.metadata().location
    }

    #[getter]
    fn properties(&self) -> BTreeMap<String, String> {
        let properties = &self.table.metadata().properties;
        properties.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    #[getter]
    fn metadata_location(&self) -> &str {
        self.table.metadata_location()
    }

    #[getter]
    fn format_version(&self) -> u8 {
        self.table.metadata().format_version
    }

    #[getter]
    fn snapshot_id(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        let scan = IcebergScan::new(self.table.clone()).at(self.choice.clone());
        runtime::call(py, || Ok(scan.snapshot()?.map(|snapshot| snapshot.snapshot_id)))
    }

    /// The metadata, as canonical JSON text.
    fn metadata_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || self.table.metadata().to_text())
    }

    /// The arguments of `floeberg.types.Snapshot`, one tuple a snapshot, in the order of the metadata; with an id, of this one alone.
    #[pyo3(signature = (summary_class, snapshot_id=None))]
    fn snapshots<'py>(
        &self,
        py: Python<'py>,
        summary_class: &Bound<'py, PyAny>,
        snapshot_id: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        snapshots(py, self.table.metadata(), summary_class, snapshot_id)
    }

    /// (snapshot id, milliseconds, parent id, is an ancestor of the current one), oldest first; of a branch that is read instead of
    /// the current snapshot.
    #[pyo3(signature = (wap_branch=None))]
    fn history(&self, wap_branch: Option<&str>) -> Vec<(i64, i64, Option<i64>, bool)> {
        let metadata = self.table.metadata();
        let entries = match wap_branch {
            Some(branch) if !self.choice.is_chosen() => metadata.history_of(branch),
            _ => metadata.history(),
        };
        let parts = entries.iter().map(|entry| {
            (entry.snapshot_id, entry.made_current_at_ms, entry.parent_id, entry.is_current_ancestor)
        });
        parts.collect()
    }

    /// `appends_after` is `(snapshot id or None,)` for what appends added after that snapshot alone. `wap_branch` is read where no
    /// snapshot is chosen. `reference` is a branch or a tag.
    #[pyo3(signature = (
        *, row_filter, selected_fields, case_sensitive, snapshot_id, limit, appends_after=None, wap_branch=None, reference=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each of Table.scan")]
    fn scan(
        &self,
        py: Python<'_>,
        row_filter: Tree,
        selected_fields: Vec<String>,
        case_sensitive: bool,
        snapshot_id: Option<i64>,
        limit: Option<u64>,
        appends_after: Option<(Option<i64>,)>,
        wap_branch: Option<String>,
        reference: Option<String>,
    ) -> PyResult<Scan> {
        let is_chosen = self.choice.is_chosen();
        if reference.is_some() && (snapshot_id.is_some() || is_chosen) {
            let two = Error::invalid_input(
                "choose one snapshot: the scan already has a snapshot, branch, tag or time",
            );
            return runtime::call(py, || Err(two));
        }
        let choice = match (snapshot_id, reference, wap_branch) {
            (Some(id), ..) => SnapshotChoice::Id(id),
            (None, Some(name), _) => SnapshotChoice::Ref(name),
            (None, None, Some(branch)) if !is_chosen => SnapshotChoice::Audit(branch),
            (None, None, _) => self.choice.clone(),
        };
        let mut scan = IcebergScan::new(self.table.clone())
            .at(choice)
            .case_sensitive(case_sensitive)
            .appends_after(appends_after.map(|(after,)| AppendsAfter(after)))
            .limit(limit);
        if row_filter.0 != Expr::True {
            scan = scan.filter(row_filter.0);
        }
        if selected_fields.is_empty() || selected_fields.iter().any(|name| name != "*") {
            scan = scan.select(selected_fields);
        }
        Scan::checked(py, scan)
    }

    /// A metadata table, at the snapshot or the ref given, or else at the snapshot of the table. `wap_branch` is read instead of
    /// the current one.
    #[pyo3(signature = (name, snapshot_id, reference, wap_branch=None))]
    fn inspect(
        &self,
        py: Python<'_>,
        name: &str,
        snapshot_id: Option<i64>,
        reference: Option<String>,
        wap_branch: Option<String>,
    ) -> PyResult<MetadataReader> {
        let which = runtime::call(py, || {
            let which: MetadataTable = name.parse()?;
            if (snapshot_id.is_some() || reference.is_some()) && !which.is_of_a_snapshot() {
                let given = if snapshot_id.is_some() { "snapshot_id" } else { "branch" };
                let message = format!("the metadata table {name:?} covers all snapshots: remove {given}");
                return Err(Error::invalid_input(message));
            }
            Ok(which)
        })?;
        let choice = match (snapshot_id, reference, wap_branch) {
            (Some(id), ..) => SnapshotChoice::Id(id),
            (None, Some(name), _) => SnapshotChoice::Ref(name),
            (None, None, Some(branch)) if !self.choice.is_chosen() => SnapshotChoice::Audit(branch),
            (None, None, _) => self.choice.clone(),
        };
        MetadataReader::open(py, Inspection::new(self.table.clone(), which).at(choice))
    }

    fn __repr__(&self) -> String {
        let mut text = format!("Table({:?}", shown(self.table.metadata_location()));
        describe_choice(&mut text, &self.choice);
        text + ")"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, table) = (slf.py(), slf.get());
        let bytes = runtime::call(py, || table_to_bytes(&table.table, &table.choice))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Opens what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        let work = move |_: &Cancel| -> Result<Self> {
            let (table, choice) = table_from_bytes(&recipe)?;
            Ok(Self { table, choice })
        };
        runtime::run(py, &Cancel::default(), work)
    }
}

/// Has a later schema all columns of an earlier one as they were, and others of other names?
fn only_adds_columns(earlier: &Schema, later: &Schema) -> bool {
    let is_kept = |id: i32| {
        let of = |schema: &Schema| schema.fields().iter().find(|field| field.id == id).cloned();
        of(earlier).is_some_and(|field| of(later) == Some(field))
    };
    let is_new = |name: &str| !earlier.fields().iter().any(|field| field.name.eq_ignore_ascii_case(name));
    earlier.identifier_field_ids() == later.identifier_field_ids()
        && earlier.fields().iter().all(|field| is_kept(field.id))
        && later.fields().iter().all(|field| is_kept(field.id) || is_new(&field.name))
}
