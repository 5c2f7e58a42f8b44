//! Have all rows of a row group one text in a column?
//!
//! Invariant: it is said only where statistics prove it; they may cut long bounds, and cut bounds are not equal.

use floeberg_core::schema::Field;
use floeberg_files::field_place;
use parquet::file::statistics::Statistics;

use super::ParquetFile;

impl ParquetFile {
    /// The one text that all rows of a row group have in a top-level column: no text is below the lower or above the
    /// upper bound, and the two are equal.
    pub(super) fn one_text_of_group(&self, group: usize, column: &Field) -> Option<&str> {
        // Where two columns have the id, reading it says so.
        let place = field_place(&self.fields.fields, column.id).ok()??;
        let column = self.fields.fields.get(place)?;
        let chunk = self.metadata().row_group(group).columns().get(column.leaves.start)?;
        let Statistics::ByteArray(texts) = chunk.statistics()? else { return None };
        // Bounds say nothing of nulls, and a row without a text has not this one.
        if chunk.column_descr().max_def_level() > 0 && texts.null_count_opt() != Some(0) {
            return None;
        }
        let (lowest, highest) = (texts.min_opt()?, texts.max_opt()?);
        (lowest == highest).then(|| lowest.as_utf8().ok())?
    }
}
