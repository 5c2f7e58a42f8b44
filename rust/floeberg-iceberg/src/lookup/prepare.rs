//! Which rows does a change look at?
//!
//! In: what a user asks for, a table and a scan of the rows. Out: the change, with the rows that it changes.
//!
//! Invariant: columns and values of the source are checked before rows are looked for.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{
    ApplyFeed, Functions, JoinedColumns, MergeRows, NullKeys, UpdateRows, UpsertRows, check_source_memory,
};

use super::change_rows::RowChanges;
use super::found_rows::FoundRows;
use super::source_columns::SourceColumns;
use super::source_keys::SourceKeys;
use crate::Scan;

/// A change, with the rows that it looks at.
pub struct PreparedChange {
    /// What is done.
    pub changes: RowChanges,
    /// The keys of the source.
    pub keys: Option<Arc<SourceKeys>>,
    /// The rows with such a key.
    pub found: Option<Arc<FoundRows>>,
    /// Are rows inserted whose keys no row had?
    pub inserts_keys: bool,
}

/// An update of the rows of a scan.
///
/// Errors: `InvalidInput` for values that do not fit.
pub fn prepare_update(
    update: &UpdateRows,
    scan: &Scan,
    functions: Arc<dyn Functions>,
) -> Result<PreparedChange> {
    let schema = Arc::new(schema_to_arrow(scan.schema()?.as_ref())?);
    let changes = RowChanges::Update(Arc::new(update.on(schema, functions)?));
    Ok(PreparedChange { changes, keys: None, found: None, inserts_keys: false })
}

/// A merge into the rows of a scan.
///
/// Errors: `InvalidInput` for names, types and values that do not fit; those of reading.
pub fn prepare_merge(
    merge: &MergeRows,
    scan: &Scan,
    functions: Arc<dyn Functions>,
    cancel: &Cancel,
) -> Result<PreparedChange> {
    let table = scan.schema()?;
    let schema = Arc::new(schema_to_arrow(&table)?);
    let made = Arc::new(merge.on(Arc::clone(&schema), functions)?);
    let ids: Vec<i32> =
        made.keys().columns.iter().map(|(of_table, _)| table.fields()[*of_table].id).collect();
    let mut keys = SourceKeys::new(&table, &ids, NullKeys::Unequal, true)?;
    let of_keys = Arc::new(schema_to_arrow(keys.schema())?);
    let source = made.source();
    for range in source.ranges(source.rows()) {
        cancel.check()?;
        let columns = made.keys().of_source(source, &schema, range)?;
        let batch = RecordBatch::try_new(Arc::clone(&of_keys), columns)
            .map_err(|error| Error::internal("keys of the source").caused_by(error))?;
        keys.insert(&batch)?;
        check_source_memory(keys.memory() as u64)?;
    }
    let keys = Arc::new(keys);
    let found = Arc::new(FoundRows::find(scan, Arc::clone(&keys), made.lists_all(), cancel)?);
    let inserts_keys = made.inserts();
    let changes = RowChanges::Merge(made, Arc::clone(&found));
    Ok(PreparedChange { changes, keys: Some(keys), found: Some(found), inserts_keys })
}

/// An upsert into the rows of a scan.
///
/// Errors: `InvalidInput` for names, types and values that do not fit; those of reading.
pub fn prepare_upsert(upsert: &UpsertRows, scan: &Scan, cancel: &Cancel) -> Result<PreparedChange> {
    let table = scan.schema()?;
    let identifiers = || identifier_columns(&table);
    let keys = upsert.keys.clone().map_or_else(identifiers, Ok)?;
    let (of_source, schema) = (upsert.source.schema(), schema_to_arrow(&table)?);
    let columns = JoinedColumns::of(of_source, &schema, &keys, upsert.case_sensitive, upsert.updates)?;
    let JoinedColumns { keys, used } = columns;
    let source = SourceColumns::new(&table, &upsert.source, &used, &keys, None, cancel)?;
    let source = Arc::new(source);
    let keys = indexed(&table, &source, &keys, upsert.null_keys)?;
    let found = Arc::new(FoundRows::find(scan, Arc::clone(&keys), false, cancel)?);
    let changes = RowChanges::Upsert {
        source,
        found: Arc::clone(&found),
        updates: upsert.updates,
        inserts: upsert.inserts,
    };
    Ok(PreparedChange { changes, keys: Some(keys), found: Some(found), inserts_keys: upsert.inserts })
}

