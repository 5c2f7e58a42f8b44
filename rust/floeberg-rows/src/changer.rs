//! How is a change applied to a table whose rows come batch by batch?
//!
//! In: what a user asks for, and the columns of a table. Out: for each batch of rows new rows, and in the end inserted ones.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use floeberg_core::{Cancel, Error, Result};

use crate::cast_source::CastSource;
use crate::change::{BatchChange, FoundRows, RowChange};
use crate::merge::Merge;
use crate::new_value::Functions;
use crate::null_keys::NullKeys;
use crate::replace::Replace;
use crate::request::{ApplyFeed, MergeRows, UpdateRows, UpsertRows};
use crate::update::Update;

/// A change of the rows of one state of a table.
pub enum Changer {
    /// Columns of the rows that are given are set.
    Update(Update),
    /// Rows with a key of a source are changed by clauses, and others inserted.
    Merge(Box<Merge>),
    /// Rows with a key of a source are replaced by those of the source, and others inserted.
    Upsert {
        /// The rows of the source.
        source: Arc<CastSource>,
        /// Replaces rows; `None` leaves them.
        replace: Option<Replace>,
        /// Are rows inserted?
        inserts: bool,
        /// What a null in a key means.
        nulls: NullKeys,
    },
}

impl Changer {
    /// An update. Errors: those of [`Update::new`].
    pub fn update(update: &UpdateRows, table: SchemaRef, functions: Arc<dyn Functions>) -> Result<Self> {
        update.on(table, functions).map(Self::Update)
    }

    /// A merge. Errors: those of [`MergeRows::on`].
    pub fn merge(merge: &MergeRows, table: SchemaRef, functions: Arc<dyn Functions>) -> Result<Self> {
        merge.on(table, functions).map(|merge| Self::Merge(Box::new(merge)))
    }

    /// An upsert by keys that are given. Errors: `InvalidInput` for names, types and values that do not fit.
    pub fn upsert(upsert: &UpsertRows, table: &Schema, cancel: &Cancel) -> Result<Self> {
        let Some(keys) = &upsert.keys else {
            return Err(Error::invalid_input("join_cols: expected the names of key columns"));
        };
        let joined = crate::names::JoinedColumns::of(
            upsert.source.schema(),
            table,
            keys,
            upsert.case_sensitive,
            upsert.updates,
        )?;
        let source = Arc::new(CastSource::new(table, Arc::clone(&upsert.source), &joined, None, cancel)?);
        let replace = upsert.updates.then(|| Replace::new(Arc::clone(&source), table.fields().len()));
        Ok(Self::Upsert { source, replace, inserts: upsert.inserts, nulls: upsert.null_keys })
    }

    /// A feed of changes.
    ///
    /// Errors: `InvalidInput` for names, types and values that do not fit, and for what the feed leaves open; `LimitExceeded` where keys,
    /// operations and order do not fit into memory.
    pub fn feed(feed: &ApplyFeed, table: &Schema, cancel: &Cancel) -> Result<Self> {
        let joined = feed.feed.joined(feed.source.schema(), table)?;
        let last = Some(feed.last()?);
        let source = CastSource::new(table, Arc::clone(&feed.source), &joined, last, cancel)?;
        let source = Arc::new(source);
        let replace = Some(Replace::new(Arc::clone(&source), table.fields().len()));
        Ok(Self::Upsert { source, replace, inserts: true, nulls: feed.null_keys })
    }

    /// Is every row of the table looked at?
    pub fn lists_all(&self) -> bool {
        match self {
            Self::Merge(merge) => merge.lists_all(),
            _ => false,
        }
    }

    /// Are the rows of the table that are found read at all?
    pub fn reads_table(&self) -> bool {
        match self {
            Self::Update(_) => true,
            Self::Merge(merge) => merge.reads_table(),
            Self::Upsert { replace, .. } => replace.is_some(),
        }
    }

