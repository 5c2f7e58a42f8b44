//! A Parquet file, behind the contract [`FileReader`].

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::schema::{Field, Schema};
use floeberg_files::{
    DELETE_TYPE, FileFields, FileFilter, FileMetrics, FileReader, Modes, Projection, Unit, UnitReader,
    UnitRequest,
};

use super::ParquetFile;
use super::metrics::described;

impl FileReader for ParquetFile {
    fn fields(&self) -> &FileFields {
        &self.fields
    }

    fn delete_type(&self) -> Option<&str> {
        let entries = self.reader.metadata().file_metadata().key_value_metadata()?;
        entries.iter().find(|entry| entry.key == DELETE_TYPE)?.value.as_deref()
    }

    fn units(&self, bytes: Option<&Range<u64>>, filter: &FileFilter) -> Vec<Unit> {
        self.row_groups(bytes, filter)
    }

    fn without_ruled_out(&self, units: Vec<Unit>, filter: &FileFilter) -> Result<Vec<Unit>> {
        self.left_by_bloom_filters(units, filter)
    }

    fn prepared(
        self: Arc<Self>,
        units: &[Unit],
        projection: &Projection,
        filter: &FileFilter,
    ) -> Result<Arc<dyn FileReader>> {
        Ok(match self.with_index_for(units, projection, filter)? {
            Some(prepared) => Arc::new(prepared),
            None => self,
        })
    }

    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader> {
        Ok(Box::new(self.read_group(request)?))
    }

    fn stored_bytes(&self, unit: &Unit, projection: &Projection) -> u64 {
        let group = self.metadata().row_group(unit.number);
        let sizes = projection.leaves.iter().map(|leaf| group.column(*leaf).compressed_size());
        sizes.fold(0, |sum, size| sum.saturating_add(u64::try_from(size).unwrap_or(0)))
    }

    fn metrics(&self, schema: &Schema, modes: &Modes) -> Result<FileMetrics> {
        described(self, schema, modes)
    }

    fn one_text(&self, unit: &Unit, column: &Field) -> Option<&str> {
        self.one_text_of_group(unit.number, column)
    }
}
