//! Reading manifest lists and manifests, of every format version, by field id.

mod columns;
mod fields;
mod header;
mod inherit;
mod unknown;
mod list;
mod partition;
mod entries;

pub use entries::{BlockEntries, cut_manifest, parse_manifest, stored_entries};
pub(crate) use entries::{parse_block_range, parse_manifest_with};
pub use header::{ManifestHeader, ManifestListHeader, manifest_header, manifest_list_header};
pub use inherit::AssignedRowIds;
pub use list::parse_manifest_list;

#[cfg(test)]
mod tests;
