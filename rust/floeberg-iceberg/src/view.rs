//! What is a view, once it is open?
//!
//! Its metadata at one time.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_io::open_store;

use crate::OpenOptions;
use crate::metadata::{ViewMetadata, open_view_metadata, parse_view_metadata};

/// An Iceberg view at one metadata file. Cheap to clone.
#[derive(Debug, Clone)]
pub struct View {
    metadata: Arc<ViewMetadata>,
    metadata_location: String,
    options: Arc<OpenOptions>,
}

impl View {
    /// Opens a directory of a view or a metadata file, as [`Table::open`](crate::Table::open) opens a table.
    ///
    /// Errors: `NotFound`, naming what was looked for; `InvalidData` for damaged metadata; `Unsupported` for an
    /// unknown format version or scheme, and for a table; those of the store.
    pub fn open(location: &str, options: OpenOptions) -> Result<Self> {
        let (location, options) = options.resolved(location)?;
        Self::open_at(&location, options)
    }

    /// Opens the metadata file that a view names as its own ([`View::metadata_location`]).
    pub fn open_at(metadata_location: &str, options: OpenOptions) -> Result<Self> {
        let store = open_store(&options.storage)?;
        let (metadata_location, metadata) = open_view_metadata(store.as_ref(), metadata_location)?;
        Ok(Self { metadata: Arc::new(metadata), metadata_location, options: Arc::new(options) })
    }

    /// Opens metadata that a catalog gave as JSON, with the location of its file, which is not read.
    ///
    /// Errors: those of [`View::open`], of reading the metadata.
    pub fn from_metadata(metadata: &[u8], metadata_location: &str, options: OpenOptions) -> Result<Self> {
        let metadata = parse_view_metadata(metadata, metadata_location)?;
        Ok(Self::written(Arc::new(metadata), metadata_location.to_owned(), options))
    }

    /// The view with metadata that was just written to a location and is not read back.
    pub fn written(metadata: Arc<ViewMetadata>, metadata_location: String, options: OpenOptions) -> Self {
        Self { metadata, metadata_location, options: Arc::new(options) }
    }

    /// The metadata.
    pub fn metadata(&self) -> &Arc<ViewMetadata> {
        &self.metadata
    }

    /// The metadata file that was opened.
    pub fn metadata_location(&self) -> &str {
        &self.metadata_location
    }

    /// How it was opened.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }
}
