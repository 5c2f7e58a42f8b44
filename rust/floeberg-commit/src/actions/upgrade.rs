//! How is the format version of a table raised?
//!
//! Spec: Appendix E; Row Lineage for Upgraded Tables.
//!
//! Invariant: only on request. Snapshots and files stay as they are.

use floeberg_iceberg::metadata::TableMetadata;

use crate::Update;
use crate::produce::Produced;
use floeberg_io::random::random_uuid;

/// Raises it; a table of v1 gets the uuid that it may lack.
pub(crate) fn upgrade(metadata: &TableMetadata, version: u8) -> Produced {
    let mut updates = Vec::new();
    if metadata.table_uuid.is_none() && version > 1 {
        updates.push(Update::AssignUuid(random_uuid()));
    }
    if metadata.format_version != version {
        updates.push(Update::UpgradeFormatVersion(version));
    }
    Produced::of(updates)
}
