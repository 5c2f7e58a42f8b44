//! How is a file opened, by its format?
//!
//! In: a location and a format. Out: its reader.

use std::sync::Arc;

use floeberg_core::schema::{NameMapping, Schema};
use floeberg_core::{Cancel, Error, Result};
use floeberg_files::FileReader;
use floeberg_io::Store;
use floeberg_parquet::ParquetFile;

use crate::formats::avro::read::AvroFile;
use crate::formats::orc::read::OrcFile;
use crate::plan::FileFormat;

/// What reading any file needs, a data file or a delete file.
#[derive(Debug, Clone)]
pub struct FileAccess {
    /// Where files are opened.
    pub store: Arc<dyn Store>,
    /// The most rows of a batch; at least 1.
    pub batch_rows: usize,
    /// Stops the work between batches.
    pub cancel: Cancel,
}

/// By which names are columns found in a file without field ids?
#[derive(Debug, Clone, Copy)]
pub(crate) enum Names<'a> {
    /// By those of a mapping.
    Mapped(&'a NameMapping),
    /// By the fallback of each format: positions in Parquet, and names of this schema in Avro and ORC, as in Iceberg
    /// Java.
    Unmapped(&'a Schema),
}

impl FileAccess {
    /// Opens a file to look at it as it is. A file without field ids has those of a mapping; without a mapping, those that a scan with
    /// this schema would take.
    ///
    /// Errors: `Unsupported` for a feature that cannot be read yet, `InvalidData` for a damaged file; those of the store.
    pub fn open_file(
        &self,
        location: &str,
        format: FileFormat,
        mapping: Option<&NameMapping>,
        schema: &Schema,
    ) -> Result<Arc<dyn FileReader>> {
        self.open(location, None, format, mapping.map_or(Names::Unmapped(schema), Names::Mapped))
    }

    /// Opens a file, of a size that a manifest claims, in bytes.
    ///
    /// Errors: `Unsupported` for a feature that cannot be read yet, `InvalidData` for a damaged file.
    pub(crate) fn open(
        &self,
        location: &str,
        claimed_size: Option<i64>,
        format: FileFormat,
        names: Names<'_>,
    ) -> Result<Arc<dyn FileReader>> {
        let store = self.store.as_ref();
        let source = || match claimed_size.and_then(|size| u64::try_from(size).ok()) {
            Some(size) => store.open_sized(location, size),
            None => store.open(location),
        };
        let mapping = match names {
            Names::Mapped(mapping) => Some(mapping),
            Names::Unmapped(_) => None,
        };
        let by_schema;
        let by_name = match names {
            Names::Mapped(mapping) => mapping,
            Names::Unmapped(schema) => {
                by_schema = NameMapping::of_schema(schema);
                &by_schema
            }
        };
        // Manifests have no name for it.
        #[cfg(test)]
        if location.rsplit('.').next() == Some("arrow") {
            return Ok(Arc::new(crate::formats::arrow_ipc::IpcFile::open(store, location)?));
        }
        Ok(match format {
            FileFormat::Parquet => Arc::new(ParquetFile::of_source(source()?, mapping)?),
            FileFormat::Avro => Arc::new(AvroFile::open(source()?, by_name)?),
            FileFormat::Orc if store.keys().is_some() => {
                let message = "ORC files of encrypted tables are not read: expected Parquet or Avro";
                return Err(Error::unsupported(message).with("path", location));
            }
            FileFormat::Orc => Arc::new(OrcFile::open(source()?, by_name)?),
            FileFormat::Puffin => {
                return Err(Error::invalid_data(
                    "expected a data or delete file in Parquet, Avro or ORC, found Puffin",
                )
                .with("path", location));
            }
        })
    }
}
