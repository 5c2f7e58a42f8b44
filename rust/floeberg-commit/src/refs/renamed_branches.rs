//! Which names had a branch before?
//!
//! ```text
//! floeberg.renamed-branches = [{"from": "nightly", "to": "checked", "snapshot-id": 5}, ...]    oldest first
//! ```
//!
//! In: the property of a table that renames leave. Out: the names that a branch had, and until which snapshot.
//! Spec: Snapshot References have no history, so a property of the table keeps it.
//!
//! Invariant: a snapshot counts for the new name only if the branch had it when it was renamed. Another branch that gets the old
//! name later has nothing to do with it.

use std::collections::HashSet;

use floeberg_iceberg::metadata::TableMetadata;
use serde_json::{Value as Json, json};

/// The property of a table.
pub(crate) const RENAMED_BRANCHES: &str = "floeberg.renamed-branches";

/// A rename.
#[derive(Debug, Clone)]
struct Rename {
    from: String,
    to: String,
    /// The newest snapshot of the branch then.
    snapshot_id: i64,
}

/// A name that a branch had.
#[derive(Debug)]
pub(crate) struct EarlierName {
    name: String,
    /// The snapshots that it had by then.
    snapshots: HashSet<i64>,
}

impl EarlierName {
    /// Did the branch have the name when it got a snapshot?
    pub fn had(&self, name: &str, snapshot_id: i64) -> bool {
        self.name == name && self.snapshots.contains(&snapshot_id)
    }
}

/// The names that a branch had before, the last one first.
pub(crate) fn earlier_names(metadata: &TableMetadata, branch: &str) -> Vec<EarlierName> {
    let mut found: Vec<EarlierName> = Vec::new();
    let mut names = HashSet::from([branch.to_owned()]);
    for Rename { from, to, snapshot_id } in renames(metadata).into_iter().rev() {
        if names.contains(&to) {
            let snapshots = metadata.ancestors_of(snapshot_id).iter().map(|each| each.snapshot_id).collect();
            found.push(EarlierName { name: from.clone(), snapshots });
            names.insert(from);
        }
    }
    found
}

/// The property after another rename, of a branch at a snapshot. Renames whose snapshots are gone are left out.
pub(crate) fn with_rename(metadata: &TableMetadata, from: &str, to: &str, snapshot_id: i64) -> String {
    let mut renames = renames(metadata);
    renames.retain(|rename| metadata.snapshot(rename.snapshot_id).is_ok());
    renames.push(Rename { from: from.to_owned(), to: to.to_owned(), snapshot_id });
    let written =
        |rename: &Rename| json!({"from": rename.from, "to": rename.to, "snapshot-id": rename.snapshot_id});
    Json::Array(renames.iter().map(written).collect()).to_string()
}

/// The renames of a table, oldest first. What others wrote into the property is not read.
fn renames(metadata: &TableMetadata) -> Vec<Rename> {
    let said = metadata.properties.get(RENAMED_BRANCHES).and_then(|text| serde_json::from_str(text).ok());
    let Some(Json::Array(renames)) = said else { return Vec::new() };
    let read = |rename: &Json| {
        let name = |key: &str| rename.get(key)?.as_str().map(str::to_owned);
        Some(Rename {
            from: name("from")?,
            to: name("to")?,
            snapshot_id: rename.get("snapshot-id")?.as_i64()?,
        })
    };
    renames.iter().filter_map(read).collect()
}