/// A feed of changes, applied to the rows of a scan.
///
/// Errors: `InvalidInput` for names, types and values that do not fit, and for what the feed leaves open; those of reading.
pub fn prepare_feed(feed: &ApplyFeed, scan: &Scan, cancel: &Cancel) -> Result<PreparedChange> {
    let table = scan.schema()?;
    let (source, keys) = last_changes(feed, &table, cancel)?;
    let inserts_keys = source.rows() > 0;
    let found = Arc::new(FoundRows::find(scan, Arc::clone(&keys), false, cancel)?);
    let changes = RowChanges::Upsert { source, found: Arc::clone(&found), updates: true, inserts: true };
    Ok(PreparedChange { changes, keys: Some(keys), found: Some(found), inserts_keys })
}

/// A feed of changes that is applied by the deletes of all of its keys, without reading the table.
///
/// Errors: as with [`prepare_feed`]; `InvalidInput` where the changes lack a column of the table.
pub fn prepare_feed_by_keys(feed: &ApplyFeed, scan: &Scan, cancel: &Cancel) -> Result<PreparedChange> {
    let table = scan.schema()?;
    let (source, _) = last_changes(feed, &table, cancel)?;
    let has = |id: i32| source.schema().fields().iter().any(|field| field.id == id);
    let missing: Vec<String> = table
        .fields()
        .iter()
        .filter(|field| !has(field.id))
        .map(|field| format!("'{}'", field.name))
        .collect();
    if !missing.is_empty() && source.rows() > 0 {
        return Err(Error::invalid_input(format!(
            "mode='equality' does not read the rows that change, so the changes need every column of the table: {} are \
             missing. Add them, or leave mode out",
            missing.join(", ")
        )));
    }
    let changes = RowChanges::Insert(source);
    Ok(PreparedChange { changes, keys: None, found: None, inserts_keys: false })
}

/// The last change of each key: rows, and then the keys of deleted ones.
fn last_changes(
    feed: &ApplyFeed,
    table: &Schema,
    cancel: &Cancel,
) -> Result<(Arc<SourceColumns>, Arc<SourceKeys>)> {
    let JoinedColumns { keys, used } = feed.feed.joined(feed.source.schema(), &schema_to_arrow(table)?)?;
    let last = Some(feed.last()?);
    let source = Arc::new(SourceColumns::new(table, &feed.source, &used, &keys, last, cancel)?);
    let keys = indexed(table, &source, &keys, feed.null_keys)?;
    Ok((source, keys))
}

fn indexed(
    table: &Schema,
    source: &SourceColumns,
    names: &[String],
    nulls: NullKeys,
) -> Result<Arc<SourceKeys>> {
    let ids = names.iter().map(|name| table.find(name, true)).collect::<Result<Vec<_>>>()?;
    let mut keys = SourceKeys::new(table, &ids, nulls, false)?;
    source.keys_of_all(&Arc::clone(keys.schema()), |batch| {
        keys.insert(&batch)?;
        check_source_memory(keys.memory() as u64)
    })?;
    Ok(Arc::new(keys))
}

/// The columns that identify a row.
fn identifier_columns(table: &Schema) -> Result<Vec<String>> {
    let ids = table.identifier_field_ids();
    if ids.is_empty() {
        return Err(Error::invalid_input(
            "join_cols: the table has no identifier fields, expected the names of key columns",
        ));
    }
    let name = |id: &i32| {
        let column = table.fields().iter().find(|field| field.id == *id);
        column.map_or_else(|| format!("of id {id}"), |field| field.name.clone())
    };
    Ok(ids.iter().map(name).collect())
}
