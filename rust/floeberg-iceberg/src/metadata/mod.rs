//! The validated model of an Iceberg table, one shape for v1, v2 and v3.

mod manifest_entries;
mod manifest_file;
mod partition;
mod read_manifests;
mod snapshot;
mod sort;
mod table;

pub use manifest_entries::{EntryRequest, EntryStatistics, ManifestEntries};
pub use manifest_file::{FieldSummary, ManifestContent, ManifestFile};
pub use partition::{PartitionField, PartitionSpec};
pub use read_manifests::{ManifestHeader, manifest_header, parse_manifest, parse_manifest_list};
pub use snapshot::{RefKind, Snapshot, SnapshotManifests, SnapshotRef};
pub use sort::{NullOrder, SortDirection, SortField, SortOrder};
pub use table::{MetadataLogEntry, SnapshotLogEntry, TableMetadata};
