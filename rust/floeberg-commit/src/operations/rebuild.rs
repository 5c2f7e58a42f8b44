//! Which table is made of what is left of another one?
//!
//! In: what survived of a table. Out: the metadata of a new table without snapshots, and what its first snapshot lists.
//! Spec: Table Metadata Fields; Manifests; Sequence Number Inheritance; First Row ID Inheritance.
//!
//! Invariant: files are live only by their place here: an entry of a manifest that is kept, or a file that is added.

use std::sync::Arc;

use floeberg_iceberg::manifest::ManifestFile;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::Receipt;

/// A table to make of what is left of another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Rebuild {
    /// The new table before its first snapshot: its location and its uuid, and the columns, specs, orders, properties and counters of
    /// the old one.
    pub metadata: Arc<TableMetadata>,
    /// The snapshot of the old table whose files these are, or else the one that added the newest of them; `None` where no manifest has
    /// them.
    pub parent_snapshot_id: Option<i64>,
    /// Manifests of the old table, whose entries are written to manifests of the new one.
    pub manifests: Vec<KeptEntries>,
    /// Files that no manifest lists. They are added by the new snapshot.
    pub added: Receipt,
}

/// The entries of a manifest that are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptEntries {
    /// The manifest. What its entries inherit is here.
    pub manifest: ManifestFile,
    /// For each entry that is not deleted, in the order of the manifest: is it kept?
    pub is_kept: Vec<bool>,
}

#[cfg(test)]
mod tests {
    use floeberg_core::{ErrorKind, Result};

    use super::*;
    use crate::Operation;

    #[test]
    fn a_rebuild_writes_a_snapshot_and_is_not_sent() -> Result<()> {
        let rebuild = Rebuild {
            metadata: Arc::new(TableMetadata::empty(2)?),
            parent_snapshot_id: None,
            manifests: Vec::new(),
            added: Receipt::default(),
        };
        let operation = Operation::Rebuild(Box::new(rebuild));
        assert!(operation.changes_rows() && operation.name() == "rebuild");
        let sent = operation.to_bytes();
        assert!(sent.is_err_and(|error| error.kind() == ErrorKind::Unsupported));
        Ok(())
    }
}
