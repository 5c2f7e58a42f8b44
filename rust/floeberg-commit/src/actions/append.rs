//! How are files added to a table?
//!
//! Spec: Snapshots (`append`); Commit Conflict Resolution and Retry: an append conflicts with nothing.

use floeberg_core::Result;
use floeberg_iceberg::write::Receipt;
use floeberg_properties::MANIFEST_MERGE_ENABLED;

use crate::produce::{ActionContext, FileChange, Produced, change_files};

/// Adds the files of a receipt, and merges manifests where that is wanted.
pub(super) fn append(
    context: &ActionContext<'_>,
    receipt: &Receipt,
    merge: Option<bool>,
) -> Result<Produced> {
    let by_property = || MANIFEST_MERGE_ENABLED.of(&context.metadata.properties);
    let merges = merge.map_or_else(by_property, Ok)?;
    let added = receipt.files();
    let change = FileChange {
        operation: "append",
        added,
        removal: None,
        merges,
        replaces_partitions: false,
        is_of_attempt: false,
    };
    change_files(context, change)
}
