//! Writing manifests and manifest lists, of every format version, as Iceberg Java writes them.

mod carry;
mod entry;
mod entry_fields;
mod list_fields;
mod manifest;
mod manifest_list;
mod put_entry;
mod put_partition;
mod rules;
mod summary;

pub use entry::{DataFile, EntryStatus, FileContent, ManifestEntry};
pub use manifest::{ManifestRequest, ManifestWriter, WrittenManifest};
pub use manifest_list::{ManifestListRequest, ManifestListWriter, WrittenManifestList};
pub(super) use rules::check_version;

#[cfg(test)]
mod tests;
