//! Which files has one of two tables alone?
//!
//! In: the files of both, one row each, with `change` and `file_path`. Out: those of the first one as removed, then those of the second
//! one as added.
//!
//! Invariant: a file that both have is in neither, whatever else is said of it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use floeberg_core::{Error, Result};

use crate::changed_cells::misfit;

/// The files that one of two tables has alone.
///
/// Errors: `Internal` for batches of other columns.
pub fn files_alone(before: &RecordBatch, after: &RecordBatch) -> Result<RecordBatch> {
    let (old, new) = (paths(before)?, paths(after)?);
    let gone = named(&without(before, old, new)?, "removed")?;
    let came = named(&without(after, new, old)?, "added")?;
    concat_batches(after.schema_ref(), [&gone, &came]).map_err(misfit)
}

fn paths(files: &RecordBatch) -> Result<&StringArray> {
    let column = files.column_by_name("file_path").and_then(|column| column.as_string_opt::<i32>());
    column.ok_or_else(|| Error::internal("files of a table have no paths"))
}

fn without(files: &RecordBatch, own: &StringArray, other: &StringArray) -> Result<RecordBatch> {
    let known: HashSet<Option<&str>> = other.iter().collect();
    let is_alone: BooleanArray = own.iter().map(|path| Some(!known.contains(&path))).collect();
    filter_record_batch(files, &is_alone).map_err(misfit)
}

/// The same files, all with one change.
fn named(files: &RecordBatch, change: &str) -> Result<RecordBatch> {
    let place = files.schema_ref().index_of("change").map_err(misfit)?;
    let changes: ArrayRef =
        Arc::new(StringArray::from_iter_values(std::iter::repeat_n(change, files.num_rows())));
    let mut columns = files.columns().to_vec();
    columns[place] = changes;
    RecordBatch::try_new(files.schema(), columns).map_err(misfit)
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    fn files(paths: &[&str]) -> Result<RecordBatch> {
        let field = |name| Field::new(name, DataType::Utf8, false);
        let schema = Arc::new(Schema::new(vec![field("change"), field("file_path")]));
        let text = |values: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(values)) };
        RecordBatch::try_new(schema, vec![text(vec!["added"; paths.len()]), text(paths.to_vec())])
            .map_err(misfit)
    }

    #[test]
    fn files_of_both_are_left_out() -> Result<()> {
        let found = files_alone(&files(&["a", "b"])?, &files(&["b", "c", "d"])?)?;
        let text = |place: usize| found.column(place).as_string::<i32>().iter().flatten().collect::<Vec<_>>();
        assert_eq!(text(0), ["removed", "added", "added"]);
        assert_eq!(text(1), ["a", "c", "d"]);
        assert_eq!(files_alone(&files(&["a"])?, &files(&["a"])?)?.num_rows(), 0);
        let other = RecordBatch::new_empty(Arc::new(Schema::empty()));
        assert!(files_alone(&other, &files(&["a"])?).is_err());
        Ok(())
    }
}
