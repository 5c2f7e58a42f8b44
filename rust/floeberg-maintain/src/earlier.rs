//! Which manifests of the snapshots that stay are too old to name a file that may go?
//!
//! In: the snapshots of a table before and after an expiry, the files that may go, and the manifests of the snapshots that stay. Out: the
//! manifests that have to be read.
//! Spec: Sequence Numbers; Manifest Lists; Snapshots.
//!
//! A file that may go is live in a manifest of a snapshot that expired. Two things together say that a manifest does not name it:
//!
//! 1. By sequence numbers: the manifest was added before the file was. All snapshots are one line of parents, and those that expired come
//!    first in it, so a manifest that is older than the file was in the snapshot that expired. That one names a file once.
//! 2. By the times of the store: the manifest was written before the file was. Files are never altered, so it cannot name what was not
//!    there. This holds for tables that break the rule above, by a path that was added twice.
//!
//! Invariant: in doubt a manifest is read: without sequence numbers, without times, or where history is no line. A copy of a table gives
//! its files new times, in any order: so a manifest is older only by more than a day.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{ManifestFile, ManifestReader};
use floeberg_iceberg::metadata::Snapshot;

/// By how much a manifest is older than a file, in milliseconds, so that it cannot name it.
const OLDER_BY: i64 = 24 * 60 * 60 * 1000;

/// How many bytes of manifests are worth asking a store when a file was written.
pub(crate) const BYTES_OF_A_QUESTION: u64 = 64 << 10;

/// A file that may go.
pub(crate) struct MayGo<'a> {
    /// Its location, as written.
    pub(crate) location: &'a str,
    /// The sequence number of the commit that added it.
    pub(crate) added_at: Option<i64>,
}

/// The manifests that have to be read. Asking when files were written has to save so many bytes of manifests for each question.
///
/// Errors: `Cancelled`. What a store does not say makes it read more.
pub(crate) fn without_earlier(
    manifests: Vec<ManifestFile>,
    files: &[MayGo<'_>],
    (old, new): (&[Arc<Snapshot>], &[Arc<Snapshot>]),
    reader: &ManifestReader,
    bytes_of_a_question: u64,
) -> Result<Vec<ManifestFile>> {
    let added_at = files.iter().map(|file| file.added_at).min().flatten();
    let Some(added_at) = added_at.filter(|_| is_line(old, new)) else { return Ok(manifests) };
    let is_earlier = |manifest: &ManifestFile| manifest.sequence_number < added_at;
    let earlier: Vec<&ManifestFile> = manifests.iter().filter(|each| is_earlier(each)).collect();
    let bytes: u64 = earlier.iter().map(|each| each.manifest_length.max(0) as u64).sum();
    let questions = (files.len() + earlier.len()) as u64;
    if bytes < questions.saturating_mul(bytes_of_a_question) {
        return Ok(manifests);
    }
    let Some(oldest) = oldest(files, reader)? else { return Ok(manifests) };
    let before = oldest.saturating_sub(OLDER_BY);
    let written = ordered(&earlier, reader.threads, &reader.cancel, |manifest| {
        known(reader.store.modified_ms(&reader.relocation.apply(&manifest.manifest_path)))
    })?;
    let mut written = written.into_iter();
    let mut has_to_be_read = |manifest: &ManifestFile| {
        !is_earlier(manifest) || written.next().flatten().is_none_or(|written| written >= before)
    };
    Ok(manifests.into_iter().filter(|manifest| has_to_be_read(manifest)).collect())
}

/// When the first of some files was written. `None` where the store does not say it of all. A file that is gone already cannot be lost.
fn oldest(files: &[MayGo<'_>], reader: &ManifestReader) -> Result<Option<i64>> {
    let written = ordered(files, reader.threads, &reader.cancel, |file| {
        match reader.store.modified_ms(&reader.relocation.apply(file.location)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(i64::MAX)),
            answer => known(answer),
        }
    })?;
    Ok(written.into_iter().min().flatten())
}

/// What a store says, if it does. Errors: `Cancelled`.
fn known(answer: Result<i64, Error>) -> Result<Option<i64>> {
    match answer {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        answer => Ok(answer.ok()),
    }
}

/// Are all snapshots one line of parents, in which those that expired come first?
///
/// Branches and tags on other snapshots, staged snapshots, rollbacks, tables that were replaced, gaps of an earlier expiry and writers
/// that leave parents out make none.
fn is_line(old: &[Arc<Snapshot>], new: &[Arc<Snapshot>]) -> bool {
    let both: BTreeMap<i64, &Snapshot> =
        old.iter().chain(new).map(|snapshot| (snapshot.snapshot_id, &**snapshot)).collect();
    let mut line: Vec<&Snapshot> = both.into_values().collect();
    line.sort_by_key(|snapshot| snapshot.sequence_number);
    let follows = |pair: &[&Snapshot]| pair[1].parent_snapshot_id == Some(pair[0].snapshot_id);
    let left: HashSet<i64> = new.iter().map(|snapshot| snapshot.snapshot_id).collect();
    let is_left = |snapshot: &&Snapshot| left.contains(&snapshot.snapshot_id);
    let first_left = line.iter().position(is_left).unwrap_or(line.len());
    line.windows(2).all(follows) && line[first_left..].iter().all(is_left)
}
