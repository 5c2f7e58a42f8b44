//! Which files does a table have, and which of them can hold rows that a filter wants?

mod file;
mod entries;
mod metrics_by_column;
mod read;
mod write;
mod bytes;
mod cache;
mod reader;
mod stretch;
mod specs;
mod bounds;
mod summary;
mod verdicts;
mod tally;
mod filter;

pub(crate) use bounds::EntryStats;
#[cfg(test)]
pub(crate) use bounds::decode_pair;
pub use cache::ManifestCache;
pub(crate) use cache::{Found, Use};
pub(crate) use entries::{ADDED, DELETED};
pub use entries::{EntryDetails, EntryMetrics, EntryRequest, EntryStatistics, ManifestEntries};
pub use file::{FieldSummary, ManifestContent, ManifestFile};
pub(crate) use filter::PlanFilter;
pub(crate) use metrics_by_column::MetricsByColumn;
pub use read::{
    AssignedRowIds, ManifestHeader, StretchEntries, cut_manifest, manifest_header, parse_manifest,
    parse_manifest_list, parse_stretch,
};
pub use reader::ManifestReader;
pub(crate) use specs::{PlannedSpec, Specs};
pub(crate) use stretch::{ManifestStretch, stretch_bytes};
pub(crate) use summary::SummaryStats;
pub(crate) use tally::{NO_TEST, NamedTest, Tally};
pub(crate) use verdicts::Verdicts;
pub use write::{
    DataFile, EntryStatus, FileContent, ManifestEntry, ManifestListRequest, ManifestListWriter,
    ManifestRequest, ManifestWriter, WrittenManifest, WrittenManifestList,
};

#[cfg(test)]
pub(crate) mod tests;
