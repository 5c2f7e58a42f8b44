//! How does a user change branches and tags?
//!
//! ```text
//! {"change": "create", "name", "ref", "of-head", "of"}        {"change": "remove", "name", "type"}
//! {"change": "replace", "name", "type", "snapshot-id"}  {"change": "rename", "name", "new-name"}
//! {"change": "retention", "name", and what of it changes}
//! {"change": "fast-forward", "name", "to"}              {"change": "set-current", "snapshot-id" or "ref"}
//! {"change": "rollback", "snapshot-id"}                 {"change": "rollback-to-timestamp", "timestamp-ms"}
//! ```
//!
//! Spec: Snapshot References. Names are those of Iceberg Java's `ManageSnapshots`.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::json::{ObjectWriter, emit_ref, parse_kind, parse_ref};
use floeberg_iceberg::metadata::{RefKind, SnapshotRef};
use floeberg_iceberg::wire::json::{JsonPath, ObjectReader, boolean, int, long, string};
use serde_json::{Map, Value as Json};

/// A change of branches and tags.
#[derive(Debug, Clone, PartialEq)]
pub enum RefChange {
    /// Makes a branch or a tag.
    Create {
        /// Its name.
        name: String,
        /// Its snapshot and retention.
        reference: SnapshotRef,
        /// Is its snapshot the newest one of a branch instead?
        of_head: bool,
        /// Of this one; `None` is the commit's branch.
        of: Option<String>,
    },
    /// Makes a branch or a tag name another snapshot. Its retention stays.
    Replace {
        /// Its name.
        name: String,
        /// The kind that the ref must have.
        kind: RefKind,
        /// The other snapshot.
        snapshot_id: i64,
    },
    /// Gives a branch another name.
    Rename {
        /// Its name.
        name: String,
        /// The other one.
        new_name: String,
    },
    /// Removes a branch or a tag.
    Remove {
        /// Its name.
        name: String,
        /// The kind that the ref must have.
        kind: RefKind,
    },
    /// Changes what expiry keeps of a branch or a tag.
    Retention {
        /// Its name.
        name: String,
        /// What changes.
        retention: Retention,
    },
    /// Moves a branch forward to the snapshot of another branch or tag, which must be a descendant. A missing branch is made.
    FastForward {
        /// The branch.
        name: String,
        /// The other branch or tag.
        to: String,
    },
    /// Makes a snapshot the newest of the commit's branch, related or not.
    SetCurrent(SnapshotChoice),
    /// Makes an ancestor the newest of the commit's branch again.
    Rollback(i64),
    /// Rolls back to the newest ancestor that is older than a time in milliseconds from 1970-01-01 UTC.
    RollbackToTimestamp(i64),
}

/// A snapshot, chosen by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotChoice {
    /// By its id.
    Id(i64),
    /// By a branch or a tag.
    Ref(String),
}

/// What expiry keeps of a ref. `None` stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Of a branch: how many snapshots.
    pub min_snapshots_to_keep: Option<i32>,
    /// Of a branch: snapshots up to this age.
    pub max_snapshot_age_ms: Option<i64>,
    /// The ref itself up to this age.
    pub max_ref_age_ms: Option<i64>,
}

