//! Which files does a table have? Manifest lists and manifests, of every format version.

mod file;
mod entries;
mod metrics_by_column;
mod read;
mod write;

pub(crate) use entries::{ADDED, DELETED};
pub use entries::{EntryDetails, EntryMetrics, EntryRequest, EntryStatistics, ManifestEntries};
pub use file::{FieldSummary, ManifestContent, ManifestFile};
pub(crate) use metrics_by_column::MetricsByColumn;
pub use read::{
    AssignedRowIds, ManifestHeader, StretchEntries, cut_manifest, manifest_header, parse_manifest,
    parse_manifest_list, parse_stretch,
};
pub use write::{
    DataFile, EntryStatus, FileContent, ManifestEntry, ManifestListRequest, ManifestListWriter,
    ManifestRequest, ManifestWriter, WrittenManifest, WrittenManifestList,
};
