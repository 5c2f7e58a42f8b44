//! Does a repair of manifests change which rows a scan gives?
//!
//! In: the manifests before and after. Out: how many rows the files have that are read in another way, with checksums of them.
//! Spec: Scan Planning; Position Delete Files (bounds of `file_path`); Equality Delete Files.
//!
//! ```text
//! plans of both -> files with the same task in both: the same rows
//!               -> files with another task: sizes, counts, places or deletes that apply -> rows, read both ways -> checksums
//! ```
//!
//! Invariant: a file is left out only if everything that reading uses is the same before and after, or if what was given up changes
//! its rows. A checksum is the sum of a hash of each row: rows are in no order, and a row that is there twice counts twice.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use floeberg_core::expr::BoundExpr;
use floeberg_core::finding::split;
use floeberg_core::rows::RowHashes;
use floeberg_core::schema::Schema;
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::ManifestFile;
use floeberg_iceberg::plan::{DeleteFile, FileScanTask, PlanRequest, PlanStream};
use floeberg_iceberg::read::{TableReader, read_task};
use floeberg_io::location::canonical;

use super::matched::{plan_request, read_request};
use crate::produce::ActionContext;
use crate::state::{RowProof, RowsOfFiles};

/// Compares the rows before and after. Files that are given up, and rows that come back with their deletes, do not count.
///
/// Errors: those of planning and of reading. A file that cannot be read before is none.
pub(crate) fn row_proof(
    context: &ActionContext<'_>,
    before: Vec<ManifestFile>,
    after: Vec<ManifestFile>,
    given_up: &HashSet<&str>,
) -> Result<RowProof> {
    let (before, after) = (request(context, before)?, request(context, after)?);
    let mut proof = RowProof::default();
    let Ok(known) = split(fingerprints(&before))? else {
        // No scan gave any rows.
        proof.is_planned_before = false;
        return Ok(proof);
    };
    let Found { tasks: new, mut paths } = unknown(after, known)?;
    if paths.is_empty() {
        return Ok(proof);
    }
    let old = tasks_of(before, &paths)?;
    for task in &old {
        let loses = |delete: &Arc<DeleteFile>| given_up.contains(canonical(&delete.file_path));
        if given_up.contains(canonical(&task.file_path)) || task.deletes.iter().any(loses) {
            paths.remove(canonical(&task.file_path));
        }
    }
    let old = rows_of(context, &old, &paths)?;
    let unread: HashSet<String> =
        old.iter().filter(|(_, rows)| rows.is_err()).map(|(path, _)| path.clone()).collect();
    // What no scan could read may be read now, or not.
    let read: HashSet<String> = paths.difference(&unread).cloned().collect();
    (proof.files, proof.unread_files) = (read.len() as u64, unread.len() as u64);
    for (path, rows) in old {
        if let Some(rows) = rows.ok().filter(|_| read.contains(&path)) {
            proof.before.add(rows);
        }
    }
    for (path, rows) in rows_of(context, &new, &read)? {
        let what = "a repair would make a file unreadable that is read now";
        proof.after.add(rows.map_err(|error| Error::invalid_data(what).with("path", path).caused_by(error))?);
    }
    Ok(proof)
}

fn request(context: &ActionContext<'_>, manifests: Vec<ManifestFile>) -> Result<PlanRequest> {
    let request = plan_request(context, context.parent()?, BoundExpr::True, None)?;
    Ok(PlanRequest { manifests: Some(Arc::new(manifests)), ..request })
}

/// Of each file how it is read, as often as it is live.
type Fingerprints = HashMap<String, Vec<u64>>;

fn fingerprints(request: &PlanRequest) -> Result<Fingerprints> {
    let mut known = Fingerprints::new();
    for task in PlanStream::open(request.clone())?.into_tasks() {
        let task = task?;
        known.entry(canonical(&task.file_path).to_owned()).or_default().push(fingerprint(&task));
    }
    Ok(known)
}

/// All that reading a file uses.
fn fingerprint(task: &FileScanTask) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&task.location, task.file_format, task.file_size_in_bytes, task.record_count).hash(&mut hasher);
    (task.spec_id, task.data_sequence_number, task.first_row_id).hash(&mut hasher);
    // Values have no hash of their own.
    format!("{:?}", task.partition).hash(&mut hasher);
    let mut deletes: Vec<String> = task.deletes.iter().map(|delete| format!("{delete:?}")).collect();
    deletes.sort_unstable();
    deletes.hash(&mut hasher);
    hasher.finish()
}

/// Files that are read in another way than before, and those that are not there in one of the plans.
struct Found {
    tasks: Vec<FileScanTask>,
    paths: HashSet<String>,
}

fn unknown(after: PlanRequest, mut known: Fingerprints) -> Result<Found> {
    let mut tasks = Vec::new();
    for task in PlanStream::open(after)?.into_tasks() {
        let task = task?;
        let own = fingerprint(&task);
        let of_file = known.get_mut(canonical(&task.file_path));
        let place = of_file.as_ref().and_then(|of_file| of_file.iter().position(|each| *each == own));
        match of_file.zip(place) {
            Some((of_file, place)) => drop(of_file.swap_remove(place)),
            None => tasks.push(task),
        }
    }
    let left = known.into_iter().filter(|(_, left)| !left.is_empty()).map(|(path, _)| path);
    let new = tasks.iter().map(|task: &FileScanTask| canonical(&task.file_path).to_owned());
    let paths = left.chain(new).collect();
    Ok(Found { tasks, paths })
}

fn tasks_of(request: PlanRequest, paths: &HashSet<String>) -> Result<Vec<FileScanTask>> {
    let is_wanted = |task: &FileScanTask| paths.contains(canonical(&task.file_path));
    let tasks = PlanStream::open(request)?.into_tasks();
    tasks.filter(|task| task.as_ref().map_or(true, is_wanted)).collect()
}

/// The rows of the tasks of some files, or why a file cannot be read.
fn rows_of(
    context: &ActionContext<'_>,
    tasks: &[FileScanTask],
    paths: &HashSet<String>,
) -> Result<Vec<(String, std::result::Result<RowsOfFiles, Error>)>> {
    let columns: Schema = context.metadata.current_schema().as_ref().clone();
    let reader = Arc::new(TableReader::new(read_request(context, columns)?));
    let wanted: Vec<&FileScanTask> =
        tasks.iter().filter(|task| paths.contains(canonical(&task.file_path))).collect();
    let manifests = context.reader;
    ordered(&wanted, manifests.threads, &manifests.cancel, |task| {
        let rows = split(rows_of_task(&reader, task).context("path", &task.file_path))?;
        Ok((canonical(&task.file_path).to_owned(), rows))
    })
}

fn rows_of_task(reader: &Arc<TableReader>, task: &FileScanTask) -> Result<RowsOfFiles> {
    let hashes = RowHashes::shared();
    let mut rows = RowsOfFiles::default();
    for batch in read_task(reader, task)? {
        let batch = batch?;
        let of_batch = hashes.of(batch.columns(), batch.num_rows())?;
        let checksum = of_batch.into_iter().fold(0, u128::wrapping_add);
        rows.add(RowsOfFiles { rows: batch.num_rows() as u64, checksum });
    }
    Ok(rows)
}
