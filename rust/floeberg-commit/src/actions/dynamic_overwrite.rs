//! How are partitions replaced by new files?
//!
//! Spec: Snapshots (`overwrite`); Partition Evolution.
//!
//! Invariant: as in Iceberg Java, only files of the same spec are removed; with an unpartitioned spec, all files of the table.

use std::collections::HashSet;

use floeberg_core::expr::BoundExpr;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::Receipt;
use floeberg_properties::UPDATE_ISOLATION;

use crate::IsolationLevel;
use crate::conflicts::{Validation, validate_no_conflicts};
use crate::produce::{ActionContext, FileChange, Produced, Removal, change_files, partition_key};

/// Replaces the partitions of the files of a receipt.
pub(super) fn dynamic_overwrite(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    receipt: &Receipt,
    isolation: Option<IsolationLevel>,
) -> Result<Produced> {
    let spec = |metadata: Option<&TableMetadata>| metadata.map(|metadata| metadata.default_spec_id);
    if validation.starting.is_some() && spec(validation.starting) != spec(validation.base) {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "another writer changed the partition spec, so rows of the replaced partitions may be in other \
             partitions now: write the rows again",
        ));
    }
    let mut partitions = HashSet::new();
    let mut replaces_all = false;
    for written in receipt.files() {
        replaces_all |= context.spec(written.spec_id)?.is_unpartitioned();
        partitions.insert(partition_key(written.spec_id, &written.file.partition));
    }
    let specs = context.specs()?;
    let removal = if replaces_all {
        Removal::rows(BoundExpr::True, specs)
    } else {
        Removal::Partitions(specs, partitions)
    };
    let by_property = || IsolationLevel::of(&context.metadata, UPDATE_ISOLATION);
    let level = isolation.map_or_else(by_property, Ok)?;
    validate_no_conflicts(context, validation, level, &removal, None)?;
    let change = FileChange {
        replaces_partitions: true,
        ..FileChange::new("overwrite", receipt.files(), Some(&removal))
    };
    change_files(context, change)
}
