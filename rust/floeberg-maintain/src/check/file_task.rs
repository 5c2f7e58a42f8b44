//! Which files does another process check?
//!
//! In: manifests whose files are opened. Out: tasks as JSON, and from a task its findings.
//!
//! ```text
//! manifests -> live files, each once -> tasks of about as many files
//! a task, the metadata               -> the entries of its manifests, read again -> files
//! ```
//!
//! Invariant: a task finds what the check itself would find of these files. A manifest that was removed meanwhile is a finding.

use std::sync::Arc;

use floeberg_core::finding::{Finding, Findings, Level};
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::{Relocation, Store};
use serde_json::{Value as Json, json};

use super::files::{FileChecks, FileEntry, check_file};
use super::known::Known;
use super::parts::read_manifest;
use super::reading::Reading;

/// A file that is checked elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SentFile {
    /// The number of its entry in the manifest.
    pub(super) row: usize,
    /// The schema that it is read with.
    pub(super) schema_id: i32,
    /// The rows of the data file that a vector is of.
    pub(super) rows: Option<i64>,
}

/// Tasks of about as many files, at most so many tasks.
pub(super) fn tasks(manifests: &[(ManifestFile, Vec<SentFile>)], most_tasks: usize) -> Vec<String> {
    let files: usize = manifests.iter().map(|(_, files)| files.len()).sum();
    let share = files.div_ceil(most_tasks.max(1)).max(1);
    let (mut tasks, mut parts, mut count) = (Vec::new(), Vec::new(), 0);
    for (manifest, files) in manifests {
        let mut left = files.as_slice();
        while !left.is_empty() {
            let (some, others) = left.split_at(left.len().min(share - count));
            parts.push(part(manifest, some));
            count += some.len();
            left = others;
            if count == share {
                tasks.push(Json::Array(std::mem::take(&mut parts)).to_string());
                count = 0;
            }
        }
    }
    if !parts.is_empty() {
        tasks.push(Json::Array(parts).to_string());
    }
    tasks
}

fn part(manifest: &ManifestFile, files: &[SentFile]) -> Json {
    let files: Vec<Json> = files.iter().map(|file| json!([file.row, file.schema_id, file.rows])).collect();
    json!({
        "path": manifest.manifest_path,
        "length": manifest.manifest_length,
        "spec": manifest.partition_spec_id,
        "deletes": manifest.content == ManifestContent::Deletes,
        "sequence-number": manifest.sequence_number,
        "files": files,
    })
}

/// What checks the files of tasks: the metadata that they were made of, and a store.
#[derive(Debug)]
pub struct TaskChecks {
    checks: FileChecks,
}

impl TaskChecks {
    /// Errors: `InvalidData` for metadata that cannot be used.
    pub fn new(
        metadata: TableMetadata,
        store: Arc<dyn Store>,
        relocation: Relocation,
        level: Level,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mapping = metadata.name_mapping().unwrap_or_default();
        let reading = Reading { store, relocation: Arc::new(relocation) };
        let known = Arc::new(Known::new(metadata)?);
        Ok(Self { checks: FileChecks { known, reading, level, mapping, cancel: cancel.clone() } })
    }

    /// What is wrong with the files of a task.
    ///
    /// Errors: `InvalidInput` for a text that is no task; those of the store; `Cancelled`.
    pub fn run(&self, task: &str, threads: usize) -> Result<Vec<Finding>> {
        let damaged = || Error::invalid_input("a task that checks files is damaged");
        let parts: Json = serde_json::from_str(task).map_err(|error| damaged().caused_by(error))?;
        let mut found = Vec::new();
        for part in parts.as_array().ok_or_else(damaged)? {
            let (manifest, files) = received(part).ok_or_else(damaged)?;
            self.check(&manifest, &files, threads, &mut found)?;
        }
        Ok(found)
    }

    fn check(
        &self,
        manifest: &ManifestFile,
        files: &[SentFile],
        threads: usize,
        found: &mut Vec<Finding>,
    ) -> Result<()> {
        let checks = &self.checks;
        let read = read_manifest(&checks.reading, &checks.known, manifest)?;
        let Some(stored) = read.stored.map(Arc::new) else {
            found.extend(read.found.into_list());
            return Ok(());
        };
        let metadata = &checks.known.metadata;
        let of_files = ordered(files, threads, &checks.cancel, |file| {
            if file.row >= stored.len() {
                return Err(Error::invalid_data("a manifest has other entries when it is read again")
                    .with("path", &manifest.manifest_path));
            }
            let schema = metadata.schemas.iter().find(|schema| schema.schema_id() == file.schema_id);
            let schema = schema.unwrap_or_else(|| metadata.current_schema());
            // The number of the snapshot counts for nothing here: its schema is known.
            let (stored, spec_id) = (Arc::clone(&stored), manifest.partition_spec_id);
            let entry = FileEntry { stored, row: file.row, spec_id, snapshot: 0 };
            check_file(checks, &entry, schema, file.rows)
        })?;
        found.extend(of_files.into_iter().flat_map(Findings::into_list));
        Ok(())
    }
}

fn received(part: &Json) -> Option<(ManifestFile, Vec<SentFile>)> {
    let path = part.get("path")?.as_str()?.to_owned();
    let spec = i32::try_from(part.get("spec")?.as_i64()?).ok()?;
    let is_deletes = part.get("deletes")?.as_bool()?;
    let content = if is_deletes { ManifestContent::Deletes } else { ManifestContent::Data };
    let manifest = ManifestFile {
        sequence_number: part.get("sequence-number")?.as_i64()?,
        ..ManifestFile::unlisted(path, part.get("length")?.as_i64()?, spec, content)
    };
    let file = |file: &Json| {
        let row = usize::try_from(file.get(0)?.as_u64()?).ok()?;
        let schema_id = i32::try_from(file.get(1)?.as_i64()?).ok()?;
        Some(SentFile { row, schema_id, rows: file.get(2)?.as_i64() })
    };
    let files = part.get("files")?.as_array()?.iter().map(file).collect::<Option<Vec<_>>>()?;
    Some((manifest, files))
}
