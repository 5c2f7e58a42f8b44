//! How are branches and tags made, moved and removed?
//!
//! Spec: Snapshot References.
//!
//! Invariant: a branch never becomes a tag, nor a tag a branch.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{MAIN_BRANCH, RefKind, SnapshotRef, TableMetadata};

use crate::Update;
use crate::produce::Produced;

/// Makes a ref, or moves it.
///
/// Errors: `NotFound` for a missing snapshot; `InvalidInput` for a ref of the other kind, and for a tag with the retention
/// settings of a branch.
pub(super) fn set_ref(metadata: &TableMetadata, name: &str, reference: &SnapshotRef) -> Result<Produced> {
    metadata.snapshot(reference.snapshot_id)?;
    let keeps_snapshots =
        reference.min_snapshots_to_keep.is_some() || reference.max_snapshot_age_ms.is_some();
    if reference.kind == RefKind::Tag && keeps_snapshots {
        return Err(Error::invalid_input(
            "a tag cannot have min_snapshots_to_keep or max_snapshot_age_ms: only branches can",
        ));
    }
    match metadata.refs.get(name) {
        Some(known) if known == reference => return Ok(Produced::default()),
        Some(known) if known.kind != reference.kind => {
            return Err(Error::invalid_input(format!("a {} {name:?} exists already", describe(known.kind))));
        }
        _ => {}
    }
    Ok(Produced::of(vec![Update::SetSnapshotRef(name.to_owned(), reference.clone())]))
}

/// Removes a ref. Errors: `NotFound`, listing the known ones; `InvalidInput` for `main`.
pub(super) fn remove_ref(metadata: &TableMetadata, name: &str) -> Result<Produced> {
    if name == MAIN_BRANCH {
        return Err(Error::invalid_input("the branch main cannot be removed"));
    }
    metadata.reference(name)?;
    Ok(Produced::of(vec![Update::RemoveSnapshotRef(name.to_owned())]))
}

fn describe(kind: RefKind) -> &'static str {
    match kind {
        RefKind::Branch => "branch",
        RefKind::Tag => "tag",
    }
}
