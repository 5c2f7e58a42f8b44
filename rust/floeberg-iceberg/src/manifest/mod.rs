//! Which files does a table have, and which of them can hold rows that a filter wants?
//!
//! `read/` decodes entries of manifests with inheritance applied, `write/` writes them and refuses what a format version does not
//! allow. A [`ManifestReader`] reads the manifests of a snapshot, `reachable` those of all snapshots, `cache` keeps decoded
//! ones. `specs`, `bounds` and `summary` are the statistics of partitions and columns; `untrusted` has the columns whose
//! statistics are not used. The `pruner` tests manifests and entries by columns: none, some or all rows of a file match.

mod file;
mod entries;
mod metrics_by_column;
mod carried_fields;
mod read;
mod write;
mod bytes;
mod cache;
mod reader;
mod reachable;
mod live_task;
mod manifest_blocks;
mod untrusted;
mod specs;
mod bounds;
mod summary;
mod clustered;
mod rows_match;
mod residuals;
mod prune_mask;
mod prune_counts;
mod pruner;

pub(crate) use bounds::EntryStats;
#[cfg(test)]
pub(crate) use bounds::decode_pair;
pub use cache::ManifestCache;
pub(crate) use cache::{Found, Use};
pub use clustered::{are_clustered, partition_order};
pub use entries::{
    ADDED, DELETED, EntryDetails, EntryMetrics, EntryRequest, EntryStatistics, ManifestEntries, MetricsForm,
};
pub use file::{FieldSummary, ManifestContent, ManifestFile};
pub(crate) use file::{NO_KEY, check_plain};
pub use floeberg_avro::{UnknownField, all_unknown_fields};
pub use live_task::LiveFilesTask;
pub(crate) use manifest_blocks::{ManifestBlocks, block_range_bytes};
pub(crate) use metrics_by_column::MetricsByColumn;
pub use prune_counts::PruneCounts;
pub(crate) use prune_counts::{NO_TEST, NamedTest};
pub(crate) use prune_mask::PruneMask;
pub use pruner::Pruner;
pub use reachable::{AllManifests, FileRole, LiveFiles, ReachableFile, ReachableFiles};
pub use read::{
    AssignedRowIds, BlockEntries, ManifestHeader, ManifestListHeader, cut_manifest, manifest_header,
    manifest_list_header, parse_manifest, parse_manifest_list, stored_entries,
};
pub(crate) use read::{parse_block_range, parse_manifest_with};
pub use reader::ManifestReader;
pub(crate) use residuals::DistinctResiduals;
pub use rows_match::RowsMatch;
pub use specs::{BoundSpec, Specs};
#[cfg(test)]
pub(crate) use summary::SummaryStats;
pub(crate) use untrusted::UntrustedColumns;
pub use write::{
    DataFile, EntryStatus, FileContent, ManifestEntry, ManifestListRequest, ManifestListWriter, ManifestPart,
    ManifestRequest, ManifestWriter, WrittenManifest, WrittenManifestList,
};

#[cfg(test)]
pub(crate) mod tests;
