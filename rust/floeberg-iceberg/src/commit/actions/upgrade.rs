//! How is the format version of a table raised?
//!
//! Spec: Appendix E; Row Lineage for Upgraded Tables.
//!
//! Invariant: only on request. Snapshots and files stay as they are.

use crate::commit::Update;
use crate::commit::produce::Produced;
use crate::commit::random::random_uuid;
use crate::metadata::TableMetadata;

/// Raises it; a table of v1 gets the uuid that it may lack.
pub(in crate::commit) fn upgrade(metadata: &TableMetadata, version: u8) -> Produced {
    let mut updates = Vec::new();
    if metadata.table_uuid.is_none() && version > 1 {
        updates.push(Update::AssignUuid(random_uuid()));
    }
    if metadata.format_version != version {
        updates.push(Update::UpgradeFormatVersion(version));
    }
    Produced::of(updates)
}
