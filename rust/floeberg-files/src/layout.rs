//! What does every format that is written offer?
//!
//! ```text
//! properties -> FileLayout -> FileWriter, one a file: encode, end_unit, write_unit, and again -> finish
//! ```
//!
//! Rules that every [`FileLayout`] keeps:
//! 1. A layout belongs to one write. Making it checks all properties and types, before a file is opened.
//! 2. What it learns from rows ([`FileLayout::for_rows`], [`FileLayout::for_file`]) decides how rows are stored, never which.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::schema::Schema;
use floeberg_io::Store;

use super::delete_type::DeleteType;
use super::metrics::Modes;
use super::piece::Piece;
use super::properties::WriteProperties;
use super::writer::FileWriter;

/// What a format needs to make a layout.
#[derive(Debug, Clone)]
pub struct LayoutRequest<'a> {
    /// The columns of the rows.
    pub schema: &'a Schema,
    /// What the table, or the options of one write, ask for.
    pub properties: &'a WriteProperties,
    /// The metrics to keep of the columns.
    pub modes: Modes,
    /// The leading columns that rows are sorted by.
    pub sorted_by: Vec<SortColumn>,
    /// What the rows delete, where they are deletes.
    pub deletes: Option<DeleteType>,
}

/// A column that rows are sorted by, without a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortColumn {
    /// Its field id.
    pub id: i32,
    /// Are the greatest first?
    pub descends: bool,
    /// Are nulls first?
    pub nulls_first: bool,
}

/// How all files of a write are stored. The rules are in the module's documentation.
pub trait FileLayout: Debug + Send + Sync {
    /// The name of the format in manifests and file names, in lower case.
    fn format(&self) -> &'static str;

    /// The rows of a batch in the table's form, as they are stored.
    fn piece(&self, batch: &RecordBatch) -> Result<Piece>;

    /// The same layout, adapted to the first rows of the write, which may be all of its rows.
    fn for_rows(self: Arc<Self>, first: &[RecordBatch], are_all: bool) -> Result<Arc<dyn FileLayout>>;

    /// The same layout, adapted to the first rows of a file. Errors: `InvalidData` for rows that cannot be stored.
    fn for_file(self: Arc<Self>, first: &[Piece]) -> Result<Arc<dyn FileLayout>>;

    /// About how many bytes of memory an open file takes, beside its values.
    fn file_memory(&self) -> u64;

    /// Starts a file. Errors: those of the store.
    fn create(self: Arc<Self>, store: &dyn Store, location: &str) -> Result<Box<dyn FileWriter>>;
}
