//! Are the status, the snapshot and the sequence numbers of an entry what they may be?
//!
//! Spec: Manifest Entry Fields; Sequence Number Inheritance.

use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};

use crate::check::rules::entries::{
    ENTRY_CONTENT, ENTRY_FILE_SEQUENCE, ENTRY_SEQUENCE, ENTRY_SNAPSHOT, ENTRY_STATUS,
};
use floeberg_core::finding::Findings;

use super::stored::{ADDED, DATA, DELETED, EQUALITY, EXISTING, POSITIONS, Stored, number};

/// Checks an entry. Is its status one that the rest can be read by?
pub(super) fn check_entry(
    found: &mut Findings,
    stored: &Stored,
    row: usize,
    manifest: &ManifestFile,
    version: u8,
    part: &str,
) -> bool {
    let status = stored.status.value(row);
    if ![EXISTING, ADDED, DELETED].contains(&status) {
        found.add(&ENTRY_STATUS, part, format_args!("expected 0, 1 or 2, found {status}"));
        return false;
    }
    let content = stored.content(row);
    let expected: &[i32] = match manifest.content {
        ManifestContent::Data => &[DATA],
        ManifestContent::Deletes => &[POSITIONS, EQUALITY],
    };
    if !expected.contains(&content) {
        found.add(&ENTRY_CONTENT, part, format_args!("expected one of {expected:?}, found {content}"));
    }
    let snapshot = number(&stored.snapshot_id, row);
    match (snapshot, manifest.added_snapshot_id) {
        (Some(own), Some(added_by)) if status != EXISTING && own != added_by => {
            let message = format_args!("expected {added_by}, which added the manifest, found {own}");
            found.add(&ENTRY_SNAPSHOT, part, message);
        }
        (None, _) if version == 1 => found.add(&ENTRY_SNAPSHOT, part, "version 1 requires it, found none"),
        _ => {}
    }
    if version > 1 {
        check_sequence(found, stored, row, manifest, part);
    }
    true
}

fn check_sequence(found: &mut Findings, stored: &Stored, row: usize, manifest: &ManifestFile, part: &str) {
    let inherits = stored.status.value(row) == ADDED || manifest.sequence_number == 0;
    let numbers =
        [(&stored.sequence_number, &ENTRY_SEQUENCE), (&stored.file_sequence_number, &ENTRY_FILE_SEQUENCE)];
    for (numbers, rule) in numbers {
        match number(numbers, row) {
            None if !inherits => {
                found.add(rule, part, "an entry that was not added inherits none, and has none");
            }
            Some(stored) if stored > manifest.sequence_number || stored < 0 => {
                let most = manifest.sequence_number;
                found.add(
                    rule,
                    part,
                    format_args!("expected 0 to {most}, that of the manifest, found {stored}"),
                );
            }
            _ => {}
        }
    }
}
