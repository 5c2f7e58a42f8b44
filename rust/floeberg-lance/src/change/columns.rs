//! Which operation adds, drops, renames or changes columns?
//!
//! In: a version, columns, and maybe files with their values. Out: an operation with the new schema.
//! Spec: Lance, Data Evolution.
//!
//! Invariant: no file is written again: values of a new column are files beside the others, and a column that goes is left in its
//! files.

use std::collections::BTreeMap;

use arrow_schema::Field as ArrowField;
use floeberg_core::{Error, Result};

use super::rows::{NewFile, data_file, data_version, fields};
use crate::build::highest_field_id;
use crate::metadata::{FieldIds, Schema, check_name, layout_of, written_fields};
use crate::table::Table;
use crate::wire::{Fragment, Merge, Operation, Project, SchemaField};

/// A column that is added, or takes the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewColumn {
    /// Its name and type.
    pub field: ArrowField,
    /// The column whose place it takes; `None` is the end.
    pub replaces: Option<String>,
}

/// Adds columns, each with the values of all rows of all fragments, or null where `files` is empty.
///
/// `files` are by the ids of fragments, each with all of the columns, in their order, and as many rows as the fragment has, deleted
/// ones included. Errors: `InvalidInput` for names that are there, columns that would have to be null and are not nullable, and
/// files that do not fit; `Unsupported` for types that this version does not write.
pub fn add_columns(
    table: &Table,
    columns: &[NewColumn],
    files: &BTreeMap<u64, NewFile>,
) -> Result<Operation> {
    let version = data_version(table)?;
    let mut ids = FieldIds::after(highest_field_id(table.manifest()));
    let mut schema = fields(table).to_vec();
    let mut added = Vec::new();
    for column in columns {
        let field = &column.field;
        if !field.is_nullable() && files.is_empty() && !table.manifest().fragments.is_empty() {
            return Err(Error::invalid_input(format!(
                "the new column {:?} is required, and has no values for the rows of the table",
                field.name()
            )));
        }
        let written = written_fields([field], &version, &mut ids)?;
        let place = match &column.replaces {
            Some(name) => remove_column(&mut schema, name)?,
            None => schema.len(),
        };
        schema.splice(place..place, written.iter().cloned());
        added.extend(written);
    }
    check_schema(&schema)?;
    let layout = layout_of(&added, &version)?;
    let fragments = (0..table.manifest().fragments.len()).map(|place| {
        let mut fragment: Fragment = table.fragment(place)?;
        if files.is_empty() {
            return Ok(fragment);
        }
        let id = fragment.id;
        let file = files.get(&id).filter(|file| file.rows == fragment.physical_rows);
        let file = file.ok_or_else(|| {
            Error::invalid_input(format!(
                "expected a file with values for the {} rows of fragment {id}",
                fragment.physical_rows
            ))
        })?;
        fragment.files.push(data_file(file, &layout));
        Ok(fragment)
    });
    Ok(Operation::Merge(Merge {
        fragments: fragments.collect::<Result<_>>()?,
        schema,
        schema_metadata: table.manifest().head.schema_metadata.clone(),
        preserves_nullability: columns.iter().all(|column| column.field.is_nullable()),
        ..Merge::default()
    }))
}

/// Drops columns, or fields of structs by their path, such as `s.x`.
///
/// Errors: `InvalidInput` for what is not there, and where nothing would be left.
pub fn drop_columns(table: &Table, names: &[String]) -> Result<Operation> {
    let mut schema = fields(table).to_vec();
    for name in names {
        let id = find(&schema, name)?.id;
        let parent = find(&schema, name)?.parent_id;
        let siblings = schema.iter().filter(|field| field.parent_id == parent).count();
        let of_struct = schema.iter().find(|field| field.id == parent);
        if of_struct.is_some_and(|parent| parent.logical_type != "struct") {
            return Err(Error::invalid_input(format!(
                "{name:?} cannot be dropped: it is part of a list or a map"
            )));
        }
        if siblings == 1 {
            return Err(Error::invalid_input(format!(
                "{name:?} cannot be dropped: it is the only one, and nothing would be left"
            )));
        }
        remove_with_children(&mut schema, id);
    }
    check_schema(&schema)?;
    Ok(Operation::Project(Project { schema, preserves_nullability: true, ..Project::default() }))
}

/// Renames columns, or lets them be null. Each is the path of a field, its new name, and whether it may be null from now on.
///
/// Errors: `InvalidInput` for what is not there or would be there twice; `Unsupported` for a field that may be null and no longer
/// should.
pub fn alter_columns(table: &Table, changes: &[(String, Option<String>, Option<bool>)]) -> Result<Operation> {
    let mut schema = fields(table).to_vec();
    for (path, name, nullable) in changes {
        // Paths name fields as they were, so that names can be swapped.
        let id = find(fields(table), path)?.id;
        let Some(field) = schema.iter_mut().find(|field| field.id == id) else { continue };
        if let Some(name) = name {
            if name.is_empty() || name.contains('.') {
                return Err(Error::invalid_input(format!(
                    "{path:?} cannot be named {name:?}: names may not be empty or have a dot"
                )));
            }
            if field.parent_id == -1 {
                check_name(name)?;
            }
            field.name.clone_from(name);
        }
        match nullable {
            Some(false) if field.nullable => {
                return Err(Error::unsupported(format!(
                    "{path:?} cannot be made required by this version of Floeberg: its values would have to be read"
                )));
            }
            Some(true) => field.nullable = true,
            _ => {}
        }
    }
    check_schema(&schema)?;
    Ok(Operation::Project(Project { schema, preserves_nullability: true, ..Project::default() }))
}

fn check_schema(schema: &[SchemaField]) -> Result<()> {
    Schema::new(schema, &[]).map(|_| ()).map_err(|error| Error::invalid_input(error.message().to_owned()))
}

/// The field of a path.
fn find<'a>(schema: &'a [SchemaField], path: &str) -> Result<&'a SchemaField> {
    let missing = || Error::invalid_input(format!("the table has no column {path:?}"));
    // A name may have a dot in tables of others.
    if let Some(column) = schema.iter().find(|field| field.parent_id == -1 && field.name == path) {
        return Ok(column);
    }
    let mut parent = -1;
    let mut found = None;
    for name in path.split('.') {
        let field = schema.iter().find(|field| field.parent_id == parent && field.name == name);
        let field = field.ok_or_else(missing)?;
        parent = field.id;
        found = Some(field);
    }
    found.ok_or_else(missing)
}

/// Removes a column, and says where it was.
fn remove_column(schema: &mut Vec<SchemaField>, name: &str) -> Result<usize> {
    let place = schema.iter().position(|field| field.parent_id == -1 && field.name == name);
    let place = place.ok_or_else(|| Error::invalid_input(format!("the table has no column {name:?}")))?;
    let id = schema[place].id;
    remove_with_children(schema, id);
    Ok(place)
}

fn remove_with_children(schema: &mut Vec<SchemaField>, id: i32) {
    let mut removed = vec![id];
    // Parents stand before their children.
    for field in schema.iter() {
        if removed.contains(&field.parent_id) {
            removed.push(field.id);
        }
    }
    schema.retain(|field| !removed.contains(&field.id));
}
