//! What is a snapshot, and which refs name it?
//!
//! Spec: Snapshots; Snapshot References.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::Summary;

/// The state of a table at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The id.
    pub snapshot_id: i64,
    /// The snapshot it was made from.
    pub parent_snapshot_id: Option<i64>,
    /// The order of its commit; 0 in v1.
    pub sequence_number: i64,
    /// Milliseconds from 1970-01-01 UTC.
    pub timestamp_ms: i64,
    /// Where its manifests are listed.
    pub manifests: SnapshotManifests,
    /// What the commit did: `append`, `replace`, `overwrite`, `delete`. v1 may lack it.
    pub operation: Option<String>,
    /// The summary without the operation.
    pub summary: Summary,
    /// The schema that was current; old tables lack it.
    pub schema_id: Option<i32>,
    /// The first row id of its new rows (v3).
    pub first_row_id: Option<i64>,
    /// How many row ids it assigned (v3).
    pub added_rows: Option<i64>,
    /// The key its manifest list is encrypted with (v3).
    pub key_id: Option<String>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
    /// How a metadata file spells it, if it was read from one.
    pub text: SnapshotText,
}

/// How a metadata file spells a snapshot: it is written again as it was.
///
/// A copy of a snapshot has no text, since it may be changed. Snapshots are compared without it.
#[derive(Debug, Default)]
pub struct SnapshotText(pub(super) Option<WrittenSnapshot>);

/// The text of a snapshot.
#[derive(Debug)]
pub(super) struct WrittenSnapshot {
    pub(super) text: Arc<str>,
    /// How many values the text has.
    pub(super) values: usize,
    /// Does it have a sequence number, as format versions from 2 on need it?
    pub(super) has_sequence_number: bool,
}

impl Clone for SnapshotText {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for SnapshotText {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Where a snapshot's manifests are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotManifests {
    /// In a manifest list file, at this location.
    List(String),
    /// In the metadata itself (v1 only): the manifests' locations.
    Inline(Vec<String>),
}

/// A branch or a tag.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotRef {
    /// The snapshot it names.
    pub snapshot_id: i64,
    /// Branch or tag.
    pub kind: RefKind,
    /// Branches: how many snapshots expiry keeps.
    pub min_snapshots_to_keep: Option<i32>,
    /// Branches: how old the kept snapshots may be.
    pub max_snapshot_age_ms: Option<i64>,
    /// How old the ref may become.
    pub max_ref_age_ms: Option<i64>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

impl SnapshotRef {
    /// A ref with the table's default retention.
    pub fn new(snapshot_id: i64, kind: RefKind) -> Self {
        Self {
            snapshot_id,
            kind,
            min_snapshots_to_keep: None,
            max_snapshot_age_ms: None,
            max_ref_age_ms: None,
            unknown_keys: Map::new(),
        }
    }
}

/// Branch or tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// Moves with commits.
    Branch,
    /// Stays.
    Tag,
}

impl RefKind {
    /// `branch` or `tag`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Tag => "tag",
        }
    }
}
