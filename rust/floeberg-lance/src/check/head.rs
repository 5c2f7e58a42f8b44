//! Is what a manifest says beside its fragments as the format says: version, time, flags, format of files, base paths?
//!
//! Spec: Lance, Manifest; Current Feature Flags; Base Path System.

use std::collections::HashSet;

use floeberg_core::finding::Findings;

use super::reading::{Document, Reading};
use super::rules::versions::{
    BASE_PATH_ID, DATA_FORMAT, FLAG_PAIRS, FLAGS_KNOWN, MANIFEST_BRANCH, MANIFEST_VERSION, READER_FLAGS,
    VERSION_TIME, WRITER_FLAGS,
};
use crate::metadata::flags;
use crate::metadata::validate::FILE_VERSIONS;
use crate::metadata::{MAIN, flag_names};
use crate::wire::Manifest;

/// Clocks of writers differ.
const TOLERANCE_US: i64 = 60_000_000;

/// Checks a manifest without its fragments; `before` is when the version before was made.
pub(super) fn check_head(reading: &Reading, document: &Document, before: Option<i64>, found: &mut Findings) {
    let manifest = &document.file.manifest;
    let head = &manifest.head;
    found.equal(&MANIFEST_VERSION, "version", (document.listed.version, head.version));
    match (head.timestamp_micros(), before) {
        (None, _) => found.add(&VERSION_TIME, "timestamp", "expected when the version was made, found none"),
        (Some(made), Some(before)) if made.saturating_add(TOLERANCE_US) < before => {
            let message = format!(
                "expected no time before that of the version before, {before} microseconds since 1970, found {made}"
            );
            found.add(&VERSION_TIME, "timestamp", message);
        }
        _ => {}
    }
    let branch = head.branch.as_deref().filter(|branch| *branch != MAIN);
    if branch != reading.branch.as_deref() {
        let shown = |branch: Option<&str>| format!("{:?}", branch.unwrap_or(MAIN));
        let message =
            format!("expected the branch {}, found {}", shown(reading.branch.as_deref()), shown(branch));
        found.add(&MANIFEST_BRANCH, "branch", message);
    }
    check_flags(manifest, found);
    if let Some(format) = &head.data_format {
        if format.file_format != "lance" && !format.file_format.is_empty() {
            let message = format!("expected \"lance\", found {:?}", format.file_format);
            found.add(&DATA_FORMAT, "data_format.file_format", message);
        }
        if !FILE_VERSIONS.contains(&format.version.as_str()) {
            let message = format!("expected one of {}, found {:?}", FILE_VERSIONS.join(", "), format.version);
            found.add(&DATA_FORMAT, "data_format.version", message);
        }
    }
    let mut ids = HashSet::new();
    for (place, base) in head.base_paths.iter().enumerate() {
        if !ids.insert(base.id) {
            let message = format!("expected an id once, found {} twice", base.id);
            found.add(&BASE_PATH_ID, format_args!("base_paths[{place}].id"), message);
        }
        if base.path.is_empty() {
            found.add(&BASE_PATH_ID, format_args!("base_paths[{place}].path"), "expected a path, found none");
        }
    }
}

fn check_flags(manifest: &Manifest, found: &mut Findings) {
    let head = &manifest.head;
    let used = flags::used(manifest);
    let words = [
        ("reader_feature_flags", head.reader_feature_flags, &READER_FLAGS, used),
        (
            "writer_feature_flags",
            head.writer_feature_flags,
            &WRITER_FLAGS,
            used | flags::used_by_writers(manifest),
        ),
    ];
    for (part, word, rule, used) in words {
        let unknown = word & !flags::all();
        if unknown != 0 {
            let message = format!("expected flags of the format, found {}", flag_names(unknown).join(", "));
            found.add(&FLAGS_KNOWN, part, message);
        }
        let missing = used & !word;
        if missing != 0 {
            let message =
                format!("expected {}, which the version uses, found {word}", flag_names(missing).join(", "));
            found.add(rule, part, message);
        }
    }
    if let Err(error) = flags::check_pairs(manifest) {
        found.add(&FLAG_PAIRS, "reader_feature_flags, writer_feature_flags", error);
    }
}
