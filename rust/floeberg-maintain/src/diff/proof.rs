//! Does the history prove that no row differs between two snapshots?
//!
//! In: two snapshots. Out: what proves it, if anything does. Manifest lists are read, and no manifest.
//! Spec: Snapshots (`operation`: `replace`); Manifest Lists.
//!
//! Invariant: counts that contradict the operation are no proof. Then rows are compared.

use std::collections::HashMap;

use floeberg_core::Result;
use floeberg_iceberg::manifest::{ManifestContent, ManifestReader};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};

/// The operation of a snapshot that changes files and no rows.
const REPLACE: &str = "replace";

/// What proves that no row differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Both are one snapshot.
    SameSnapshot,
    /// All snapshots from the one to the other only wrote rows again.
    Rewrites,
}

impl Proof {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameSnapshot => "same snapshot",
            Self::Rewrites => "rewrites only",
        }
    }
}

/// How many live rows a snapshot may have.
struct Rows {
    least: u64,
    most: u64,
}

/// What proves that no row differs, if anything does.
///
/// Errors: those of reading manifest lists.
pub(super) fn proof(
    metadata: &TableMetadata,
    before: Option<&Snapshot>,
    after: Option<&Snapshot>,
    reader: &ManifestReader,
) -> Result<Option<Proof>> {
    let (before, after) = match (before, after) {
        (None, None) => return Ok(Some(Proof::SameSnapshot)),
        (Some(before), Some(after)) => (before, after),
        _ => return Ok(None),
    };
    if before.snapshot_id == after.snapshot_id {
        return Ok(Some(Proof::SameSnapshot));
    }
    if !only_rewrites(metadata, before, after) {
        return Ok(None);
    }
    let (Some(then), Some(now)) = (rows(before, reader)?, rows(after, reader)?) else { return Ok(None) };
    Ok((then.least <= now.most && now.least <= then.most).then_some(Proof::Rewrites))
}

/// Have all snapshots after the nearest one that both come from only written rows again?
fn only_rewrites(metadata: &TableMetadata, before: &Snapshot, after: &Snapshot) -> bool {
    let old_line = metadata.ancestors_of(before.snapshot_id);
    let new_line = metadata.ancestors_of(after.snapshot_id);
    let places: HashMap<i64, usize> = old_line.iter().map(|each| each.snapshot_id).zip(0..).collect();
    let shared =
        new_line.iter().enumerate().find_map(|(new, each)| Some((*places.get(&each.snapshot_id)?, new)));
    let Some((old, new)) = shared else { return false };
    let mut between = old_line[..old].iter().chain(&new_line[..new]);
    between.all(|each| each.operation.as_deref() == Some(REPLACE))
}

/// The live rows of a snapshot, by its manifest list; `None` where that does not say them.
fn rows(snapshot: &Snapshot, reader: &ManifestReader) -> Result<Option<Rows>> {
    let (mut stored, mut deleted, mut has_deletes) = (0_u64, 0_u64, false);
    for manifest in reader.manifests(snapshot)? {
        let (Some(added), Some(existing)) = (manifest.added_rows_count, manifest.existing_rows_count) else {
            return Ok(None);
        };
        let (Ok(added), Ok(existing)) = (u64::try_from(added), u64::try_from(existing)) else {
            return Ok(None);
        };
        let live = added.saturating_add(existing);
        match manifest.content {
            ManifestContent::Data => stored = stored.saturating_add(live),
            ManifestContent::Deletes => {
                has_deletes |= live > 0;
                deleted = deleted.saturating_add(live);
            }
        }
    }
    // A row of an equality delete may delete any number of rows.
    let is_by_position = snapshot.summary.get("total-equality-deletes").is_some_and(|count| count == "0");
    let least = match (has_deletes, is_by_position) {
        (false, _) => stored,
        (true, true) => stored.saturating_sub(deleted),
        (true, false) => 0,
    };
    Ok(Some(Rows { least, most: stored }))
}
