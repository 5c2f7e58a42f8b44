//! In which folder are new metadata files of a table or a view?
//!
//! In: the location and the properties. Out: the metadata folder.
//! Spec: Appendix F, Path Construction; View Spec, Metadata Location.
//!
//! Invariant: locations are joined, never normalised.

use std::collections::BTreeMap;

use floeberg_io::location::{within, without_end_slashes};
use floeberg_properties::METADATA_PATH;

use super::{TableMetadata, ViewMetadata};

/// The default folder of metadata.
const METADATA_FOLDER: &str = "metadata";

impl TableMetadata {
    /// The folder that new metadata files go to: `write.metadata.path`, or `metadata` below the table.
    pub fn metadata_folder(&self) -> String {
        folder_of(&self.location, &self.properties)
    }
}

impl ViewMetadata {
    /// The folder that new metadata files go to: `write.metadata.path`, or `metadata` below the view.
    pub fn metadata_folder(&self) -> String {
        folder_of(&self.location, &self.properties)
    }
}

fn folder_of(location: &str, properties: &BTreeMap<String, String>) -> String {
    let path = properties.get(METADATA_PATH).map(|path| without_end_slashes(path));
    within(location, path.filter(|path| !path.is_empty()).unwrap_or(METADATA_FOLDER))
}
