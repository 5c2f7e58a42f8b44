//! How do row groups of data files become other data files, without decoding them?
//!
//! In: files of one partition of a table. Out: a receipt of the files that hold their row groups.
//! Spec: Row Lineage (a null inherits, so it means something else in another file).
//!
//! Invariant: a copier that does not finish leaves no file. Rows that are to be sorted are not copied.

use std::mem;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::reserved::{LAST_UPDATED_SEQUENCE_NUMBER, ROW_ID};
use floeberg_core::value::Value;
use floeberg_core::{Context as _, ErrorKind, Result};
use floeberg_files::LayoutRequest;
use floeberg_io::Store;
use floeberg_parquet::{CopyLayout, CopyWriter, StoredGroup};

use super::fanout::written_file;
use super::formats;
use super::layout::WriteLayout;
use super::recipe::check_name;
use super::{Purpose, Receipt, WriteRecipe, WriteTask, WrittenFile};
use crate::manifest::DataFile;

/// Writes row groups of data files of a table again.
pub struct GroupCopier {
    store: Arc<dyn Store>,
    recipe: WriteRecipe,
    purpose: Arc<Purpose>,
    layout: WriteLayout,
    copies: CopyLayout,
    partition: Vec<Option<Value>>,
    /// `00003-task-write-copy`: the prefix of the files' names.
    name: String,
    file: Option<(String, CopyWriter)>,
    begun: Vec<String>,
    written: Vec<WrittenFile>,
}

impl GroupCopier {
    /// A copier of files of a partition, without a file yet. `None` where rows are sorted or the recipe asks for encoded
    /// rows, and for formats without row groups that can be copied.
    ///
    /// Errors: those of [`WriteRecipe::new`]; `InvalidInput` for a task name that cannot be part of a file name.
    pub fn new(
        recipe: &WriteRecipe,
        store: Arc<dyn Store>,
        task: WriteTask<'_>,
        partition: Vec<Option<Value>>,
    ) -> Result<Option<Self>> {
        check_name("task name", task.name)?;
        let layout = recipe.layout()?;
        if !recipe.copies_groups || layout.keys.is_some() {
            return Ok(None);
        }
        let request = LayoutRequest {
            schema: &recipe.schema,
            properties: &recipe.properties,
            modes: layout.modes.clone(),
            sorted_by: Vec::new(),
            deletes: None,
        };
        let inherited = vec![ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER];
        let copies = formats::copy_layout(&request, layout.file_size, inherited)?;
        Ok(copies.map(|copies| Self {
            store,
            purpose: Arc::new(recipe.purpose()),
            name: format!("{:05}-{}-{}-copy", task.partition, task.name, recipe.write_id),
            recipe: recipe.clone(),
            layout,
            copies,
            partition,
            file: None,
            begun: Vec::new(),
            written: Vec::new(),
        }))
    }

    /// Which files can be copied.
    pub fn copies(&self) -> &CopyLayout {
        &self.copies
    }

    /// Bytes at which a file ends.
    pub fn file_size(&self) -> u64 {
        self.layout.file_size
    }

    /// Copies a row group. `encoded` has its rows, with the columns of [`StoredFile::encoded`](super::StoredFile::encoded) in the form of the table.
    ///
    /// Errors: those of the store; `InvalidData` for another number of rows.
    pub fn append(&mut self, group: StoredGroup, encoded: &[RecordBatch]) -> Result<()> {
        let has_room = |file: &CopyWriter| file.size().saturating_add(group.bytes()) <= self.layout.file_size;
        if self.file.as_ref().is_some_and(|(_, file)| !has_room(file)) {
            self.end_file()?;
        }
        if self.file.is_none() {
            let number = self.begun.len() + 1;
            let name = format!("{}-{number:05}.{}", self.name, self.layout.file.format());
            let location = self.layout.locations.of(&self.recipe.spec, &self.partition, &name);
            let created = self.copies.create(self.store.as_ref(), &location);
            // If the answer of the store was lost, the file may still exist; it cannot be another writer's.
            if !created.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
                self.begun.push(location.clone());
            }
            self.file = Some((location, created?));
        }
        match &mut self.file {
            Some((location, file)) => file.append(group, encoded).context("path", location),
            None => Ok(()),
        }
    }

    /// Ends the files: they are durable then.
    ///
    /// Errors: those of the store. The files are removed then.
    pub fn finish(mut self) -> Result<Receipt> {
        self.end_file()?;
        self.begun.clear();
        Receipt::new(mem::take(&mut self.written))
    }

    fn end_file(&mut self) -> Result<()> {
        let Some((location, file)) = self.file.take() else { return Ok(()) };
        let metrics = file.finish()?;
        let named = DataFile::new(&location, self.layout.file.format());
        let file = DataFile { partition: self.partition.clone(), ..named };
        self.written.push(written_file(&self.layout, &self.purpose, file, metrics));
        Ok(())
    }
}

impl Drop for GroupCopier {
    fn drop(&mut self) {
        self.file = None;
        for location in self.begun.drain(..) {
            // If this fails, the file is an orphan: nothing refers to it.
            let _ = self.store.remove(&location);
        }
    }
}
