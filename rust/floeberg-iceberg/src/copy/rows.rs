//! How is a file of position deletes copied, with other paths of data files?
//!
//! In: a file of (path, position, maybe the deleted row), and what the path of each data file becomes. Out: a new file of the same
//! format and the same rows in their order.
//! Spec: Position Delete Files; Reserved Field IDs.
//!
//! Invariant: the same file gives the same bytes again. Avro files keep every other byte of their records; of Parquet files, columns
//! of deleted rows stay that a schema of the table has. Memory holds an Avro file, or a row group of a Parquet file.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use floeberg_avro::Limits;
use floeberg_avro::rewrite::{Change, FoundValue, rewrite};
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_ROW};
use floeberg_core::schema::{Field, NameMapping, Schema, StructType, Type};
use floeberg_core::{Context, Error, Result};
use floeberg_files::{
    DeleteType, FileConstants, FileField, FileFilter, FileWriter, LayoutRequest, Modes, Projection,
    UnitRequest, WriteProperties, units_to_read,
};
use floeberg_io::Store;
use floeberg_properties::{FORMAT, METRICS_DEFAULT};

use super::CopiedFile;
use crate::metadata::TableMetadata;
use crate::plan::FileFormat;
use crate::read::{FileAccess, Names};
use crate::write::{
    end_unit, layout_of, of_delete_files, of_other_columns, position_schema, properties_of, take_room,
};

/// No Avro file of position deletes is larger than this: it is copied as a whole.
const LARGEST_AVRO: u64 = 2 << 30;
/// A copy never ends before its last row.
const NO_END: u64 = i64::MAX as u64;

/// The file that is copied.
#[derive(Debug, Clone, Copy)]
pub struct RowsToCopy<'a> {
    /// The table: its columns, and how it writes delete files.
    pub metadata: &'a TableMetadata,
    /// Where the file is.
    pub location: &'a str,
    /// Its format.
    pub format: FileFormat,
    /// Its bytes, as the manifest claims.
    pub claimed_size: i64,
}

/// Copies a file of position deletes. `path` is called with paths of data files, and gives the new one of each.
///
/// Errors: `InvalidData` for a damaged file; those of `path` and of the stores. No file
/// is left then.
pub fn copy_position_deletes(
    access: &FileAccess,
    rows: &RowsToCopy<'_>,
    (to, target): (&dyn Store, &str),
    path: &dyn Fn(&str) -> Result<String>,
) -> Result<CopiedFile> {
    let copied = match rows.format {
        FileFormat::Parquet => copy_rows(access, rows, "parquet", to, target, path),
        FileFormat::Avro => copy_avro(access, rows, to, target, path),
        FileFormat::Orc => copy_rows(access, rows, "orc", to, target, path),
        FileFormat::Puffin => Err(Error::internal("deletion vectors are no rows")),
    };
    copied.context("delete_file", rows.location)
}

fn copy_avro(
    access: &FileAccess,
    rows: &RowsToCopy<'_>,
    to: &dyn Store,
    target: &str,
    path: &dyn Fn(&str) -> Result<String>,
) -> Result<CopiedFile> {
    let bytes = access.store.open(rows.location)?.read_all(LARGEST_AVRO)?;
    let mut sink = to.create(target)?;
    let change = |found: &floeberg_avro::rewrite::Found<'_>| match found.value {
        FoundValue::Bytes(text) => {
            access.cancel.check()?;
            let text = std::str::from_utf8(text)
                .map_err(|_| Error::invalid_data("expected the path of a data file to be UTF-8"))?;
            Ok(Change::Bytes(path(text)?.into_bytes()))
        }
        _ => Err(Error::invalid_data("expected the path of a data file to be a string")),
    };
    rewrite(&bytes, &Limits::of_rows(), &[(DELETE_FILE_PATH, "file_path")], change, |part| sink.write(part))?;
    Ok(CopiedFile { file_size_in_bytes: sink.finish()?, split_offsets: None })
}

