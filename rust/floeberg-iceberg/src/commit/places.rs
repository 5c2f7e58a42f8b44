//! Where do the metadata files of a commit go?
//!
//! In: the table's location and properties. Out: its metadata folder.
//! Spec: Appendix F, Path Construction.
//!
//! Invariant: locations are joined, never normalised.

use floeberg_io::location::join;

use super::properties::METADATA_PATH;
use crate::metadata::TableMetadata;

/// The folder of a table's metadata where properties name no other.
const METADATA_FOLDER: &str = "metadata";

impl TableMetadata {
    /// The folder that new metadata files go to: `write.metadata.path`, or `metadata` below the table.
    pub fn metadata_folder(&self) -> String {
        match self.properties.get(METADATA_PATH).map(|path| path.trim_end_matches('/')) {
            Some(path) if is_absolute(path) => path.to_owned(),
            Some(path) if !path.is_empty() => join(&self.location, path),
            _ => join(&self.location, METADATA_FOLDER),
        }
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'))
}
