//! An Avro file, open: its header, its columns.
//!
//! In: an open file. Out: columns with field ids, and how blocks are stored.
//! Spec: Appendix A, Avro; Column Projection.
//!
//! Invariant: only the header is read, and blocks that happen to lie in the same bytes.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::Fields;
use bytes::Bytes;
use floeberg_avro::{AvroSchema, BlockForm, Container, Limits, arrow_fields};
use floeberg_core::schema::NameMapping;
use floeberg_core::{Context, Result};
use floeberg_files::{DELETE_TYPE, FileFields};
use floeberg_io::Source;

/// Most headers are smaller than this, and so are many files: one read gets them.
const FIRST_READ: u64 = 64 << 10;
/// If that was too little, this many times more is read.
const GROWTH: u64 = 8;

/// An Avro file whose header was read.
#[derive(Debug)]
pub(crate) struct AvroFile {
    /// Its bytes.
    pub(super) source: Arc<dyn Source>,
    /// Its size.
    pub(super) size: u64,
    /// How its blocks are stored.
    pub(super) form: BlockForm,
    /// The writer schema.
    pub(super) schema: AvroSchema,
    /// Its columns in Arrow.
    pub(super) columns: Fields,
    /// Where the first block starts.
    pub(super) data_start: u64,
    /// The bytes from there on that were read with the header.
    pub(super) first_bytes: Bytes,
    /// Its columns.
    pub(super) fields: FileFields,
    /// What kind of deletes its header says that it has.
    pub(super) delete_type: Option<String>,
}

impl AvroFile {
    /// Reads the header of an open file. A mapping gives ids to a file that has none.
    pub(crate) fn open(source: Arc<dyn Source>, mapping: &NameMapping) -> Result<Self> {
        let location = source.location().to_owned();
        Self::of_source(source, mapping).context("path", location)
    }

    fn of_source(source: Arc<dyn Source>, mapping: &NameMapping) -> Result<Self> {
        let limits = Limits::of_rows();
        let size = source.size()?;
        // The key and the schema are nearly all of it.
        let longest = (limits.schema_bytes as u64).saturating_mul(2);
        let mut length = size.min(FIRST_READ);
        loop {
            let bytes = source.read(0..length)?;
            match Container::open(&bytes, &limits) {
                Ok(container) => {
                    let schema = container.schema()?;
                    let columns = arrow_fields(&schema, &limits)?;
                    let fields = FileFields::new(&columns, Some(mapping));
                    let start = container.data_start();
                    let delete_type = container.metadata(DELETE_TYPE).map(String::from_utf8_lossy);
                    return Ok(Self {
                        delete_type: delete_type.map(Cow::into_owned),
                        form: container.block_form(),
                        data_start: start as u64,
                        first_bytes: bytes.slice(start..),
                        source,
                        size,
                        schema,
                        columns,
                        fields,
                    });
                }
                // Only the start of the header may have been read.
                Err(_) if length < size && length < longest => {
                    length = length.saturating_mul(GROWTH).min(size).min(longest);
                }
                Err(error) => return Err(error),
            }
        }
    }
}