/// Reads the rows, and writes them again in the same format.
fn copy_rows(
    access: &FileAccess,
    rows: &RowsToCopy<'_>,
    format: &str,
    to: &dyn Store,
    target: &str,
    path: &dyn Fn(&str) -> Result<String>,
) -> Result<CopiedFile> {
    let mapping = NameMapping::of_schema(&position_schema()?);
    let names = Names::Mapped(&mapping);
    let file = access.open(rows.location, Some(rows.claimed_size), rows.format, names)?;
    let schema = copied_schema(rows.metadata, &file.fields().fields)?;
    let constants = FileConstants::default();
    let projection = Arc::new(Projection::of_fields(schema.fields(), file.fields(), &constants)?);
    let properties = properties(rows.metadata, format)?;
    let modes = Modes::new(&properties, &schema, [])?;
    let deletes = Some(DeleteType::Position);
    let request =
        LayoutRequest { schema: &schema, properties: &properties, modes, sorted_by: Vec::new(), deletes };
    let layout = layout_of(&request)?;
    let mut copy = Arc::clone(&layout).create(to, target)?;
    for unit in units_to_read(file.as_ref(), None, &DeletedRows::default(), &FileFilter::All) {
        let batches = Arc::clone(&file).read(&UnitRequest {
            unit: &unit,
            projection: &projection,
            deletes: &Arc::default(),
            predicate: None,
            batch_rows: access.batch_rows,
            cancel: &access.cancel,
            counts: None,
        })?;
        for batch in batches {
            access.cancel.check()?;
            let mut waiting = vec![layout.piece(&with_paths(&batch?, path)?)?];
            while !waiting.is_empty() {
                let rows = take_room(copy.as_ref(), &mut waiting, NO_END);
                copy.encode(&rows)?.into_iter().try_for_each(|work| work())?;
                if copy.is_unit_full() {
                    end_unit(copy.as_mut())?;
                }
            }
        }
    }
    finish(copy)
}

fn finish(mut copy: Box<dyn FileWriter>) -> Result<CopiedFile> {
    end_unit(copy.as_mut())?;
    let metrics = copy.finish()?;
    Ok(CopiedFile {
        file_size_in_bytes: u64::try_from(metrics.file_size_in_bytes).unwrap_or(0),
        split_offsets: metrics.split_offsets,
    })
}

/// How the table writes delete files, in a format.
fn properties(metadata: &TableMetadata, format: &str) -> Result<WriteProperties> {
    let of_table = of_delete_files(&properties_of(&metadata.properties, &BTreeMap::new())?)?;
    let mut properties = of_other_columns(&of_table).as_map().clone();
    properties.insert(FORMAT.name.to_owned(), format.to_owned());
    properties.insert(METRICS_DEFAULT.to_owned(), "full".to_owned());
    Ok(WriteProperties::of_map(properties))
}

/// The columns of a file: the path, the position, and the columns of the deleted row that a schema of the table has.
fn copied_schema(metadata: &TableMetadata, file: &[FileField]) -> Result<Schema> {
    let mut fields = position_schema()?.fields().to_vec();
    if let Some(row) = file.iter().find(|field| field.id == Some(DELETE_FILE_ROW)) {
        let known = |id: i32| metadata.schemas.iter().rev().find_map(|schema| schema.field(id));
        let columns: Vec<Field> = row.children.iter().filter_map(|child| known(child.id?)).cloned().collect();
        if !columns.is_empty() {
            let columns = Type::Struct(StructType { fields: columns });
            fields.push(Field::optional(DELETE_FILE_ROW, "row", columns));
        }
    }
    Schema::new(0, fields)
}

/// The batch with the new paths; those of a run of rows are asked for once.
fn with_paths(batch: &RecordBatch, path: &dyn Fn(&str) -> Result<String>) -> Result<RecordBatch> {
    let paths: &StringArray = batch.column(0).as_string();
    let mut changed = StringBuilder::with_capacity(paths.len(), paths.value_data().len());
    let mut known: Option<(&str, String)> = None;
    for row in 0..paths.len() {
        let before = paths.value(row);
        let after = match known.take() {
            Some((same, after)) if same == before => after,
            _ => path(before)?,
        };
        changed.append_value(&after);
        known = Some((before, after));
    }
    let mut columns = batch.columns().to_vec();
    columns[0] = Arc::new(changed.finish());
    RecordBatch::try_new(batch.schema(), columns)
        .map_err(|error| Error::internal("paths of data files are a column").caused_by(error))
}
