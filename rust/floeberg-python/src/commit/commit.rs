//! How does Python try a commit?
//!
//! Invariant: retries, and what is known of outcomes, are Python's. Nothing is removed here unless it asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_commit::{
    Attempt as IcebergAttempt, Commit as IcebergCommit, CommitRequest, DeleteGroup, GroupCopy,
    Operation as IcebergOperation, RowCounts, RowsOfFiles, apply_request, read_requirements,
};
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::{SnapshotChoice, Table as IcebergTable};
use floeberg_maintain::newly_broken;
use pyo3::prelude::*;

use crate::commit::operation::Operation;
use crate::key_management::storage_of;
use crate::pickle::refuse;
use crate::runtime;
use crate::scan::task_group::TaskGroup;
use crate::table::table::Table;
use crate::values::json::json;
use crate::write::delete_recipe::DeleteRecipe;
use crate::write::receipt::Receipt;
use crate::write::writer::WriteRecipe;

/// Operations that are applied to one base after the other until a commit succeeds.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Commit(Arc<IcebergCommit>);

#[pymethods]
impl Commit {
    #[staticmethod]
    #[pyo3(signature = (
        operations, *, starting, storage_options, snapshot_properties, branch, commit_key, validate_from_snapshot_ids=Vec::new(), files_are_new=false,
        stage_only=false, leaves_record=false, key_management=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each of commit")]
    fn begin(
        py: Python<'_>,
        operations: Vec<PyRef<'_, Operation>>,
        starting: Option<PyRef<'_, Table>>,
        storage_options: BTreeMap<String, String>,
        snapshot_properties: BTreeMap<String, String>,
        branch: String,
        commit_key: String,
        validate_from_snapshot_ids: Vec<Option<i64>>,
        files_are_new: bool,
        stage_only: bool,
        leaves_record: bool,
        key_management: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let operations: Vec<IcebergOperation> =
            operations.iter().map(|operation| operation.0.clone()).collect();
        let request = CommitRequest {
            operations,
            starting: starting.map(|table| table.table.clone()),
            storage: storage_of(storage_options, key_management),
            properties: snapshot_properties,
            branch,
            key: commit_key,
            validate_from_snapshot_ids,
            files_are_new,
            stage_only,
            leaves_record,
        };
        runtime::call(py, || IcebergCommit::begin(request)).map(|commit| Self(Arc::new(commit)))
    }

    /// A table as operations leave it, which write no snapshot.
    #[staticmethod]
    fn table_after(
        py: Python<'_>,
        operations: Vec<PyRef<'_, Operation>>,
        table: &Table,
        branch: &str,
    ) -> PyResult<Table> {
        let operations = operations.iter().map(|operation| operation.0.clone()).collect();
        let table = runtime::call(py, || IcebergCommit::table_after(operations, &table.table, branch))?;
        Ok(Table { table, choice: SnapshotChoice::Current })
    }

    #[pyo3(signature = (base, progress=None))]
    fn attempt(
        &self,
        py: Python<'_>,
        base: Option<PyRef<'_, Table>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Attempt> {
        let (commit, base) = (Arc::clone(&self.0), inner(base));
        let work = move |cancel: &Cancel| commit.attempt(base.as_ref(), cancel);
        self.reported(py, progress, work).map(|attempt| Attempt(Arc::new(attempt)))
    }

