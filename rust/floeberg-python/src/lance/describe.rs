//! How do versions, tags, branches and fragments of a Lance table reach Python?
//!
//! As tuples and dictionaries, which become frozen dataclasses there.

use floeberg_core::Result;
use floeberg_lance::Table;
use floeberg_lance::metadata::{Branch, Tag, flag_names};
use floeberg_lance::wire::ManifestHead;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Number, microseconds since 1970, library and version of the writer, branch.
pub type VersionParts = (u64, Option<i64>, Option<(String, String)>, Option<String>);

/// Name, version, branch.
pub type TagParts = (String, u64, Option<String>);

/// Name, parent branch, parent version, seconds since 1970 when it was made.
pub type BranchParts = (String, Option<String>, u64, u64);

/// Fragment, location, version, fields, bytes.
pub type FileParts = (u64, String, String, Vec<i32>, u64);

/// What a manifest says of its version.
pub fn version_parts(head: &ManifestHead) -> VersionParts {
    let writer = head.writer_version.as_ref().map(|writer| (writer.library.clone(), writer.version.clone()));
    (head.version, head.timestamp_micros(), writer, head.branch.clone())
}

/// What a tag says.
pub fn tag_parts(tag: Tag) -> TagParts {
    (tag.name, tag.version, tag.branch)
}

/// What a branch says.
pub fn branch_parts(branch: Branch) -> BranchParts {
    (branch.name, branch.parent_branch, branch.parent_version, branch.created_at)
}

/// What fragments say of their data files.
pub fn data_files(table: &Table) -> Result<Vec<FileParts>> {
    let plan = table.plan()?;
    let mut files = Vec::with_capacity(table.manifest().fragments.file_count());
    for place in 0..plan.len() {
        let task = plan.task(place)?;
        files.extend(task.files.into_iter().map(|file| {
            (task.fragment_id, file.location, file.layout.version(), file.layout.fields, file.size_bytes)
        }));
    }
    Ok(files)
}

/// What a manifest says beside its fragments.
pub fn facts<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let head = &table.manifest().head;
    let facts = PyDict::new(py);
    let config = PyDict::new(py);
    for (key, value) in &head.config {
        config.set_item(key, value)?;
    }
    let metadata = PyDict::new(py);
    for (key, value) in &head.table_metadata {
        metadata.set_item(key, value)?;
    }
    facts.set_item("config", config)?;
    facts.set_item("table_metadata", metadata)?;
    facts.set_item("data_storage_version", head.data_format.as_ref().map(|format| format.version.clone()))?;
    facts.set_item("has_stable_row_ids", table.has_stable_row_ids())?;
    facts.set_item("transaction_file", &head.transaction_file)?;
    facts.set_item("fragments", table.manifest().fragments.len())?;
    facts.set_item("features", flag_names(head.reader_feature_flags | head.writer_feature_flags))?;
    Ok(facts)
}