    /// May rows be inserted?
    pub fn inserts(&self) -> bool {
        match self {
            Self::Update(_) => false,
            Self::Merge(merge) => merge.inserts(),
            Self::Upsert { source, inserts, .. } => *inserts && source.rows() > 0,
        }
    }

    /// What a null in a key means, and whether several rows of the source may have one key.
    pub fn key_rules(&self) -> (NullKeys, bool) {
        match self {
            Self::Upsert { nulls, .. } => (*nulls, false),
            _ => (NullKeys::Unequal, true),
        }
    }

    /// The columns that get new values, by the names of the table.
    pub fn updated_columns(&self, table: &Schema) -> Vec<String> {
        let named = |columns: Vec<usize>| {
            columns.into_iter().map(|column| table.field(column).name().clone()).collect()
        };
        match self {
            Self::Update(update) => named(update.columns()),
            Self::Merge(merge) => named(merge.updated_columns()),
            Self::Upsert { source, .. } => source.others(),
        }
    }

    /// The key columns of a source, all optional. Errors: `Internal` for an update, which has none.
    pub fn key_schema(&self, table: &Schema) -> Result<SchemaRef> {
        match self {
            Self::Update(_) => Err(Error::internal("an update has no keys")),
            Self::Upsert { source, .. } => Ok(source.key_schema()),
            Self::Merge(merge) => {
                let columns = merge.keys().columns.iter();
                let fields = columns.map(|(column, _)| table.field(*column).clone().with_nullable(true));
                Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
            }
        }
    }

    /// The keys of all rows of the source, some at a time.
    ///
    /// Errors: `InvalidInput` for a key that does not fit its column; those of `take`.
    pub fn keys_of_all(&self, table: &Schema, mut take: impl FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        match self {
            Self::Update(_) => Ok(()),
            Self::Upsert { source, .. } => source.keys_of_all(take),
            Self::Merge(merge) => {
                let (source, schema) = (merge.source(), self.key_schema(table)?);
                for range in source.ranges(source.rows()) {
                    let columns = merge.keys().of_source(source, table, range.clone())?;
                    take(crate::view::batch_of(&schema, columns, range.len())?)?;
                }
                Ok(())
            }
        }
    }

    /// What becomes of some rows of the table. Errors: those of [`RowChange::apply`].
    pub fn apply(&self, found: &FoundRows<'_>) -> Result<BatchChange> {
        match self {
            Self::Update(update) => update.apply(found),
            Self::Merge(merge) => merge.apply(found),
            Self::Upsert { replace: Some(replace), .. } => replace.apply(found),
            Self::Upsert { replace: None, .. } => Ok(BatchChange::default()),
        }
    }

    /// The rows of the source that are inserted, when all rows of the table were applied. `unmatched` are those whose keys no row has.
    pub fn rows_to_insert(&self, unmatched: Vec<u32>) -> Vec<u32> {
        match self {
            Self::Update(_) => Vec::new(),
            Self::Merge(merge) if merge.inserts() => merge.unmatched(|| unmatched),
            Self::Upsert { source, inserts: true, .. } => {
                unmatched.into_iter().filter(|row| (*row as usize) < source.rows()).collect()
            }
            Self::Merge(_) | Self::Upsert { .. } => Vec::new(),
        }
    }

    /// The most rows of the source that are inserted at once.
    pub fn rows_at_once(&self) -> usize {
        match self {
            Self::Update(_) => 1,
            Self::Merge(merge) => merge.source().rows_at_once(),
            Self::Upsert { source, .. } => source.rows_at_once(),
        }
    }

    /// New rows of some rows of the source: batches of some columns of the table.
    ///
    /// Errors: `InvalidInput` where values do not fit; those of functions.
    pub fn inserted(&self, rows: &[u32]) -> Result<Vec<RecordBatch>> {
        match self {
            Self::Update(_) => Ok(Vec::new()),
            Self::Merge(merge) => merge.inserted(rows),
            Self::Upsert { source, .. } => Ok(vec![source.take(rows)?]),
        }
    }
}
