//! Which columns do data files have, by their footers?
//!
//! In: data files that no manifest lists. Out: their columns, the highest field id, and the row id after those that they have.
//! Spec: Column Projection; Reserved Field IDs; Row Lineage.
//!
//! Invariant: a delete file is an error: nothing says which rows it deletes from.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::reserved::{DELETE_FILE_PATH, LAST_TABLE_FIELD_ID, ROW_ID};
use floeberg_core::schema::{Field, NameMapping, PrimitiveType, Schema};
use floeberg_core::{Cancel, Context as _, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_files::{DeleteType, FileField, FileReader, Modes};
use floeberg_iceberg::plan::FileFormat;
use floeberg_iceberg::read::FileAccess;
use floeberg_io::Store;
use floeberg_io::location::file_name;

use super::chosen::Named;
use super::columns::{schema_of_file, with_columns};
use super::request::Reader;

/// Footers are read so many at a time.
pub(super) const AT_A_TIME: usize = 16;

/// What footers say together.
#[derive(Debug, Default)]
pub(super) struct FooterColumns {
    /// The columns of each file, those with the highest ids last.
    files: Vec<(String, Vec<FileField>, bool)>,
    pub(super) highest_id: i32,
    /// The row id after all that files have; `None` where no file has row ids.
    pub(super) next_row_id: Option<i64>,
}

impl FooterColumns {
    /// The columns of all files.
    ///
    /// Errors: `InvalidInput` where files have no field ids, and where they do not fit each other.
    pub(super) fn schema(&self) -> Result<Schema> {
        let version = if self.next_row_id.is_some() { 3 } else { 2 };
        let mut whole: Option<Schema> = None;
        for (location, fields, has_ids) in &self.files {
            if !has_ids {
                return Err(Error::invalid_input(
                    "the file has no field ids: give schema=, by whose names the columns are found",
                )
                .with("path", location));
            }
            let schema = schema_of_file(fields, version).context("path", location)?;
            whole = Some(match whole {
                None => schema,
                Some(known) => with_columns(&known, &schema).context("path", location)?,
            });
        }
        whole.ok_or_else(|| Error::invalid_input("files: expected data files, found none"))
    }
}

/// Reads the footers of files.
///
/// Errors: `NotFound`; `InvalidInput` for a delete file; `InvalidData` for a damaged file; those of the store.
pub(super) fn columns_of_files(reader: &Reader, left: &Named) -> Result<FooterColumns> {
    let locations: Vec<&String> = left.values().collect();
    let mut columns = FooterColumns::default();
    let read = ordered(&locations, AT_A_TIME, &reader.cancel, |location| {
        let found = footer(&reader.store, location, &reader.cancel).context("path", location)?;
        let content = content_of(found.as_ref());
        if content != DATA {
            let message = format!(
                "files: expected a data file, found one of {content} that no surviving manifest lists: nothing says which rows it \
                 deletes. Leave it out"
            );
            return Err(Error::invalid_input(message).with("path", location));
        }
        let bounds = row_ids(found.as_ref())?;
        Ok((found.fields().clone(), bounds))
    })?;
    for (location, (fields, bounds)) in locations.into_iter().zip(read) {
        columns.highest_id = columns.highest_id.max(highest(&fields.fields));
        if let Some((_, last)) = bounds {
            columns.next_row_id = columns.next_row_id.max(Some(last.saturating_add(1)));
        }
        columns.files.push((location.clone(), fields.fields, fields.has_ids));
    }
    columns.files.sort_by_key(|(_, fields, _)| highest(fields));
    columns.files.reverse();
    Ok(columns)
}

/// Opens a file by the end of its name.
///
/// Errors: `InvalidInput` for a Puffin file; those of opening it.
pub(super) fn footer(store: &Arc<dyn Store>, location: &str, cancel: &Cancel) -> Result<Arc<dyn FileReader>> {
    let Some(format) = format_of(location) else {
        return Err(Error::invalid_input(
            "expected a data file in Parquet, ORC or Avro, by the end of its name",
        ));
    };
    let access = FileAccess { store: Arc::clone(store), batch_rows: 1, cancel: cancel.clone() };
    access.open_file(location, format, Some(&NameMapping::from_json("[]")?), &Schema::new(0, Vec::new())?)
}

/// The format of a data file, by its name.
pub(super) fn format_of(location: &str) -> Option<FileFormat> {
    let name = file_name(location)?.to_ascii_lowercase();
    let known = [
        (".parquet", FileFormat::Parquet),
        (".parq", FileFormat::Parquet),
        (".orc", FileFormat::Orc),
        (".avro", FileFormat::Avro),
    ];
    known.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, format)| format)
}

/// The content of data files.
pub(super) const DATA: &str = "data";

/// What a file says that it has: `data`, `position deletes` or `equality deletes`. Equality deletes of writers that leave the entry out
/// look like data.
pub(super) fn content_of(file: &dyn FileReader) -> &'static str {
    if let Some(content) = file.delete_type().and_then(DeleteType::content_of) {
        return content;
    }
    let is_of_positions = file.fields().fields.iter().any(|field| field.id == Some(DELETE_FILE_PATH));
    if is_of_positions { "position deletes" } else { DATA }
}

/// The least and the highest row id that a file itself has; `None` where it has none, or does not say them.
pub(super) fn row_ids(file: &dyn FileReader) -> Result<Option<(i64, i64)>> {
    if !file.fields().fields.iter().any(|field| field.id == Some(ROW_ID)) {
        return Ok(None);
    }
    let column = Schema::new(0, vec![Field::optional(ROW_ID, "_row_id", PrimitiveType::Long)])?;
    let metrics = match file.metrics(&column, &Modes::only([ROW_ID])) {
        Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(None),
        found => found?,
    };
    let bound = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| {
        let bytes = bounds.as_ref()?.get(&ROW_ID)?;
        Some(i64::from_le_bytes(bytes.as_slice().try_into().ok()?))
    };
    Ok(bound(&metrics.lower_bounds).zip(bound(&metrics.upper_bounds)))
}

fn highest(fields: &[FileField]) -> i32 {
    let own = fields.iter().filter_map(|field| field.id).filter(|id| *id <= LAST_TABLE_FIELD_ID);
    let below = fields.iter().map(|field| highest(&field.children));
    own.chain(below).max().unwrap_or(0)
}
