//! How are rows of a version changed?
//!
//! In: a change of rows, and a version. Out: data files of new rows, the rows that they replace, and the rows that are deleted.
//!
//! Invariant: rows that replace others come before inserted ones, so that with stable row ids the ids of the first rows are those that
//! are kept. Rows are found in one version.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{Changer, FoundRows as RowsToChange, batch_of, check_source_memory, conform_batch};

use super::data_files::{DataFileWriter, DataFiles, Destination};
use super::deletes::{add_rows, check_reserved_names};
use crate::change::update;
use crate::commit::RowsOf;
use crate::found_rows::FoundRows;
use crate::pages::Pages;
use crate::placed_columns::PlacedColumns;
use crate::rows::RowStream;
use crate::scan::Scan;
use crate::source_keys::SourceKeys;
use crate::table::Table;
use crate::wire::Operation;

/// What a change did, before its commit.
#[derive(Debug)]
pub struct ChangedRows {
    /// Puts the new rows into the table; `None` where nothing changes, and where rows were counted only.
    pub operation: Option<Operation>,
    /// The rows of the version that are deleted or replaced.
    pub deletes: RowsOf,
    /// The new files; `None` where rows were counted only.
    pub files: Option<DataFiles>,
    /// The number of rows that are deleted or replaced.
    pub deleted_rows: u64,
    /// The number of rows that are replaced.
    pub updated_rows: u64,
    /// The number of rows that are inserted.
    pub inserted_rows: u64,
    /// The keys of the source, of which some may be inserted because no row has them.
    pub keys: Option<Arc<SourceKeys>>,
}

/// Changes rows of a version: those of `scan`, or those with a key of the source. The new ones are written to files of at most
/// `rows_per_file` rows; without, rows are counted only.
///
/// Errors: `Unsupported` for a table whose columns cannot be written or have reserved names; `InvalidInput` where values do not fit or
/// clauses contradict each other; `LimitExceeded` for keys beyond memory; those of reading and writing; `Cancelled`. No file is left.
pub fn change_rows(
    table: &Table,
    changer: &Changer,
    scan: Option<&Scan>,
    pages: &Arc<dyn Pages>,
    rows_per_file: Option<u64>,
    cancel: &Cancel,
) -> Result<ChangedRows> {
    check_reserved_names(table)?;
    let schema = Arc::new(table.schema().to_arrow()?);
    let destination = Destination::of_table(table, pages)?;
    let mut delta = Delta {
        writer: rows_per_file.map(|most| DataFileWriter::new(destination, Arc::clone(&schema), most)),
        schema,
        is_stable: table.has_stable_row_ids(),
        deletes: RowsOf::new(),
        row_ids: Vec::new(),
        deleted_rows: 0,
        updated_rows: 0,
        inserted_rows: 0,
    };
    let keys = if let Some(scan) = scan {
        let columns = PlacedColumns::of(table);
        let mut found = RowStream::of_request(&scan.clone().select(columns.selected()).request()?, pages);
        while let Some(batch) = found.next_batch()? {
            cancel.check()?;
            delta.change(changer, &columns.of_batch(&batch)?)?;
        }
        None
    } else {
        let keys = Arc::new(keys_of(changer, &delta.schema, cancel)?);
        let found = FoundRows::find(table, Arc::clone(&keys), changer.lists_all(), pages, cancel)?;
        delta.join(changer, &Arc::new(found), pages, cancel)?;
        changer.inserts().then_some(keys)
    };
    delta.finish(table, changer, keys)
}

/// The keys of the source of a change, in memory.
fn keys_of(changer: &Changer, table: &SchemaRef, cancel: &Cancel) -> Result<SourceKeys> {
    let (nulls, repeats) = changer.key_rules();
    let mut keys = SourceKeys::new(changer.key_schema(table)?.as_ref(), nulls, repeats)?;
    changer.keys_of_all(table, |batch| {
        cancel.check()?;
        keys.insert(&batch)?;
        check_source_memory(keys.memory() as u64)
    })?;
    Ok(keys)
}

