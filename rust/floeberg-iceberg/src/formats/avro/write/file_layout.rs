//! How Avro files are stored, behind the contract [`FileLayout`].

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_files::{FileLayout, FileWriter, LayoutRequest, Piece};
use floeberg_io::Store;

use super::layout::AvroLayout;
use super::writer::{AvroWriter, FILE_MEMORY};

/// The layout of a write. Errors: `InvalidInput` for invalid properties, `Unsupported` for types that cannot be written.
pub(crate) fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    Ok(Arc::new(AvroLayout::new(request)?))
}

impl FileLayout for AvroLayout {
    fn format(&self) -> &'static str {
        "avro"
    }

    fn piece(&self, batch: &RecordBatch) -> Result<Piece> {
        Ok(Piece::of_columns(batch.columns().to_vec(), batch.num_rows()))
    }

    fn for_rows(self: Arc<Self>, _: &[RecordBatch], _: bool) -> Result<Arc<dyn FileLayout>> {
        Ok(self)
    }

    fn for_file(self: Arc<Self>, _: &[Piece]) -> Result<Arc<dyn FileLayout>> {
        Ok(self)
    }

    fn file_memory(&self) -> u64 {
        FILE_MEMORY
    }

    fn create(self: Arc<Self>, store: &dyn Store, location: &str) -> Result<Box<dyn FileWriter>> {
        Ok(Box::new(AvroWriter::create(store, location, self)?))
    }
}
