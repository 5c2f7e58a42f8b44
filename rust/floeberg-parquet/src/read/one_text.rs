//! Do all rows of a row group have the same string in a column?
//!
//! Invariant: the answer is yes only if statistics prove it. Long bounds may be truncated, and truncated bounds are not equal.

use floeberg_core::schema::Field;
use floeberg_files::field_place;
use parquet::file::statistics::Statistics;

use super::ParquetFile;

impl ParquetFile {
    /// The one string that all rows of a row group have in a top-level column: the lower bound and the upper bound are
    /// equal.
    pub(super) fn one_text_of_group(&self, group: usize, column: &Field) -> Option<&str> {
        // If two columns have the id, reading reports it.
        let place = field_place(&self.fields.fields, column.id).ok()??;
        let column = self.fields.fields.get(place)?;
        let chunk = self.metadata().row_group(group).columns().get(column.leaves.start)?;
        let Statistics::ByteArray(texts) = chunk.statistics()? else { return None };
        // Bounds ignore nulls, and a null row does not have the string.
        if chunk.column_descr().max_def_level() > 0 && texts.null_count_opt() != Some(0) {
            return None;
        }
        let (lowest, highest) = (texts.min_opt()?, texts.max_opt()?);
        (lowest == highest).then(|| lowest.as_utf8().ok())?
    }
}
