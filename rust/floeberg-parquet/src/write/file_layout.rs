//! How Parquet files are stored, behind the contract [`FileLayout`].

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_files::{FileLayout, FileWriter, LayoutRequest, Piece};
use floeberg_io::Store;

use super::layout::ParquetLayout;
use super::stored::stored_columns;
use super::writer::ParquetWriter;

/// The layout of a write. Errors: `InvalidInput` for invalid properties, `Unsupported` for types that cannot be written.
pub fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    Ok(Arc::new(ParquetLayout::new(request)?))
}

impl FileLayout for ParquetLayout {
    fn format(&self) -> &'static str {
        "parquet"
    }

    fn piece(&self, batch: &RecordBatch) -> Result<Piece> {
        let columns = stored_columns(batch.columns(), &self.fields)?;
        Ok(Piece::of_columns(columns, batch.num_rows()))
    }

    /// Without dictionaries of columns whose values hardly repeat, and with the level of the codec that suits each.
    fn for_rows(self: Arc<Self>, first: &[RecordBatch], are_all: bool) -> Result<Arc<dyn FileLayout>> {
        Ok(Arc::new(self.adapted_to(first, are_all)?))
    }

    /// With variants shredded by the types that they have in common.
    fn for_file(self: Arc<Self>, first: &[Piece]) -> Result<Arc<dyn FileLayout>> {
        Ok(self.shredded_as(first)?)
    }

    fn file_memory(&self) -> u64 {
        self.column_memory()
    }

    fn create(self: Arc<Self>, store: &dyn Store, location: &str) -> Result<Box<dyn FileWriter>> {
        Ok(Box::new(ParquetWriter::create(store, location, self)?))
    }
}
