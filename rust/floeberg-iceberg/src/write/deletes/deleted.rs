//! Which rows of a data file are deleted?
//!
//! Spec: Delete Formats.
//!
//! Invariant: a data file is named once in a write, and has at least one deleted row.

use std::collections::HashSet;

use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

/// The deleted rows of one data file.
#[derive(Debug, Clone, PartialEq)]
pub struct DeletedPositions {
    /// The data file, as its manifest writes it.
    pub file_path: String,
    /// The spec that the data file is partitioned by.
    pub spec_id: i32,
    /// The values of its partition.
    pub partition: Vec<Option<Value>>,
    /// The positions of the rows, from 0.
    pub positions: RoaringTreemap,
}

/// Errors: `InvalidInput` for a data file without deleted rows, and for one that is named twice.
pub(super) fn check(deletes: &[DeletedPositions]) -> Result<()> {
    let mut seen = HashSet::new();
    for deleted in deletes {
        let fault = if deleted.positions.is_empty() {
            "no row of the data file is deleted"
        } else if !seen.insert(canonical(&deleted.file_path)) {
            "the deleted rows of a data file come together"
        } else {
            continue;
        };
        return Err(Error::invalid_input(fault).with("file_path", &deleted.file_path));
    }
    Ok(())
}
