//! How much does a plan read?
//!
//! In: the columns of a plan. Out: the sizes of its data files, and its deletes by kind.

use arrow_array::{Int32Array, Int64Array, ListArray, StringArray};
use floeberg_core::Result;

use crate::plan::columns::{column, typed};
use crate::plan::{DeleteKind, Plan};

/// Sizes of data files in bytes, as their writers recorded them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSizes {
    /// The smallest.
    pub smallest: u64,
    /// The median; the smaller of two.
    pub median: u64,
    /// The largest.
    pub largest: u64,
}

/// Deletes of one kind that apply to a data file of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttachedDeletes {
    /// Delete files, or deletion vectors, each counted once.
    pub files: u64,
    /// Deletes in them.
    pub records: u64,
    /// Bytes in them; for deletion vectors, those of their blobs.
    pub bytes: u64,
    /// Data files that one of them applies to.
    pub data_files: u64,
}

/// The deletes of a plan, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeletesByKind {
    /// Position delete files.
    pub position: AttachedDeletes,
    /// Equality delete files.
    pub equality: AttachedDeletes,
    /// Deletion vectors.
    pub vectors: AttachedDeletes,
}

impl DeletesByKind {
    fn of(&mut self, kind: &DeleteKind) -> &mut AttachedDeletes {
        match kind {
            DeleteKind::Position => &mut self.position,
            DeleteKind::Equality { .. } => &mut self.equality,
            DeleteKind::Vector { .. } => &mut self.vectors,
        }
    }
}

impl Plan {
    /// The paths of the data files as written, in order.
    pub fn file_paths(&self) -> Result<Vec<&str>> {
        let mut paths = Vec::with_capacity(self.len());
        for chunk in self.to_arrow().1 {
            paths.extend(typed::<StringArray>(chunk.column(column::FILE_PATH))?.iter().flatten());
        }
        Ok(paths)
    }

    /// The sizes of the data files; `None` without files.
    pub fn file_sizes(&self) -> Result<Option<FileSizes>> {
        let mut sizes = Vec::with_capacity(self.len());
        for chunk in self.to_arrow().1 {
            let chunk = typed::<Int64Array>(chunk.column(column::FILE_SIZE))?;
            sizes.extend(chunk.values().iter().map(|size| u64::try_from(*size).unwrap_or(0)));
        }
        if sizes.is_empty() {
            return Ok(None);
        }
        let middle = (sizes.len() - 1) / 2;
        let (below, median, above) = sizes.select_nth_unstable(middle);
        Ok(Some(FileSizes {
            smallest: below.iter().copied().min().unwrap_or(*median),
            median: *median,
            largest: above.iter().copied().max().unwrap_or(*median),
        }))
    }

    /// The deletes that apply to a data file of the plan.
    pub fn attached_deletes(&self) -> Result<DeletesByKind> {
        let files = self.delete_files();
        let mut found = DeletesByKind::default();
        if files.is_empty() {
            return Ok(found);
        }
        let mut attached = vec![false; files.len()];
        for chunk in self.to_arrow().1 {
            let lists = typed::<ListArray>(chunk.column(column::DELETE_FILES))?;
            let numbers = typed::<Int32Array>(lists.values())?.values();
            for ends in lists.value_offsets().windows(2) {
                let mut of_file = DeletesByKind::default();
                for number in &numbers[ends[0] as usize..ends[1] as usize] {
                    if let Some(delete) = files.get(*number as usize) {
                        attached[*number as usize] = true;
                        of_file.of(&delete.kind).data_files = 1;
                    }
                }
                found.position.data_files += of_file.position.data_files;
                found.equality.data_files += of_file.equality.data_files;
                found.vectors.data_files += of_file.vectors.data_files;
            }
        }
        for (delete, _) in files.iter().zip(attached).filter(|(_, attached)| *attached) {
            let kind = found.of(&delete.kind);
            kind.files += 1;
            kind.records = kind.records.saturating_add(u64::try_from(delete.record_count).unwrap_or(0));
            kind.bytes = kind.bytes.saturating_add(delete.content_size());
        }
        Ok(found)
    }
}
