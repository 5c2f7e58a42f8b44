//! How are more keys applied than fit into memory?
//!
//! In: delete files and an open data file. Out: the positions of the rows that they delete.
//!
//! As many keys as fit are loaded, the key columns of the data file are read, and the positions of deleted rows are recorded;
//! then come the next keys. Keys may be split in any way: a row is deleted if any part has its key.
//!
//! Invariant: one task of a scan does this at a time, and holds about half of the scan's memory in keys.

use std::sync::{Arc, PoisonError};

use floeberg_core::rows::{DeletedKeys, DeletedRows};
use floeberg_core::{Error, Result};
use floeberg_exec::cores::blocking;
use floeberg_files::{FileConstants, FileReader, Projection, Unit, UnitRequest};
use roaring::RoaringTreemap;

use super::TaskKeys;
use super::cache::KeyCache;
use super::key_column::{KeyColumn, keys_of, no_keys, roots};
use super::key_rows;
use crate::plan::{DeleteFile, FileScanTask};
use crate::read::ReadRequest;

/// A data file whose keys are compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataKeys<'a> {
    /// The request.
    pub(crate) request: &'a ReadRequest,
    /// The cache of keys.
    pub(crate) cache: &'a KeyCache,
    /// Its task.
    pub(crate) task: &'a FileScanTask,
    /// The file.
    pub(crate) file: &'a Arc<dyn FileReader>,
    /// The constants of its partition.
    pub(crate) constants: &'a FileConstants,
    /// The units that the task reads.
    pub(crate) units: &'a [Unit],
}

impl TaskKeys {
    /// Are there keys without room in a shared set?
    pub(crate) fn has_unshared(&self) -> bool {
        !self.unshared.is_empty()
    }

    /// Applies the keys without room: their rows of the data file are deleted too.
    pub(crate) fn apply_unshared(&self, data: DataKeys<'_>, deleted: &mut DeletedRows) -> Result<()> {
        let _alone = blocking(|| data.cache.in_parts.lock()).unwrap_or_else(PoisonError::into_inner);
        for (columns, files) in &self.unshared {
            let mut parts = Parts { data, columns, keys: no_keys(columns)?, found: RoaringTreemap::new() };
            for delete in files {
                parts.add(delete)?;
            }
            parts.run()?;
            deleted.add(&parts.found);
        }
        Ok(())
    }
}

/// Keys of the same columns, applied part by part.
struct Parts<'a> {
    data: DataKeys<'a>,
    columns: &'a [KeyColumn],
    keys: DeletedKeys,
    found: RoaringTreemap,
}

impl Parts<'_> {
    /// Adds the keys of a file, and applies the keys so far whenever they fill the memory.
    fn add(&mut self, delete: &DeleteFile) -> Result<()> {
        let most = self.data.request.memory / 2;
        key_rows::for_each(self.data.request, delete, self.columns, |rows| {
            self.keys.insert(rows, delete.data_sequence_number)?;
            if self.keys.memory() as u64 >= most {
                self.run()?;
            }
            Ok(true)
        })
        .map(drop)
    }

    /// Looks up the rows of the data file among the keys, and clears the keys.
    fn run(&mut self) -> Result<()> {
        let keys = std::mem::replace(&mut self.keys, no_keys(self.columns)?);
        if keys.is_empty() {
            return Ok(());
        }
        let data = self.data;
        let projection = Projection::of_fields(&roots(self.columns), data.file.fields(), data.constants)?;
        let (projection, no_deletes) = (Arc::new(projection), Arc::default());
        let mut after = None;
        for unit in data.units {
            let mut position = first_row(unit, after)?;
            let reader = Arc::clone(data.file).read(&UnitRequest {
                unit,
                projection: &projection,
                deletes: &no_deletes,
                predicate: None,
                batch_rows: data.request.files.batch_rows,
                cancel: &data.request.files.cancel,
                counts: None,
            })?;
            for batch in reader {
                data.request.files.cancel.check()?;
                let batch = batch?;
                let rows = keys_of(self.columns, batch.columns())?;
                let deleted = keys.deleted(&rows, data.task.data_sequence_number)?;
                self.found.extend(deleted.set_indices().map(|row| position + row as u64));
                position += batch.num_rows() as u64;
            }
            after = Some((unit.number + 1, position));
        }
        Ok(())
    }
}

/// The position of the first row of a unit. If the file does not have it, all earlier units were read.
fn first_row(unit: &Unit, after: Option<(usize, u64)>) -> Result<u64> {
    match (&unit.rows, after) {
        (Some(rows), _) => Ok(rows.start),
        (None, Some((number, position))) if number == unit.number => Ok(position),
        (None, _) if unit.number == 0 => Ok(0),
        (None, _) => Err(Error::limit(format!(
            "the equality deletes do not fit into memory, and the first row of unit {} of the file is not \
             known: set a larger FLOEBERG_MEMORY",
            unit.number
        ))),
    }
}
