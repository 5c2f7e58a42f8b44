//! How are files of copied row groups stored?
//!
//! In: what a write of the table asks for. Out: which files can be copied, and new files for them.
//!
//! Invariant: a file is copied only if its row groups are as large as those that are written.

use std::sync::Arc;

use floeberg_core::schema::Type;
use floeberg_core::{Result, schema};
use floeberg_files::LayoutRequest;
use floeberg_io::{Source, Store};
use parquet::schema::types::SchemaDescriptor;

use super::{CopyWriter, StoredFile};
use crate::write::ParquetLayout;

/// A row group is large enough to be copied if it has this part of the bytes that the table asks for.
const LARGE_ENOUGH: u64 = 16;

/// How the files of a write are stored whose row groups come from other files.
#[derive(Debug, Clone)]
pub struct CopyLayout {
    layout: Arc<ParquetLayout>,
    schema: Arc<SchemaDescriptor>,
    /// Bytes at which a file ends.
    file_size: u64,
    /// Columns that are copied only where no value is null.
    without_nulls: Vec<i32>,
}

impl CopyLayout {
    /// The layout of a write whose files end at this many bytes. `None` for tables with variants: each file stores them in its own way.
    ///
    /// A null of the columns `without_nulls` means something else in another file. Errors: `InvalidInput` for invalid properties,
    /// `Unsupported` for types that cannot be written.
    pub fn new(request: &LayoutRequest<'_>, file_size: u64, without_nulls: Vec<i32>) -> Result<Option<Self>> {
        if request.schema.fields().iter().any(has_variant) {
            return Ok(None);
        }
        let layout = ParquetLayout::new(request)?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::clone(&layout.parquet)));
        Ok(Some(Self { layout: Arc::new(layout), schema, file_size, without_nulls }))
    }

    /// A file whose row groups can be copied; `None` if all its rows are better encoded again: its row groups are too small, or too
    /// large, or most of its bytes would not be copied.
    ///
    /// Errors: those of the store; `InvalidData` for a damaged footer.
    pub fn stored(&self, source: Arc<dyn Source>) -> Result<Option<StoredFile>> {
        let file = StoredFile::open(source, &self.layout, &self.schema, &self.without_nulls)?;
        let options = self.layout.options();
        let groups = file.group_bytes().len() as u64;
        let bytes: u64 = file.group_bytes().fold(0, u64::saturating_add);
        let all = file.bytes();
        let is_large = groups > 0 && all / groups >= options.row_group_size / LARGE_ENOUGH;
        let is_small = file.group_bytes().all(|bytes| bytes <= self.file_size)
            && options.row_group_limit.is_none_or(|limit| file.group_rows().all(|rows| rows <= limit))
            && file.group_rows().all(|rows| rows > 0);
        Ok((is_large && is_small && bytes >= all / 2).then_some(file))
    }

    /// Starts a file. Errors: those of the store.
    pub fn create(&self, store: &dyn Store, location: &str) -> Result<CopyWriter> {
        CopyWriter::create(store, location, Arc::clone(&self.layout))
    }
}

fn has_variant(field: &schema::Field) -> bool {
    field.field_type == Type::Variant || field.field_type.children().into_iter().any(has_variant)
}
