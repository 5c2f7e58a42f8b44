//! Where do new metadata files of a table go?
//!
//! In: the table's location and properties. Out: its metadata folder.
//! Spec: Appendix F, Path Construction.
//!
//! Invariant: locations are joined, never normalised.

use floeberg_io::location::{within, without_end_slashes};
use floeberg_properties::METADATA_PATH;

use super::TableMetadata;

/// The default folder of a table's metadata.
const METADATA_FOLDER: &str = "metadata";

impl TableMetadata {
    /// The folder that new metadata files go to: `write.metadata.path`, or `metadata` below the table.
    pub fn metadata_folder(&self) -> String {
        let path = self.properties.get(METADATA_PATH).map(|path| without_end_slashes(path));
        within(&self.location, path.filter(|path| !path.is_empty()).unwrap_or(METADATA_FOLDER))
    }
}
