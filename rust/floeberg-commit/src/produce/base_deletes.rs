//! Do new deletes and rewritten rows still fit the base of an attempt?
//!
//! In: the files that an operation adds and removes, and the manifests of the base. Out: nothing, or the conflict.
//! Spec: Deletion Vectors (at most one for a data file); Scan Planning (scope rules); Commit Conflict Resolution and Retry.
//!
//! Invariant: a data file that deletes name is live. It has one vector afterwards, which holds all that was deleted by position
//! when the operation read it. Rows that are written again were not deleted by others since.

use std::collections::{HashMap, HashSet};

use arrow_array::Array as _;
use floeberg_core::schema::reserved::DELETE_FILE_PATH;
use floeberg_core::value::PartitionKey;
use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_io::location::canonical;

use super::complete_manifests::base_manifests;
use super::context::ActionContext;
use super::files_by_path::FilesByPath;
use super::filtered::has_live_files;
use super::removal::partition_key;
use floeberg_iceberg::manifest::{EntryRequest, FileContent, ManifestContent, ManifestEntries, ManifestFile};
use floeberg_iceberg::metadata::Snapshot;
use floeberg_iceberg::write::WrittenFile;

/// What an operation does to rows that were there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaseCheck<'a> {
    /// The files that it adds.
    pub added: &'a [WrittenFile],
    /// The files that it removes, as the table lists them.
    pub removed: &'a [WrittenFile],
    /// All files that it removes, by their names.
    pub named: &'a FilesByPath,
    /// Data files that its deletes are for, besides those that delete files name.
    pub referenced_data_files: &'a [String],
    /// The snapshot whose rows it read; `None` is a branch without one.
    pub read_snapshot_id: Option<i64>,
}

/// What deletes of others since the read snapshot must not apply to.
struct Targets<'a> {
    /// Data files that get a vector, by path, and their partitions.
    with_vector: HashMap<&'a str, (i32, PartitionKey)>,
    /// Data files whose rows are written again.
    rewritten: HashMap<&'a str, (i32, PartitionKey)>,
    vector_partitions: HashSet<(i32, PartitionKey)>,
    rewritten_partitions: HashSet<(i32, PartitionKey)>,
    /// The sequence number of the read snapshot.
    since: i64,
}

/// Looks through the live files of the base.
///
/// Errors: `CommitConflict` for a data file that is gone, a vector that is not replaced, and deletes of others that would be lost;
/// `InvalidInput` for deletes of a data file that the operation itself removes, and for keys that do not reach all data files.
pub(crate) fn check_base(context: &ActionContext<'_>, check: BaseCheck<'_>) -> Result<()> {
    let parent = context.parent()?;
    let manifests = base_manifests(context)?;
    let (data, deletes): (Vec<_>, Vec<_>) =
        manifests.iter().partition(|manifest| manifest.content == ManifestContent::Data);
    check_read_from_branch(context, parent.as_deref(), check.read_snapshot_id)?;
    check_specs_of_keys(context, check, &data)?;
    let referenced = referenced(check);
    if let Some(path) = referenced.iter().find(|path| check.named.has_data_file(path)) {
        let message = "an operation that removes a data file adds no deletes for it";
        return Err(Error::invalid_input(message).with("file_path", path));
    }
    // What was read from this very snapshot is in it.
    if parent.as_deref().map(|snapshot| snapshot.snapshot_id) != check.read_snapshot_id {
        check_live(context, &data, &referenced)?;
    }
    let targets = targets(context, check)?;
    if targets.with_vector.is_empty() && targets.rewritten.is_empty() {
        return Ok(());
    }
    ordered(&deletes, context.reader.threads, &context.reader.cancel, |manifest| {
        if !has_live_files(manifest) {
            return Ok(());
        }
        let wanted = EntryRequest { statistics_of: vec![DELETE_FILE_PATH], ..EntryRequest::default() };
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        check_deletes(context, &entries, &targets, check.named).context("manifest", &manifest.manifest_path)
    })
    .map(drop)
}

/// What came since a snapshot is known only where the branch has it.
///
/// Errors: `CommitConflict` for a read snapshot that is not in the history of the branch.
fn check_read_from_branch(
    context: &ActionContext<'_>,
    parent: Option<&Snapshot>,
    read_snapshot_id: Option<i64>,
) -> Result<()> {
    let Some(id) = read_snapshot_id else { return Ok(()) };
    if parent.is_some_and(|parent| context.metadata.is_ancestor(id, parent.snapshot_id)) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::CommitConflict,
        "the snapshot that was read is not in the history of the branch: it is of another branch, the branch was rolled back, or \
         snapshots expired. Read the branch, and try again",
    )
    .with("branch", context.branch)
    .with("snapshot", id))
}

/// The data files that deletes by position are for.
fn referenced(check: BaseCheck<'_>) -> HashSet<&str> {
    let deletes = check.added.iter().filter(|written| written.file.content == FileContent::PositionDeletes);
    let named = deletes.filter_map(|written| written.file.referenced_data_file.as_deref());
    named.chain(check.referenced_data_files.iter().map(String::as_str)).map(canonical).collect()
}

/// Errors: `InvalidInput` or `CommitConflict` where keys are deleted under some specs, and data files are of another too.
fn check_specs_of_keys(
    context: &ActionContext<'_>,
    check: BaseCheck<'_>,
    data: &[&ManifestFile],
) -> Result<()> {
    let keys = check.added.iter().filter(|written| written.file.content == FileContent::EqualityDeletes);
    let specs: HashSet<i32> = keys.map(|written| written.spec_id).collect();
    for spec_id in &specs {
        if context.spec(*spec_id)?.is_unpartitioned() {
            return Ok(());
        }
    }
    let other = data.iter().find(|manifest| {
        !specs.is_empty() && has_live_files(manifest) && !specs.contains(&manifest.partition_spec_id)
    });
    let Some(other) = other else { return Ok(()) };
    let message = format!(
        "keys are deleted in partitions of other specs than {}, and the table has data files of it: write the keys for that spec \
         too",
        other.partition_spec_id
    );
    Err(Error::new(ErrorKind::CommitConflict, message).with("manifest", &other.manifest_path))
}

