//! Puffin files, read and written: blobs of statistics and deletion vectors, and the footer that lists them.

mod compression;
mod footer_json;
mod footer;
mod blob;
mod encode;

pub use blob::{blob_content, read_blob};
pub use compression::{Compression, compress};
pub use encode::{PUFFIN_START, PuffinEncoder};
pub use footer::{FOOTER_TAIL_LENGTH, footer_length, parse_footer};
pub(crate) use footer::{LARGEST_FOOTER, check_magic};
pub use footer_json::{BlobMetadata, PuffinFooter};

/// The property of a vector's blob that names its data file. Spec: Puffin, `deletion-vector-v1` blob type.
pub const REFERENCED_DATA_FILE: &str = "referenced-data-file";

#[cfg(test)]
mod tests;
