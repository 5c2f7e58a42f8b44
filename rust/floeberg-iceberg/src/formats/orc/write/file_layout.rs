//! How ORC files are stored, behind the contract [`FileLayout`].

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_files::{FileLayout, FileWriter, LayoutRequest, Piece};
use floeberg_io::Store;

use super::layout::OrcLayout;
use super::writer::OrcFileWriter;

/// The layout of a write. Errors: `InvalidInput` for invalid properties, `Unsupported` for types that cannot be written.
pub(crate) fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    Ok(Arc::new(OrcLayout::new(request)?))
}

impl FileLayout for OrcLayout {
    fn format(&self) -> &'static str {
        "orc"
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
        self.memory()
    }

    fn create(self: Arc<Self>, store: &dyn Store, location: &str) -> Result<Box<dyn FileWriter>> {
        Ok(Box::new(OrcFileWriter::create(store, location, self)?))
    }
}
