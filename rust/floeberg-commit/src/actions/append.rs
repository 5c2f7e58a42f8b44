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
    change_files(context, appended(receipt, merges))
}

/// What changes where the files of a receipt are added, and nothing else.
pub(super) fn appended(receipt: &Receipt, merges: bool) -> FileChange<'_> {
    FileChange {
        operation: "append",
        added: receipt.files(),
        removal: None,
        merges,
        replaces_partitions: false,
        is_of_attempt: false,
        may_have_links: false,
        data_sequence_number: None,
    }
}
