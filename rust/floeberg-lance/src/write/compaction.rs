//! How do the rows of several fragments become fewer files?
//!
//! In: a version, and how large fragments should be. Out: files of the rows that are not deleted, in their order.
//!
//! Invariant: a group of fragments has files of its own, whose rows follow one another as before.

use std::sync::Arc;

use floeberg_core::{Cancel, Result};

use super::data_files::{DataFileWriter, DataFiles, Destination};
use crate::change::{CompactionGroup, NewFile, compact, plan_compaction};
use crate::pages::Pages;
use crate::rows::RowStream;
use crate::scan::Scan;
use crate::table::Table;
use crate::wire::Operation;

/// What a compaction does, before its commit.
#[derive(Debug)]
pub struct Compacted {
    /// Replaces fragments.
    pub operation: Operation,
    /// The new files.
    pub files: DataFiles,
    /// The number of fragments that are replaced.
    pub fragments_before: usize,
    /// The number of fragments that replace them.
    pub fragments_after: usize,
    /// Their rows.
    pub rows: u64,
}

/// Writes fragments that are too small, or of which too many rows are deleted, as [`plan_compaction`] says; `None` where there are
/// none.
///
/// Errors: those of [`plan_compaction`], of reading and of writing; `Cancelled`. No file is left.
pub fn write_compacted(
    table: &Table,
    pages: &Arc<dyn Pages>,
    target_rows: u64,
    deletions: f64,
    cancel: &Cancel,
) -> Result<Option<Compacted>> {
    let groups = plan_compaction(table, target_rows, deletions)?;
    if groups.is_empty() {
        return Ok(None);
    }
    let destination = Destination::of_table(table, pages)?;
    let mut writer = DataFileWriter::new(destination, Arc::new(table.schema().to_arrow()?), target_rows);
    let request = Scan::new(table.clone()).request()?;
    let mut ends = Vec::with_capacity(groups.len());
    for group in &groups {
        for place in &group.places {
            let mut stream = RowStream::of_fragment(&request, *place, pages);
            while let Some(batch) = stream.next_batch()? {
                cancel.check()?;
                writer.write(&batch)?;
            }
        }
        ends.push(writer.end_file()?);
    }
    let files = writer.finish(&[])?;
    let made = operation(table, groups, &ends, &files);
    made.map(Some).inspect_err(|_| files.remove())
}

/// Each group with the files up to its end.
fn operation(
    table: &Table,
    groups: Vec<CompactionGroup>,
    ends: &[usize],
    files: &DataFiles,
) -> Result<Compacted> {
    let (mut start, mut of_groups) = (0, Vec::<(CompactionGroup, Vec<NewFile>)>::new());
    for (group, end) in groups.into_iter().zip(ends) {
        of_groups.push((group, files.files()[start..*end].to_vec()));
        start = *end;
    }
    Ok(Compacted {
        operation: compact(table, &of_groups)?,
        files: files.clone(),
        fragments_before: of_groups.iter().map(|(group, _)| group.places.len()).sum(),
        fragments_after: files.files().len(),
        rows: of_groups.iter().map(|(group, _)| group.rows).sum(),
    })
}
