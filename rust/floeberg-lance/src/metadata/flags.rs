//! Which features does a version of a table use, and are they known?
//!
//! In: the two words of a manifest. Out: nothing, or an error that names what is not known; and both words computed anew.
//! Spec: Lance, `feature_flags.rs`.
//!
//! Invariant: a word with a flag that is not known refuses what it is about, reading or writing, and nothing else.

use floeberg_core::{Error, Result};

use crate::wire::Manifest;

/// Fragments have deletion files.
pub const DELETION_FILES: u64 = 1;
/// Row ids are stable, and every fragment has them.
pub const STABLE_ROW_IDS: u64 = 1 << 1;
/// Not used any more.
pub const V2_FORMAT: u64 = 1 << 2;
/// The table has settings.
pub const TABLE_CONFIG: u64 = 1 << 3;
/// Files lie in other folders too.
pub const BASE_PATHS: u64 = 1 << 4;
/// Transactions are in manifests alone.
pub const NO_TRANSACTION_FILE: u64 = 1 << 5;
/// Files replace single values.
pub const DATA_OVERLAY_FILES: u64 = 1 << 6;
/// Indices carry columns.
pub const COVERING_INDEX: u64 = 1 << 7;
/// Data files are of several versions.
pub const MIXED_DATA_FILE_VERSIONS: u64 = 1 << 8;
/// Fragments that were moved are looked up, with stable row ids.
pub const FRAGMENT_REUSE_WITH_STABLE_ROW_IDS: u64 = 1 << 9;
/// Fragments that were moved are looked up.
pub const FRAGMENT_REUSE_INDEX: u64 = 1 << 10;
/// Row ids or versions are hidden columns of data files.
pub const HIDDEN_ROW_LINEAGE: u64 = 1 << 11;
/// Fragments are in a tree, and not in the manifest.
pub const FRAGMENT_TREE: u64 = 1 << 12;
/// Indices carry columns apart from their keys.
pub const INDEPENDENT_COVERING_FIELDS: u64 = 1 << 13;
/// Blobs are files of their own.
pub const MANAGED_BLOBS: u64 = 1 << 14;
/// Ids of fields are never used again.
pub const NON_REUSABLE_FIELD_IDS: u64 = 1 << 15;
/// Data files carry statistics of zones.
pub const ZONE_SEEDS: u64 = 1 << 16;
/// Fragments have metadata and clustering.
pub const OBJECT_METADATA: u64 = 1 << 17;

/// All flags that there are.
pub fn all() -> u64 {
    NAMES.iter().fold(0, |word, (flag, _)| word | flag)
}

const NAMES: [(u64, &str); 18] = [
    (DELETION_FILES, "deletion files"),
    (STABLE_ROW_IDS, "stable row ids"),
    (V2_FORMAT, "format v2"),
    (TABLE_CONFIG, "table config"),
    (BASE_PATHS, "base paths"),
    (NO_TRANSACTION_FILE, "no transaction files"),
    (DATA_OVERLAY_FILES, "data overlay files"),
    (COVERING_INDEX, "covering indices"),
    (MIXED_DATA_FILE_VERSIONS, "mixed data file versions"),
    (FRAGMENT_REUSE_WITH_STABLE_ROW_IDS, "fragment reuse index with stable row ids"),
    (FRAGMENT_REUSE_INDEX, "fragment reuse index"),
    (HIDDEN_ROW_LINEAGE, "row ids in hidden columns"),
    (FRAGMENT_TREE, "fragment tree"),
    (INDEPENDENT_COVERING_FIELDS, "independent covering fields"),
    (MANAGED_BLOBS, "managed blobs"),
    (NON_REUSABLE_FIELD_IDS, "field ids that are not reused"),
    (ZONE_SEEDS, "zone statistics"),
    (OBJECT_METADATA, "object metadata"),
];

/// What is read. Flags about writing, and those of indices that nobody asks, do not hinder it.
const READ: u64 = DELETION_FILES
    | STABLE_ROW_IDS
    | V2_FORMAT
    | TABLE_CONFIG
    | BASE_PATHS
    | NO_TRANSACTION_FILE
    | COVERING_INDEX
    | MIXED_DATA_FILE_VERSIONS
    | FRAGMENT_REUSE_INDEX
    | HIDDEN_ROW_LINEAGE;

/// What is written.
const WRITE: u64 = DELETION_FILES
    | STABLE_ROW_IDS
    | V2_FORMAT
    | TABLE_CONFIG
    | BASE_PATHS
    | NO_TRANSACTION_FILE
    | COVERING_INDEX
    | MIXED_DATA_FILE_VERSIONS;