    #[pyo3(signature = (base, progress=None))]
    fn count(
        &self,
        py: Python<'_>,
        base: PyRef<'_, Table>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<BTreeMap<&'static str, u64>> {
        let (commit, base) = (Arc::clone(&self.0), base.table.clone());
        let work = move |cancel: &Cancel| commit.count(&base, cancel);
        self.reported(py, progress, work).map(by_name)
    }

    fn count_replaced(&self, py: Python<'_>, base: &Table) -> PyResult<(u64, u64)> {
        let (commit, table) = (Arc::clone(&self.0), base.table.clone());
        let counts = runtime::run(py, &Cancel::default(), move |cancel| commit.count(&table, cancel))?;
        Ok((counts.replaced_files, counts.replaced_bytes))
    }

    /// What other processes may copy for the attempt on a base: a key, files, and how their rows are written.
    fn groups_to_copy(
        &self,
        py: Python<'_>,
        base: &Table,
    ) -> PyResult<Vec<(String, TaskGroup, WriteRecipe)>> {
        let (commit, table) = (Arc::clone(&self.0), base.table.clone());
        let groups =
            runtime::run(py, &Cancel::default(), move |cancel| commit.groups_to_copy(&table, cancel))?;
        let parts = |group: GroupCopy| (group.key, TaskGroup(group.files), WriteRecipe(group.recipe));
        Ok(groups.into_iter().map(parts).collect())
    }

    /// What other processes may write for the attempt on a base: a key, data files with deletes, and how delete files are written.
    fn deletes_to_write(
        &self,
        py: Python<'_>,
        base: &Table,
    ) -> PyResult<Vec<(String, TaskGroup, DeleteRecipe)>> {
        let (commit, table) = (Arc::clone(&self.0), base.table.clone());
        let groups =
            runtime::run(py, &Cancel::default(), move |cancel| commit.deletes_to_write(&table, cancel))?;
        let parts = |group: DeleteGroup| (group.key, TaskGroup(group.files), DeleteRecipe(group.recipe));
        Ok(groups.into_iter().map(parts).collect())
    }

    /// Takes what another process copied, or wrote, under a key.
    fn take_copies(&self, py: Python<'_>, key: &str, receipt: &Receipt) -> PyResult<()> {
        let copies = receipt.0.clone();
        runtime::call(py, || self.0.take_copies(key, copies))
    }

    fn find_own(&self, base: &Table) -> Option<i64> {
        self.0.find_own(&base.table)
    }

    fn find_earlier(&self, py: Python<'_>, base: &Table) -> PyResult<Option<i64>> {
        runtime::call(py, || self.0.find_earlier(&base.table))
    }

    fn abandon(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let commit = Arc::clone(&self.0);
        runtime::run(py, &Cancel::default(), move |_| Ok(commit.abandon()))
    }

    fn finished(&self, py: Python<'_>, attempt: &Attempt) -> PyResult<Vec<String>> {
        let (commit, attempt) = (Arc::clone(&self.0), Arc::clone(&attempt.0));
        runtime::run(py, &Cancel::default(), move |_| Ok(commit.finished(&attempt)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a Commit", "its operations"))
    }
}

impl Commit {
    /// Does work that reports its progress, now and then and at its end.
    fn reported<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let report = |py: Python<'_>| {
            let Some(callback) = &progress else { return Ok(()) };
            let now = self.0.progress();
            callback.call1(py, (now.step().name(), now.files(), now.of_files(), now.rows())).map(drop)
        };
        let done = runtime::run_reported(py, &Cancel::default(), &report, work)?;
        report(py)?;
        Ok(done)
    }
}

/// Counts by the names that they have in Python. Those of maintenance are there where it did something.
fn by_name(counts: RowCounts) -> BTreeMap<&'static str, u64> {
    let mut named = BTreeMap::from([
        ("deleted_rows", counts.deleted_rows),
        ("deleted_files", counts.deleted_files),
        ("deleted_bytes", counts.deleted_bytes),
        ("rewritten_files", counts.rewritten_files),
        ("rewritten_bytes", counts.rewritten_bytes),
        ("copied_rows", counts.copied_rows),
        ("files_with_new_deletes", counts.files_with_new_deletes),
    ]);
    if counts.replaced_files > 0 {
        named.insert("replaced_files", counts.replaced_files);
        named.insert("replaced_bytes", counts.replaced_bytes);
    }
    named
}

/// What proves that a repair leaves rows as they are, for Python.
type RowProof = (u64, u64, bool, (u64, String), (u64, String));

/// A commit on one base.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Attempt(Arc<IcebergAttempt>);