/// Errors: `CommitConflict` for a data file that is not live.
fn check_live(context: &ActionContext<'_>, data: &[&ManifestFile], referenced: &HashSet<&str>) -> Result<()> {
    if referenced.is_empty() {
        return Ok(());
    }
    let wanted = EntryRequest { without_details: true, ..EntryRequest::default() };
    let found = ordered(data, context.reader.threads, &context.reader.cancel, |manifest| {
        if !has_live_files(manifest) {
            return Ok(Vec::new());
        }
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        let paths = entries.file_path.iter().flatten();
        Ok(paths.filter_map(|path| referenced.get(canonical(path)).copied()).collect::<Vec<_>>())
    })?;
    let found: HashSet<&str> = found.into_iter().flatten().collect();
    match referenced.iter().find(|path| !found.contains(*path)) {
        None => Ok(()),
        Some(path) => Err(Error::new(
            ErrorKind::CommitConflict,
            "a data file that rows are deleted from is not in the table any more: its rows were deleted, or written again \
             elsewhere",
        )
        .with("file_path", path)),
    }
}

fn targets<'a>(context: &ActionContext<'_>, check: BaseCheck<'a>) -> Result<Targets<'a>> {
    let since = match check.read_snapshot_id {
        None => 0,
        Some(id) => match context.metadata.snapshot(id) {
            Ok(snapshot) => snapshot.sequence_number,
            Err(_) => {
                return Err(Error::new(
                    ErrorKind::CommitConflict,
                    "conflicts cannot be ruled out: the snapshot that rows were read from has expired",
                )
                .with("snapshot", id));
            }
        },
    };
    let partition = |written: &WrittenFile| partition_key(written.spec_id, &written.file.partition);
    let vectors = check.added.iter().filter(|written| written.file.is_vector());
    let with_vector: HashMap<_, _> = vectors
        .filter_map(|written| {
            Some((canonical(written.file.referenced_data_file.as_deref()?), partition(written)))
        })
        .collect();
    // Rows of files that are only removed do not come back.
    let writes_rows = check.added.iter().any(|written| written.file.content == FileContent::Data);
    let data =
        check.removed.iter().filter(|written| writes_rows && written.file.content == FileContent::Data);
    let rewritten: HashMap<_, _> =
        data.map(|written| (canonical(&written.file.file_path), partition(written))).collect();
    Ok(Targets {
        vector_partitions: with_vector.values().cloned().collect(),
        rewritten_partitions: rewritten.values().cloned().collect(),
        with_vector,
        rewritten,
        since,
    })
}

fn check_deletes(
    context: &ActionContext<'_>,
    entries: &ManifestEntries,
    targets: &Targets<'_>,
    named: &FilesByPath,
) -> Result<()> {
    let specs = context.specs()?;
    let spec = specs.get(entries.spec_id)?;
    let referenced = &entries.details()?.referenced_data_file;
    let bounds = entries.statistics.get(&DELETE_FILE_PATH);
    for row in 0..entries.len() {
        let is_new = entries.data_sequence_number.value(row) > targets.since;
        let is_equality = entries.file_content.value(row) == FileContent::EqualityDeletes as i32;
        let is_vector = !is_equality && entries.file_format.value(row).eq_ignore_ascii_case("puffin");
        if !is_new && !is_vector {
            continue;
        }
        let only = if referenced.is_valid(row) {
            Some(referenced.value(row))
        } else {
            bounds.and_then(|bounds| {
                let (lower, upper) = (&bounds.lower_bound, &bounds.upper_bound);
                let same = lower.is_valid(row) && upper.is_valid(row) && lower.value(row) == upper.value(row);
                std::str::from_utf8(lower.value(row)).ok().filter(|_| same)
            })
        };
        let only = only.filter(|_| !is_equality).map(canonical);
        let of_partition = || {
            let values = spec.values(&entries.partition, row)?;
            Ok::<_, Error>((
                entries.spec_id,
                PartitionKey::new(values.iter().map(|(_, value)| value.as_ref())),
            ))
        };
        let what = if is_vector && only.is_some_and(|path| targets.with_vector.contains_key(path)) {
            if named.has(entries, row)? {
                continue;
            }
            "has a deletion vector that the operation does not replace"
        } else if !is_new {
            continue;
        } else if let Some(path) = only {
            if targets.rewritten.contains_key(path) {
                "had rows deleted that the operation writes again"
            } else if targets.with_vector.contains_key(path) {
                "had rows deleted that a new deletion vector does not hold"
            } else {
                continue;
            }
        } else if targets.rewritten_partitions.contains(&of_partition()?)
            || (is_equality && spec.unpartitioned && !targets.rewritten.is_empty())
        {
            "may have had rows deleted that the operation writes again"
        } else if !is_equality && targets.vector_partitions.contains(&of_partition()?) {
            "may have had rows deleted that a new deletion vector does not hold"
        } else {
            continue;
        };
        let error = Error::new(
            ErrorKind::CommitConflict,
            format!("a data file {what}: another commit deleted rows since the operation read them"),
        );
        let error = error.with("delete_file", entries.file_path.value(row));
        return Err(match only {
            Some(path) => error.with("file_path", path),
            None => error,
        });
    }
    Ok(())
}
