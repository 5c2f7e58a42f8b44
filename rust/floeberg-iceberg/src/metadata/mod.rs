//! The validated model of an Iceberg table, one shape for v1, v2 and v3.

mod java_numbers;
mod human;
mod format_version;
mod partition;
mod partition_path;
pub(crate) mod property;
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
mod name_mapping;
mod view;
mod json;
mod open;
mod declare;
#[cfg(test)]
mod fixture;

pub(crate) use absence::explain_absence;
pub(crate) use declare::are_equal;
pub use declare::{
    ColumnChoice, DeclaredPartition, DeclaredSort, DeclaredTable, SpecBuilder, build_sort_order,
    declare_table,
};
pub(crate) use format_version::check_version;
pub use history::HistoryEntry;
pub(crate) use human::human_bound;
pub use identity::check_same;
pub(crate) use json::{
    ObjectWriter, emit_fields, emit_map, emit_order, emit_ref, emit_snapshot, emit_spec, parse_order,
    parse_ref, parse_schema, parse_snapshot, parse_spec,
};
pub use json::{parse_table_metadata, parse_view_metadata};
pub use metadata_columns::{PartitionStruct, partition_struct, with_metadata_columns};
pub(crate) use name_mapping::NAME_MAPPING;
pub use open::{open_metadata, open_view_metadata};
pub use partition::{PartitionField, PartitionSpec};
pub use partition_type::{UnifiedPartition, unified_partition, unified_partition_type};
pub use relocation::Relocation;
pub use snapshot::{RefKind, Snapshot, SnapshotManifests, SnapshotRef};
pub use sort::{NullOrder, SortDirection, SortField, SortOrder};
pub use statistics::{PartitionStatisticsFile, StatisticsBlob, StatisticsFile};
pub use table::{MAIN_BRANCH, MetadataLogEntry, SnapshotLogEntry, TableMetadata};
pub use view::{VersionLogEntry, ViewMetadata, ViewRepresentation, ViewVersion};
