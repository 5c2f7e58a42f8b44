//! Which fragments hold the rows of a version?
//!
//! In: a manifest. Out: its fragments with their rows and files, in the order of a scan; no file is opened.
//!
//! Invariant: a plan is columns. A task is made when it is asked for, and its rows are known: a fragment that does not say how many
//! it has is an error, since rows would be missing.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use floeberg_core::{Context as _, Error, Result};

use super::task::{Task, TaskFile};
use crate::metadata::Bases;
use crate::wire::Manifest;

/// The fragments of a version.
#[derive(Debug, Clone)]
pub struct Plan {
    manifest: Arc<Manifest>,
    bases: Arc<Bases>,
    /// Where the manifest is, for errors.
    path: Arc<str>,
}

impl Plan {
    /// The plan of a version, whose manifest is at `path`.
    ///
    /// Errors: `InvalidData`, naming the manifest, where a fragment does not say how many rows it has.
    pub fn new(manifest: Arc<Manifest>, bases: Arc<Bases>, path: &str) -> Result<Self> {
        let fragments = &manifest.fragments;
        if let Some(place) = fragments.physical_rows().iter().position(|rows| *rows == 0) {
            return Err(Error::invalid_data("expected the number of rows of a fragment, found none")
                .with("fragment", fragments.ids()[place])
                .with("path", path));
        }
        Ok(Self { manifest, bases, path: path.into() })
    }

    /// The number of fragments.
    pub fn len(&self) -> usize {
        self.manifest.fragments.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The task of a whole fragment, by its place.
    ///
    /// Errors: `InvalidData`, naming the manifest, for files in a base that is not there.
    pub fn task(&self, place: usize) -> Result<Task> {
        let fragments = &self.manifest.fragments;
        let id = *fragments.ids().get(place).ok_or_else(|| {
            Error::invalid_input(format!("expected a place below {}, found {place}", self.len()))
        })?;
        let task = || {
            let files = fragments.files(place).map(|file| {
                let location = self.bases.data_file(file.base_id, file.path)?;
                Ok(TaskFile { location, layout: file.layout.clone(), size_bytes: file.size_bytes })
            });
            let deletion_file = fragments.deletion_file(place)?.map(|file| {
                let location = self.bases.deletion_file(id, &file)?;
                Ok((file, location))
            });
            let rows = fragments.physical_rows()[place];
            Ok(Task {
                fragment_id: id,
                physical_rows: rows,
                rows: 0..rows,
                files: files.collect::<Result<_>>()?,
                deletion_file: deletion_file.transpose()?,
            })
        };
        task().context("fragment", id).context("path", &self.path)
    }

    /// The tasks, cut so that none has more than this many rows, and made one by one.
    pub fn split(&self, most_rows: u64) -> impl Iterator<Item = Result<Task>> + '_ {
        let most = most_rows.max(1);
        (0..self.len()).flat_map(move |place| {
            let task = self.task(place);
            let rows = task.as_ref().map_or(1, |task| task.physical_rows);
            (0..rows.div_ceil(most)).map(move |part| match &task {
                Ok(task) => {
                    let rows = part * most..((part + 1).saturating_mul(most)).min(task.physical_rows);
                    Ok(Task { rows, ..task.clone() })
                }
                Err(_) => self.task(place),
            })
        })
    }

    /// The plan as columns: `fragment_id`, `physical_rows`, `deleted_rows`, `data_files`, `deletion_file`. Deleted rows are null
    /// where a deletion file does not say how many it has.
    ///
    /// Errors: those of [`Self::task`].
    pub fn to_arrow(&self) -> Result<RecordBatch> {
        self.columns().context("path", &self.path)
    }

    fn columns(&self) -> Result<RecordBatch> {
        let fragments = &self.manifest.fragments;
        let mut files = ListBuilder::new(StringBuilder::new());
        let mut deletions = Vec::with_capacity(self.len());
        for place in 0..self.len() {
            for file in fragments.files(place) {
                files.values().append_value(self.bases.data_file(file.base_id, file.path)?);
            }
            files.append(true);
            let id = fragments.ids()[place];
            let deletion = fragments.deletion_file(place)?;
            deletions.push(deletion.map(|file| self.bases.deletion_file(id, &file)).transpose()?);
        }
        let deleted = (0..self.len()).map(|place| {
            let deleted = fragments.deleted_rows(place);
            (deleted > 0 || !fragments.has_deletion_file(place)).then_some(deleted)
        });
        let columns: [(&str, ArrayRef, bool); 5] = [
            ("fragment_id", Arc::new(UInt64Array::from(fragments.ids().to_vec())), false),
            ("physical_rows", Arc::new(UInt64Array::from(fragments.physical_rows().to_vec())), false),
            ("deleted_rows", Arc::new(deleted.collect::<UInt64Array>()), true),
            ("data_files", Arc::new(files.finish()), false),
            ("deletion_file", Arc::new(StringArray::from(deletions)), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
            .map_err(|error| Error::internal("a plan could not be put into columns").caused_by(error))
    }
}
