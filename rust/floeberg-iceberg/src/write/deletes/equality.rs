//! How do keys of deleted rows become equality delete files?
//!
//! In: batches of key columns. Out: files of keys, by spec and partition, and their receipt.
//! Spec: Equality Delete Files; Delete File Stats.
//!
//! Invariant: every key is under every spec that [`specs_for`] names. A writer that does not finish leaves no file.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_io::Store;

use super::keys::{check_keys, specs_for};
use super::recipe::DeleteRecipe;
use crate::manifest::FileContent;
use crate::write::{Purpose, Receipt, WriteTask, Writer, WrittenFile};

/// Writes keys of deleted rows. A null deletes the rows that have null there.
pub struct EqualityWriter {
    keys: Vec<i32>,
    schema: Arc<Schema>,
    /// One for each spec.
    writers: Vec<(Writer, Arc<Purpose>)>,
    store: Arc<dyn Store>,
    is_broken: bool,
}

impl EqualityWriter {
    /// A writer of keys, by field ids. `live_specs` are the partition specs that the table has data files of.
    ///
    /// Errors: `InvalidInput` for columns that cannot be keys, for keys that apply to every partition if the table
    /// lacks an unpartitioned spec, and for a task name that cannot be part of a file name; `Unsupported` for a
    /// format that is not written.
    pub fn new(
        recipe: &DeleteRecipe,
        store: &Arc<dyn Store>,
        task: WriteTask<'_>,
        cancel: &Cancel,
        keys: &[i32],
        live_specs: &BTreeSet<i32>,
    ) -> Result<Self> {
        check_keys(&recipe.schema, keys)?;
        let schema = Arc::new(recipe.schema.select(keys)?);
        let specs = specs_for(recipe, keys, live_specs)?;
        let memory = memory_budget()? / specs.len().max(1) as u64;
        let writers = specs.into_iter().map(|spec_id| {
            let spec = recipe.spec(spec_id)?;
            let name = format!("{}-deletes-{spec_id}", task.name);
            let task = WriteTask { name: &name, ..task };
            let of_keys = recipe.of_rows(Arc::clone(&schema), keys, spec);
            let writer = Writer::with_memory(&of_keys, Arc::clone(store), task, cancel, memory)?;
            Ok((writer, recipe.purpose(spec)))
        });
        let writers = writers.collect::<Result<_>>()?;
        Ok(Self { keys: keys.to_vec(), schema, writers, store: Arc::clone(store), is_broken: false })
    }

    /// The columns of the rows that are written: the keys, and the structs that they are in.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Writes keys, in the form of [`schema_to_arrow`](floeberg_core::schema::arrow::schema_to_arrow) of
    /// [`EqualityWriter::schema`].
    ///
    /// Errors: those of [`Writer::write`]. After one nothing more can be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.is_broken {
            return Err(Error::invalid_input("a writer that failed cannot go on"));
        }
        let written = self.writers.iter_mut().try_for_each(|(writer, _)| writer.write(batch));
        self.is_broken = written.is_err();
        written
    }

    /// Ends the files: they are durable then. Errors: those of the store. The files are removed then.
    pub fn finish(self) -> Result<Receipt> {
        if self.is_broken {
            return Err(Error::invalid_input("a writer that failed cannot go on"));
        }
        let mut files: Vec<WrittenFile> = Vec::new();
        for (writer, purpose) in self.writers {
            let finished = writer.finish().inspect_err(|_| {
                for written in &files {
                    // It is an orphan where this fails: nothing refers to it.
                    let _ = self.store.remove(&written.file.file_path);
                }
            })?;
            files.extend(finished.into_files().into_iter().map(|mut written| {
                written.file.content = FileContent::EqualityDeletes;
                written.file.equality_ids = Some(self.keys.clone());
                written.purpose = Some(Arc::clone(&purpose));
                written
            }));
        }
        Receipt::new(files)
    }
}