impl RefChange {
    /// The branches and tags that it depends on; `branch` is that of the commit.
    pub fn names<'a>(&'a self, branch: &'a str) -> Vec<&'a str> {
        match self {
            Self::Create { name, .. }
            | Self::Replace { name, .. }
            | Self::Rename { name, .. }
            | Self::Remove { name, .. }
            | Self::Retention { name, .. } => vec![name],
            Self::FastForward { name, to } => vec![name, to],
            Self::SetCurrent(SnapshotChoice::Ref(name)) => vec![branch, name],
            Self::SetCurrent(SnapshotChoice::Id(_)) | Self::Rollback(_) | Self::RollbackToTimestamp(_) => {
                vec![branch]
            }
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        let mut object = ObjectWriter::default();
        object.put("change", self.word());
        match self {
            Self::Create { name, reference, of_head, of } => {
                object.put("name", name.as_str());
                object.put("of-head", *of_head);
                object.put_some("of", of.as_deref());
                object.put("ref", emit_ref(reference));
            }
            Self::Replace { name, kind, snapshot_id } => {
                object.put("name", name.as_str());
                object.put("type", kind.name());
                object.put("snapshot-id", *snapshot_id);
            }
            Self::Rename { name, new_name } => {
                object.put("name", name.as_str());
                object.put("new-name", new_name.as_str());
            }
            Self::Remove { name, kind } => {
                object.put("name", name.as_str());
                object.put("type", kind.name());
            }
            Self::Retention { name, retention } => {
                object.put("name", name.as_str());
                object.put_some("min-snapshots-to-keep", retention.min_snapshots_to_keep);
                object.put_some("max-snapshot-age-ms", retention.max_snapshot_age_ms);
                object.put_some("max-ref-age-ms", retention.max_ref_age_ms);
            }
            Self::FastForward { name, to } => {
                object.put("name", name.as_str());
                object.put("to", to.as_str());
            }
            Self::SetCurrent(SnapshotChoice::Id(id)) | Self::Rollback(id) => object.put("snapshot-id", *id),
            Self::SetCurrent(SnapshotChoice::Ref(name)) => object.put("ref", name.as_str()),
            Self::RollbackToTimestamp(time) => object.put("timestamp-ms", *time),
        }
        object.finish(&Map::new())
    }

    /// Reads what [`RefChange::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: Json) -> Result<Self> {
        Self::read(json, &JsonPath::root("change of a ref")).map_err(Error::of_input)
    }

    fn read(json: Json, path: &JsonPath<'_>) -> Result<Self> {
        let mut object = ObjectReader::new(json, path)?;
        let word = object.required("change", string)?;
        Ok(match word.as_str() {
            "create" => Self::Create {
                name: object.required("name", string)?,
                reference: object.required("ref", parse_ref)?,
                of_head: object.optional("of-head", boolean)?.unwrap_or(false),
                of: object.optional("of", string)?,
            },
            "replace" => Self::Replace {
                name: object.required("name", string)?,
                kind: object.required("type", parse_kind)?,
                snapshot_id: object.required("snapshot-id", long)?,
            },
            "rename" => Self::Rename {
                name: object.required("name", string)?,
                new_name: object.required("new-name", string)?,
            },
            "remove" => Self::Remove {
                name: object.required("name", string)?,
                kind: object.required("type", parse_kind)?,
            },
            "retention" => Self::Retention {
                name: object.required("name", string)?,
                retention: Retention {
                    min_snapshots_to_keep: object.optional("min-snapshots-to-keep", int)?,
                    max_snapshot_age_ms: object.optional("max-snapshot-age-ms", long)?,
                    max_ref_age_ms: object.optional("max-ref-age-ms", long)?,
                },
            },
            "fast-forward" => Self::FastForward {
                name: object.required("name", string)?,
                to: object.required("to", string)?,
            },
            "set-current" => Self::SetCurrent(match object.optional("ref", string)? {
                Some(name) => SnapshotChoice::Ref(name),
                None => SnapshotChoice::Id(object.required("snapshot-id", long)?),
            }),
            "rollback" => Self::Rollback(object.required("snapshot-id", long)?),
            "rollback-to-timestamp" => Self::RollbackToTimestamp(object.required("timestamp-ms", long)?),
            _ => return Err(path.invalid(format_args!("unknown change {word:?}"))),
        })
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Replace { .. } => "replace",
            Self::Rename { .. } => "rename",
            Self::Remove { .. } => "remove",
            Self::Retention { .. } => "retention",
            Self::FastForward { .. } => "fast-forward",
            Self::SetCurrent(_) => "set-current",
            Self::Rollback(_) => "rollback",
            Self::RollbackToTimestamp(_) => "rollback-to-timestamp",
        }
    }
}