/// Flags that stand in both words or in none, and stay once they are set.
pub const PAIRED: u64 = MIXED_DATA_FILE_VERSIONS | FRAGMENT_REUSE_INDEX | MANAGED_BLOBS | ZONE_SEEDS;

/// Checks that a version may be read.
///
/// Errors: `Unsupported`, naming the features; `InvalidData` for words that contradict each other.
pub fn check_readable(manifest: &Manifest) -> Result<()> {
    let head = &manifest.head;
    check_pairs(manifest)?;
    known(head.reader_feature_flags, READ, "read")
}

/// Checks that a version may be written upon. Errors: those of [`check_readable`].
pub fn check_writable(manifest: &Manifest) -> Result<()> {
    check_pairs(manifest)?;
    known(manifest.head.writer_feature_flags, WRITE, "written")
}

fn known(word: u64, known: u64, done: &str) -> Result<()> {
    let unknown = word & !known;
    if unknown == 0 {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the table cannot be {done} by this version of Floeberg: it uses {}",
        names(unknown).join(", ")
    )))
}

/// The names of the flags of a word.
pub fn names(word: u64) -> Vec<String> {
    (0..64)
        .map(|bit| 1_u64 << bit)
        .filter(|flag| word & flag != 0)
        .map(|flag| match NAMES.iter().find(|(known, _)| *known == flag) {
            Some((_, name)) => format!("{name} (flag {flag})"),
            None => format!("the unknown flag {flag}"),
        })
        .collect()
}

/// Checks flags that stand together. Errors: `InvalidData`.
pub(crate) fn check_pairs(manifest: &Manifest) -> Result<()> {
    let head = &manifest.head;
    let single = (head.reader_feature_flags ^ head.writer_feature_flags) & PAIRED;
    if single != 0 {
        return Err(Error::invalid_data(format!(
            "expected {} for readers and writers alike, found it for one of them",
            names(single).join(", ")
        )));
    }
    let numbered = head.max_allocated_field_id.is_some();
    let flagged = head.writer_feature_flags & NON_REUSABLE_FIELD_IDS != 0;
    if numbered != flagged || head.reader_feature_flags & NON_REUSABLE_FIELD_IDS != 0 {
        return Err(Error::invalid_data(
            "expected the highest id of a field and its flag for writers both or neither, found one of them",
        ));
    }
    Ok(())
}

/// The flags of what is in a manifest that readers and writers must know.
pub(crate) fn used(manifest: &Manifest) -> u64 {
    let fragments = &manifest.fragments;
    let flags = [
        (fragments.have_deletion_files(), DELETION_FILES),
        (fragments.with_row_ids() > 0, STABLE_ROW_IDS),
        (!manifest.head.base_paths.is_empty(), BASE_PATHS),
        (fragments.have_overlays(), DATA_OVERLAY_FILES),
        (fragments.have_hidden_columns(), HIDDEN_ROW_LINEAGE),
    ];
    flags.iter().filter(|(is_used, _)| *is_used).fold(0, |word, (_, flag)| word | flag)
}

/// The flags of what is in a manifest that writers alone must know.
pub(crate) fn used_by_writers(manifest: &Manifest) -> u64 {
    if manifest.head.config.is_empty() { 0 } else { TABLE_CONFIG }
}

/// Both words of a manifest, reader's first, by what is in it; flags that stay and those of its indices are carried over from
/// the words that it has.
///
/// `has_stable_row_ids` is for a table without fragments. Errors: `InvalidData` where some fragments have row ids and some do
/// not, and for words that contradict each other.
pub fn computed(manifest: &Manifest, has_stable_row_ids: bool) -> Result<(u64, u64)> {
    check_pairs(manifest)?;
    let (head, fragments) = (&manifest.head, &manifest.fragments);
    let with_ids = fragments.with_row_ids();
    if with_ids != fragments.len() && (with_ids > 0 || has_stable_row_ids) {
        return Err(Error::invalid_data(format!(
            "expected row ids in all {} fragments, found them in {with_ids}",
            fragments.len()
        )));
    }
    let both = used(manifest) | if has_stable_row_ids { STABLE_ROW_IDS } else { 0 };
    let carried = (head.reader_feature_flags | head.writer_feature_flags) & (COVERING_INDEX | PAIRED);
    let config = used_by_writers(manifest);
    let writer = head.writer_feature_flags & (NO_TRANSACTION_FILE | NON_REUSABLE_FIELD_IDS);
    Ok((both | carried, both | carried | config | writer))
}
