//! The validated model of an Iceberg table, one shape for v1, v2 and v3.

mod java_numbers;
mod human;
mod manifest_file;
mod manifest_entries;
mod metrics_by_column;
mod partition;
mod partition_path;
mod read_manifests;
mod relocation;
mod snapshot;
mod sort;
mod statistics;
mod table;
mod absence;
mod blank;
pub(crate) mod encryption;
mod evolve_schema;
mod history;
mod identity;
mod lookup;
mod partition_type;
mod metadata_columns;
mod view;
mod json;
mod open;
mod write_manifests;
mod declare;
#[cfg(test)]
mod fixture;

pub(crate) use absence::explain_absence;
pub(crate) use declare::are_equal;
pub use declare::{
    ColumnChoice, DeclaredPartition, DeclaredSort, DeclaredTable, SpecBuilder, build_sort_order,
    declare_table,
};
pub use history::HistoryEntry;
pub(crate) use human::human_bound;
pub use identity::check_same;
pub(crate) use json::{
    ObjectWriter, emit_map, emit_order, emit_ref, emit_snapshot, emit_spec, parse_order, parse_ref,
    parse_schema, parse_snapshot, parse_spec,
};
pub use json::{parse_table_metadata, parse_view_metadata};
pub(crate) use manifest_entries::{ADDED, DELETED};
pub use manifest_entries::{EntryDetails, EntryMetrics, EntryRequest, EntryStatistics, ManifestEntries};
pub use manifest_file::{FieldSummary, ManifestContent, ManifestFile};
pub use metadata_columns::{PartitionStruct, partition_struct, with_metadata_columns};
pub(crate) use metrics_by_column::MetricsByColumn;
pub use open::{open_metadata, open_view_metadata};
pub use partition::{PartitionField, PartitionSpec};
pub use partition_type::{UnifiedPartition, unified_partition, unified_partition_type};
pub use read_manifests::{
    AssignedRowIds, ManifestHeader, StretchEntries, cut_manifest, manifest_header, parse_manifest,
    parse_manifest_list, parse_stretch,
};
pub use relocation::Relocation;
pub use snapshot::{RefKind, Snapshot, SnapshotManifests, SnapshotRef};
pub use sort::{NullOrder, SortDirection, SortField, SortOrder};
pub use statistics::{PartitionStatisticsFile, StatisticsBlob, StatisticsFile};
pub use table::{MAIN_BRANCH, MetadataLogEntry, SnapshotLogEntry, TableMetadata};
pub use view::{VersionLogEntry, ViewMetadata, ViewRepresentation, ViewVersion};
pub use write_manifests::{
    DataFile, EntryStatus, FileContent, ManifestEntry, ManifestListRequest, ManifestListWriter,
    ManifestRequest, ManifestWriter, WrittenManifest, WrittenManifestList,
};
