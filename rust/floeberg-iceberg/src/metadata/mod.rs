//! The validated model of an Iceberg table, one shape for v1, v2 and v3, and that of a view.

mod java_numbers;
mod to_human_string;
mod format_version;
mod partition;
mod partition_path;
mod summary;
mod snapshot;
mod sort;
mod statistics;
mod table;
mod missing_file;
mod empty_table;
mod evolve_schema;
mod history;
mod identity;
mod lookup;
mod partition_type;
mod metadata_columns;
mod name_mapping;
mod view;
mod metadata_folder;
mod new_view;
pub mod json;
pub(crate) mod encryption;
mod open;
mod new_table;
mod evolve_spec;
#[cfg(test)]
mod fixture;

pub use encryption::{
    check_key_length, emit_encrypted_key, new_key_ring, parse_encrypted_key, there as key_management_of,
};
pub use evolve_spec::{SpecChange, SpecChanges};
pub(crate) use format_version::check_version;
pub use history::HistoryEntry;
pub use identity::check_same;
pub use json::{parse_table_metadata, parse_view_metadata};
pub use metadata_columns::{PartitionStruct, partition_struct, with_metadata_columns};
pub(crate) use missing_file::explain_missing_file;
pub use new_table::{
    ColumnChoice, DeclaredOrder, DeclaredPartition, DeclaredSort, DeclaredSource, DeclaredTable, Replacement,
    SpecBuilder, are_equal, build_sort_order, declare_table, parse_sorts, z_order_columns,
};
pub use open::{
    FolderVersions, HintedFile, VersionFile, check_latest_version, file_version, folder_versions,
    hinted_metadata, hinted_version, locate_metadata, open_metadata, open_view_metadata,
};
pub use partition::{PartitionField, PartitionSpec};
pub use partition_type::{UnifiedPartition, unified_partition, unified_partition_type};
pub use snapshot::{RefKind, Snapshot, SnapshotManifests, SnapshotRef, SnapshotText};
pub use sort::{NullOrder, SortDirection, SortField, SortOrder};
pub use statistics::{PartitionStatisticsFile, StatisticsBlob, StatisticsFile};
pub use summary::Summary;
pub use table::{MAIN_BRANCH, MetadataLogEntry, SnapshotLogEntry, TableMetadata};
pub(crate) use to_human_string::bound_to_human_string;
pub use view::{VersionLogEntry, ViewMetadata, ViewRepresentation, ViewVersion};
