//! What is planned, and from where?

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::Error;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;

use super::incremental::Appends;
use crate::manifest::{ManifestFile, ManifestReader};
use crate::metadata::{Snapshot, TableMetadata, explain_missing_file};

/// What to plan.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// The table.
    pub metadata: Arc<TableMetadata>,
    /// Where the table's metadata was found.
    pub metadata_location: String,
    /// The snapshot; `None` plans nothing.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Only files that these append snapshots added, without deletes; `None` is all live files.
    pub appends: Option<Arc<Appends>>,
    /// Only these manifests of the snapshot; `None` is all that its manifest list names.
    pub manifests: Option<Arc<Vec<ManifestFile>>>,
    /// The column whose counts and bounds the plan keeps, file by file.
    pub statistics_of: Option<i32>,
    /// The schema that the filter is bound to.
    pub schema: Arc<Schema>,
    /// Which rows are wanted.
    pub filter: BoundExpr,
    /// Only data files of these data manifests, with every delete that applies to any of their rows: those that do not match are used
    /// too. `None` is all data manifests, with deletes that may apply to rows that match.
    pub to_change: Option<Arc<HashSet<String>>>,
    /// Reads the table's manifests; its threads plan, and its `cancel` stops them.
    pub reader: ManifestReader,
    /// Does the account name dropped files?
    pub verbose: bool,
    /// About how many bytes of planned files may wait to be taken.
    pub memory: u64,
}

impl PlanRequest {
    /// An error of planning, with the table it is about.
    pub(super) fn with_table(&self, error: Error) -> Error {
        let error = error.with("table", &self.metadata_location);
        explain_missing_file(error, &self.metadata, &self.metadata_location, &self.reader.relocation)
    }
}
