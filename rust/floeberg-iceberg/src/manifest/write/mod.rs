//! Writing manifests and manifest lists, of every format version, as Iceberg Java writes them.

mod entry;
mod carry;
mod entry_fields;
mod list_fields;
mod put_partition;
mod put_entry;
mod declare_unknown;
mod rules;
mod manifest_list;
mod summary;
mod tally;
mod manifest;

pub use entry::{DataFile, EntryStatus, FileContent, ManifestEntry};
pub use manifest::{ManifestPart, ManifestRequest, ManifestWriter, WrittenManifest};
pub use manifest_list::{ManifestListRequest, ManifestListWriter, WrittenManifestList};

#[cfg(test)]
mod tests;
