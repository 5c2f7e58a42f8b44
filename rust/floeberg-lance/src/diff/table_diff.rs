//! What is asked of two versions of a table?
//!
//! A description: nothing is read before it is asked for. Rows have the columns of the second version, found by their field ids.
//!
//! Invariant: where nothing differs, or the history proves that no row does, no data file is opened.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::expr::Expr;
use floeberg_core::{Cancel, Result};
use floeberg_rows::RowCounts;

use super::fragments::{Differing, files, preview};
use super::history::Proof;
use super::stream::DiffStream;
use super::versions::Versions;
use crate::metadata::field_paths;
use crate::pages::Pages;
use crate::table::Table;

/// A field of a version: its id, its dotted name, its type as it is written, and whether it may be null.
pub type FieldParts = (i32, String, String, bool);

/// What differs between two versions.
#[derive(Debug, Clone)]
pub struct TableDiff(Versions);

impl TableDiff {
    /// Between two versions of a branch, in any order. Rows are one row by the columns of `key`, else by their stable ids, else by the
    /// unenforced primary key of the second version, else by their addresses. Only rows that match the filter are compared.
    ///
    /// Errors: `InvalidInput` for an unknown column, and for a part of a column; `Unsupported` where a selected column is another one
    /// in the first version, or a column has a reserved name.
    pub fn new(
        before: &Table,
        after: &Table,
        key: Option<Vec<String>>,
        selected: Vec<String>,
        filter: Expr,
    ) -> Result<Self> {
        Versions::new(before, after, key, selected, filter).map(Self)
    }

    /// `_change`, `_changed_columns`, `before` and `after`.
    pub fn schema(&self) -> &SchemaRef {
        self.0.cells.output()
    }

    /// What proves that no row differs; `None` where rows have to be compared.
    ///
    /// Errors: `InvalidData` for a damaged manifest or transaction; those of the store; `Cancelled`.
    pub fn proof(&self, cancel: &Cancel) -> Result<Option<Proof>> {
        self.0.proof(&self.0.differing()?, cancel)
    }

    /// The rows that differ: those that went, then those that changed, then those that came. Nothing is read before the first batch.
    pub fn stream(&self, pages: Arc<dyn Pages>) -> DiffStream {
        DiffStream::new(self.0.clone(), pages)
    }

    /// How many rows differ. Values are read only where a row is in both versions.
    ///
    /// Errors: those of [`DiffStream::next_batch`].
    pub fn counts(&self, pages: Arc<dyn Pages>, cancel: &Cancel) -> Result<RowCounts> {
        let mut stream = self.stream(pages);
        let mut counts = RowCounts::default();
        if let Some((deleted, inserted)) = stream.take_alone(cancel)? {
            (counts.deleted, counts.inserted) = (deleted, inserted);
        }
        while let Some(batch) = stream.next_batch(cancel)? {
            counts.add(&batch);
        }
        Ok(counts)
    }

    /// The files that differ, with any rows: `change` (`added`, `removed` or `other deletes`), `content`, `file_path`, `fragment_id`,
    /// `record_count` and `file_size_in_bytes`.
    ///
    /// Errors: `InvalidData`, naming the manifest.
    pub fn files(&self) -> Result<RecordBatch> {
        files(&self.0.own[0], &self.0.own[1], &self.0.differing()?)
    }

    /// How many rows of each fragment differ at most: `fragment_id`, `inserted_rows` and `deleted_rows`.
    ///
    /// Errors: those of [`Self::proof`].
    pub fn preview(&self, cancel: &Cancel) -> Result<RecordBatch> {
        let differing = match self.proof(cancel)? {
            Some(_) => Differing::default(),
            None => self.0.differing()?,
        };
        preview(&self.0.own[0], &self.0.own[1], &differing)
    }

    /// The fields of both versions, depth first.
    pub fn fields(&self) -> [Vec<FieldParts>; 2] {
        self.0.own.each_ref().map(|table| {
            let fields = &table.manifest().head.fields;
            let mut paths = field_paths(fields);
            let parts = fields.iter().filter_map(|field| {
                // Each part of a path begins with a zero.
                let name = paths.remove(&field.id)?.trim_start_matches('\0').replace('\0', ".");
                Some((field.id, name, field.logical_type.clone(), field.nullable))
            });
            parts.collect()
        })
    }
}
