//! What is wrong with a manifest?
//!
//! In: its bytes, and its row of the manifest list. Out: findings, its entries, and a digest.
//! Spec: Manifests; Manifest Lists.

use floeberg_iceberg::manifest::{ManifestFile, stored_entries};

use crate::check::known::Known;
use crate::check::rules::manifests::{
    FILE_COUNTS, MANIFEST_LENGTH, MANIFEST_READABLE, MIN_SEQUENCE, ROW_COUNTS,
};
use floeberg_core::finding::Findings;

use super::digest::Digest;
use super::entry::check_entry;
use super::file::check_file;
use super::header::check_header;
use super::metrics::check_metrics;
use super::stored::{ADDED, DELETED, EXISTING, Stored};
use super::summaries::check_summaries;

/// A manifest that was checked.
#[derive(Debug)]
pub(in crate::check) struct CheckedManifest {
    pub(in crate::check) found: Findings,
    pub(in crate::check) digest: Digest,
    /// Its entries; `None` if it cannot be read.
    pub(in crate::check) stored: Option<Stored>,
}

/// Checks a manifest.
pub(in crate::check) fn check_manifest(
    known: &Known,
    manifest: &ManifestFile,
    bytes: &[u8],
) -> CheckedManifest {
    let mut found = Findings::of(&manifest.manifest_path);
    let unread = |found: Findings| CheckedManifest { found, digest: Digest::default(), stored: None };
    let length = bytes.len() as i64;
    // Manifests of version 1 without a list have no said length.
    // An encrypted one is authentic only if it has the length that the list says.
    if manifest.key_metadata.is_none() && manifest.manifest_length != length {
        found.add(
            &MANIFEST_LENGTH,
            "",
            format_args!("the list says {}, found {length}", manifest.manifest_length),
        );
    }
    // A spec that is not there is a finding of the list.
    let Some(partition_type) = known.partition_types.get(&manifest.partition_spec_id) else {
        return unread(found);
    };
    let before = found.len();
    let version = match check_header(&mut found, known, manifest, bytes) {
        Ok(version) => version,
        Err(error) => {
            found.add(&MANIFEST_READABLE, "", error);
            return unread(found);
        }
    };
    let stored = match stored_entries(bytes, partition_type).and_then(|rows| Stored::new(&rows)) {
        Ok(stored) => stored,
        Err(error) => {
            // What lacks a field says so in a finding of its own.
            if found.len() == before {
                found.add(&MANIFEST_READABLE, "", error);
            }
            return unread(found);
        }
    };
    let partitions = match check_summaries(&mut found, manifest, partition_type, &stored.partition) {
        Ok(partitions) => partitions,
        Err(error) => {
            found.add(&MANIFEST_READABLE, "", error);
            return unread(found);
        }
    };
    let mut is_whole = true;
    for row in 0..stored.len() {
        let part = format!("entry {row}, {}", stored.path.value(row));
        is_whole &= check_entry(&mut found, &stored, row, manifest, version, &part);
        check_file(&mut found, known, &stored, row, version, &part);
        check_metrics(&mut found, known, &stored, row, &part);
    }
    if !is_whole {
        return unread(found);
    }
    check_counts(&mut found, manifest, &stored);
    let digest = Digest::new(&stored, manifest, &partitions);
    CheckedManifest { found, digest, stored: Some(stored) }
}

fn check_counts(found: &mut Findings, manifest: &ManifestFile, stored: &Stored) {
    let said = [
        ("existing", EXISTING, manifest.existing_files_count, manifest.existing_rows_count),
        ("added", ADDED, manifest.added_files_count, manifest.added_rows_count),
        ("deleted", DELETED, manifest.deleted_files_count, manifest.deleted_rows_count),
    ];
    for (word, status, files, rows) in said {
        let of_status = || (0..stored.len()).filter(|row| stored.status.value(*row) == status);
        let (there, in_them) = of_status().fold((0, 0_i64), |(files, rows), row| {
            (files + 1, rows.saturating_add(stored.record_count.value(row)))
        });
        // Null is unknown.
        if let Some(files) = files {
            found.equal(&FILE_COUNTS, format_args!("{word}_files_count"), (there, files));
        }
        if let Some(rows) = rows {
            found.equal(&ROW_COUNTS, format_args!("{word}_rows_count"), (in_them, rows));
        }
    }
    let live = (0..stored.len()).filter(|row| stored.is_live(*row));
    let numbers: Option<Vec<i64>> = live.map(|row| stored.sequence(row, manifest)).collect();
    if let Some(least) = numbers.and_then(|numbers| numbers.into_iter().min()) {
        found.equal(&MIN_SEQUENCE, "min_sequence_number", (least, manifest.min_sequence_number));
    }
}
