//! How is the location of a table changed?
//!
//! Spec: Table Metadata Fields (`location`).
//!
//! Invariant: files stay where they are, and metadata names them there.

use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::location::without_end_slashes;

use crate::Update;
use crate::produce::Produced;

/// Sets the folder of new files.
pub(super) fn set_location(metadata: &TableMetadata, location: &str) -> Produced {
    let location = without_end_slashes(location);
    if location == metadata.location {
        return Produced::default();
    }
    Produced::of(vec![Update::SetLocation(location.to_owned())])
}