#[pymethods]
impl Attempt {
    /// The request of a client of a REST catalog, applied to a table; without a base it creates the table.
    #[staticmethod]
    #[pyo3(signature = (base, *, requirements_json, updates_json, storage_options, now_ms=None, key_management=None))]
    fn of_request(
        py: Python<'_>,
        base: Option<PyRef<'_, Table>>,
        requirements_json: &str,
        updates_json: &str,
        storage_options: BTreeMap<String, String>,
        now_ms: Option<i64>,
        key_management: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (base, storage) = (inner(base), storage_of(storage_options, key_management));
        let attempt = runtime::call(py, || {
            let requirements = json("requirements", Some(requirements_json))?;
            let updates = json("updates", Some(updates_json))?;
            let now_ms = now_ms.map_or_else(floeberg_commit::now_ms, Ok)?;
            apply_request(base, storage, requirements, updates, now_ms)
        })?;
        Ok(Self(Arc::new(attempt)))
    }

    /// The rules that the new metadata breaks and that the base does not: their names, the parts, and what was found.
    fn newly_broken(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        let found = runtime::call(py, || {
            newly_broken(self.0.base().map(|base| &**base.metadata()), self.0.metadata(), "")
        })?;
        Ok(found.into_iter().map(|each| (each.rule.id.to_owned(), each.part, each.message)).collect())
    }

    #[getter]
    fn changes(&self) -> bool {
        self.0.changes()
    }

    #[getter]
    fn counts(&self) -> BTreeMap<&'static str, u64> {
        by_name(self.0.counts())
    }

    #[getter]
    fn is_rebased(&self) -> bool {
        self.0.is_rebased()
    }

    /// Of a repair: files that were read both ways, files that no scan could read before, whether a scan could be planned before, and
    /// rows and checksum before and after.
    #[getter]
    fn row_proof(&self) -> Option<RowProof> {
        let shown = |of: RowsOfFiles| (of.rows, format!("{:032x}", of.checksum));
        let proof = self.0.row_proof()?;
        let (before, after) = (shown(proof.before), shown(proof.after));
        Some((proof.files, proof.unread_files, proof.is_planned_before, before, after))
    }

    #[getter]
    fn snapshot_id(&self) -> Option<i64> {
        self.0.snapshot_id()
    }

    #[getter]
    fn metadata_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || self.0.metadata().to_text())
    }

    #[getter]
    fn requirements_json(&self) -> String {
        self.0.requirements_json().to_string()
    }

    #[getter]
    fn updates_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || Ok(self.0.updates_json()?.to_string()))
    }

    #[getter]
    fn properties(&self) -> BTreeMap<String, String> {
        let properties = &self.0.metadata().properties;
        properties.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    #[getter]
    fn metadata_folder(&self) -> String {
        self.0.metadata().metadata_folder()
    }

    #[pyo3(signature = (location, *, if_absent))]
    fn write_metadata(&self, py: Python<'_>, location: String, if_absent: bool) -> PyResult<()> {
        let attempt = Arc::clone(&self.0);
        runtime::run(py, &Cancel::default(), move |_| attempt.write_metadata(&location, if_absent))
    }

    fn check_files(&self, py: Python<'_>, metadata_location: String) -> PyResult<()> {
        let attempt = Arc::clone(&self.0);
        runtime::run(py, &Cancel::default(), move |cancel| attempt.check_files(&metadata_location, cancel))
    }

    fn table(&self, py: Python<'_>, metadata_location: &str) -> PyResult<Table> {
        let table = runtime::call(py, || self.0.table(metadata_location))?;
        Ok(Table { table, choice: SnapshotChoice::Current })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("an Attempt", "the operations of its Commit"))
    }
}

/// Raises `CommitConflictError` if a requirement does not hold of a table; `None` is a table that does not exist.
#[pyfunction]
pub fn check_requirements(
    py: Python<'_>,
    table: Option<PyRef<'_, Table>>,
    requirements_json: &str,
) -> PyResult<()> {
    let table = inner(table);
    runtime::call(py, || {
        let metadata = table.as_ref().map(|table| &**table.metadata());
        let requirements = read_requirements(json("requirements", Some(requirements_json))?)?;
        requirements.iter().try_for_each(|requirement| requirement.check(metadata))
    })
}

fn inner(table: Option<PyRef<'_, Table>>) -> Option<IcebergTable> {
    table.map(|table| table.table.clone())
}
