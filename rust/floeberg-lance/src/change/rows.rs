//! Which operation adds, deletes, changes or replaces rows?
//!
//! In: data files that were written. Out: an operation with their fragments.

use arrow_schema::Schema as ArrowSchema;
use floeberg_core::{Error, Result};

use crate::build::highest_field_id;
use crate::metadata::{FieldIds, layout_of, written_fields};
use crate::row_ids::RowIds;
use crate::table::Table;
use crate::wire::{
    Append, DataFile, Delete, Fragment, Layout, Lineage, Operation, Overwrite, SchemaField, Update,
};

/// A data file that was written, with all columns of its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewFile {
    /// The name below the folder of data.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Its bytes.
    pub size_bytes: u64,
    /// The stable ids of its first rows, which were in the table before; the others get new ones.
    pub row_ids: Vec<u64>,
}

/// Adds rows. Errors: `Unsupported` for columns that this version does not write.
pub fn append(table: &Table, files: &[NewFile]) -> Result<Operation> {
    let layout = layout_of(fields(table), &data_version(table)?)?;
    Ok(Operation::Append(Append { fragments: fragments(files, &layout), ..Append::default() }))
}

/// Deletes rows, which the commit has. `predicate` says which, for people.
pub fn delete(predicate: &str) -> Operation {
    Operation::Delete(Delete { predicate: predicate.to_owned(), ..Delete::default() })
}

/// Deletes rows, which the commit has, and adds rows: theirs with new values, and others.
///
/// `columns` are the names of the columns that have new values. Errors: those of [`append`].
pub fn update(table: &Table, files: &[NewFile], columns: &[String]) -> Result<Operation> {
    let layout = layout_of(fields(table), &data_version(table)?)?;
    let schema = table.schema();
    let changed = columns.iter().filter_map(|name| schema.column(name));
    let changed = changed.filter_map(|field| u32::try_from(field.id).ok());
    Ok(Operation::Update(Update {
        new_fragments: fragments(files, &layout),
        fields_for_preserving_frag_bitmap: changed.collect(),
        ..Update::default()
    }))
}

/// Replaces all rows and the schema. Without a table, it is the first version of a new one.
///
/// Columns of the same name and type keep their ids. Errors: `Unsupported` for types that this version does not write.
pub fn overwrite(
    table: Option<&Table>,
    schema: &ArrowSchema,
    data_storage_version: &str,
    files: &[NewFile],
    config: Vec<(String, String)>,
) -> Result<Overwrite> {
    let mut ids = match table {
        Some(table) => FieldIds::keeping(fields(table), highest_field_id(table.manifest())),
        None => FieldIds::after(-1),
    };
    if schema.fields().is_empty() {
        return Err(Error::invalid_input("a Lance table needs at least one column"));
    }
    let columns = schema.fields().iter().map(AsRef::as_ref);
    let fields = written_fields(columns, data_storage_version, &mut ids)?;
    let layout = layout_of(&fields, data_storage_version)?;
    let metadata = schema.metadata().iter();
    let mut schema_metadata: Vec<_> =
        metadata.map(|(key, value)| (key.clone(), value.as_bytes().to_vec())).collect();
    schema_metadata.sort();
    Ok(Overwrite {
        fragments: fragments(files, &layout),
        schema: fields,
        schema_metadata,
        config_upsert_values: config,
        ..Overwrite::default()
    })
}

/// The version of a table's data files. Errors: `Unsupported` for a table that does not say it.
pub(super) fn data_version(table: &Table) -> Result<String> {
    let format = table.manifest().head.data_format.as_ref();
    let version = format.map(|format| format.version.clone());
    version.filter(|version| version != "0.1").ok_or_else(|| {
        Error::unsupported(
            "data files of version 0.1 cannot be written: expected a table of version 2.0 or later",
        )
    })
}

pub(super) fn fields(table: &Table) -> &[SchemaField] {
    &table.manifest().head.fields
}

pub(super) fn data_file(file: &NewFile, layout: &Layout) -> DataFile {
    DataFile {
        path: file.name.clone(),
        fields: layout.fields.clone(),
        column_indices: layout.column_indices.clone(),
        major: layout.major,
        minor: layout.minor,
        size_bytes: file.size_bytes,
        ..DataFile::default()
    }
}

/// Files without rows are left out.
pub(super) fn fragments(files: &[NewFile], layout: &Layout) -> Vec<Fragment> {
    let with_rows = files.iter().filter(|file| file.rows > 0);
    with_rows
        .map(|file| Fragment {
            files: vec![data_file(file, layout)],
            physical_rows: file.rows,
            row_ids: (!file.row_ids.is_empty())
                .then(|| Lineage::Inline(RowIds::new(&file.row_ids).to_bytes())),
            ..Fragment::default()
        })
        .collect()
}
