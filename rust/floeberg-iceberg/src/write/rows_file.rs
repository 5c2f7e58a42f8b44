//! How do rows of columns that are not the table's become one file?
//!
//! In: a schema, the properties of a table, and batches. Out: one file, in the table's format.
//!
//! Invariant: a file that is not finished is removed. Properties that name a column of the table do not apply.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_files::{FileLayout, LayoutRequest, Modes};
use floeberg_io::Store;
use floeberg_properties::Properties;

use super::encode::end_unit;
use super::fanout::take_room;
use super::formats;
use super::options::{of_other_columns, properties_of};

/// How the file is stored.
pub(crate) struct RowsFile {
    layout: Arc<dyn FileLayout>,
}

impl RowsFile {
    /// A file of the format that a table has by default.
    ///
    /// Errors: `InvalidInput` for properties that the format does not have.
    pub(crate) fn new(schema: &Schema, table: &Properties) -> Result<Self> {
        let properties = of_other_columns(&properties_of(table, &Properties::new())?);
        let modes = Modes::new(&properties, schema, [])?;
        let request =
            LayoutRequest { schema, properties: &properties, modes, sorted_by: Vec::new(), deletes: None };
        Ok(Self { layout: formats::layout(&request)? })
    }

    /// The name of its format, as in file names.
    pub(crate) fn format(&self) -> &'static str {
        self.layout.format()
    }

    /// Writes the file: its bytes. Errors: those of the batches and of the store.
    pub(crate) fn write(
        &self,
        store: &dyn Store,
        location: &str,
        batches: impl Iterator<Item = Result<RecordBatch>>,
        cancel: &Cancel,
    ) -> Result<i64> {
        let written = self.write_all(store, location, batches, cancel);
        if written.as_ref().is_err_and(|error| error.kind() != ErrorKind::AlreadyExists) {
            // It is an orphan where this fails: nothing refers to it.
            let _ = store.remove(location);
        }
        written.map_err(|error| error.with("path", location))
    }

    fn write_all(
        &self,
        store: &dyn Store,
        location: &str,
        batches: impl Iterator<Item = Result<RecordBatch>>,
        cancel: &Cancel,
    ) -> Result<i64> {
        let mut file = Arc::clone(&self.layout).create(store, location)?;
        for batch in batches {
            let mut waiting = vec![self.layout.piece(&batch?)?];
            while !waiting.is_empty() {
                cancel.check()?;
                let rows = take_room(file.as_ref(), &mut waiting, u64::MAX);
                if rows.is_empty() {
                    return Err(Error::internal("a file has room for a row"));
                }
                file.encode(&rows)?.into_iter().try_for_each(|work| work())?;
                if file.is_unit_full() {
                    end_unit(file.as_mut())?;
                }
            }
        }
        end_unit(file.as_mut())?;
        Ok(file.finish()?.file_size_in_bytes)
    }
}