/// The change, as far as it went.
struct Delta {
    /// `None` where rows are counted only.
    writer: Option<DataFileWriter>,
    /// The columns of the table.
    schema: SchemaRef,
    is_stable: bool,
    deletes: RowsOf,
    /// The stable ids of replaced rows, in the order in which their new rows are written.
    row_ids: Vec<u64>,
    deleted_rows: u64,
    updated_rows: u64,
    inserted_rows: u64,
}

impl Delta {
    /// Changes the rows with keys of the source, and inserts others.
    fn join(
        &mut self,
        changer: &Changer,
        found: &Arc<FoundRows>,
        pages: &Arc<dyn Pages>,
        cancel: &Cancel,
    ) -> Result<()> {
        if changer.reads_table() {
            let mut stream = found.stream(pages)?;
            while let Some(batch) = stream.next_batch(cancel)? {
                self.change(changer, &batch)?;
            }
        }
        if !changer.inserts() {
            return Ok(());
        }
        let rows = changer.rows_to_insert(found.unmatched());
        for some in rows.chunks(changer.rows_at_once()) {
            cancel.check()?;
            for made in changer.inserted(some)? {
                let made = conform_batch(&made, &self.schema)?;
                self.inserted_rows += made.num_rows() as u64;
                self.write(&made)?;
            }
        }
        Ok(())
    }

    /// Changes rows: a batch of the columns of the table, their addresses, with stable row ids their ids, and with a source the
    /// numbers of their rows of the source.
    fn change(&mut self, changer: &Changer, batch: &RecordBatch) -> Result<()> {
        let (columns, positions) = batch.columns().split_at(self.schema.fields().len());
        let numbers = |column: &ArrayRef| column.as_primitive_opt::<UInt64Type>().cloned();
        let Some(addresses) = positions.first().and_then(numbers) else {
            return Err(Error::internal("rows that change have addresses"));
        };
        let source_rows = positions.last().and_then(|column| column.as_primitive_opt::<UInt32Type>());
        let row_ids = if self.is_stable { positions.get(1).and_then(numbers) } else { None };
        let found = RowsToChange { columns, positions: addresses.values(), source_rows };
        let change = changer.apply(&found)?;
        for updated in change.updated {
            self.write(&batch_of(&self.schema, updated.columns, updated.rows.len())?)?;
            self.updated_rows += updated.rows.len() as u64;
            if let Some(row_ids) = &row_ids {
                self.row_ids.extend(updated.rows.iter().map(|row| row_ids.value(*row as usize)));
            }
            self.delete(&addresses, &updated.rows)?;
        }
        self.delete(&addresses, &change.deleted)
    }

    fn delete(&mut self, addresses: &UInt64Array, rows: &[u32]) -> Result<()> {
        let addresses: Vec<_> = rows.iter().map(|row| addresses.value(*row as usize)).collect();
        self.deleted_rows += addresses.len() as u64;
        add_rows(&mut self.deletes, &addresses)
    }

    fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        match &mut self.writer {
            Some(writer) => writer.write(rows),
            None => Ok(()),
        }
    }

    fn finish(self, table: &Table, changer: &Changer, keys: Option<Arc<SourceKeys>>) -> Result<ChangedRows> {
        let files = self.writer.map(|writer| writer.finish(&self.row_ids)).transpose()?;
        let operation = match &files {
            Some(files) if !files.files().is_empty() || self.deleted_rows > 0 => {
                let made = update(table, files.files(), &changer.updated_columns(&self.schema));
                Some(made.inspect_err(|_| files.remove())?)
            }
            _ => None,
        };
        Ok(ChangedRows {
            operation,
            deletes: self.deletes,
            files,
            deleted_rows: self.deleted_rows,
            updated_rows: self.updated_rows,
            inserted_rows: self.inserted_rows,
            keys,
        })
    }
}
