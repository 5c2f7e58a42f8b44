//! A column whose values equality deletes compare.
//!
//! In: a field id and all schemas of the table. Out: how the column is read, from data and from delete files.
//! Spec: Equality Delete Files; Identifier Field IDs; Schema Evolution.
//!
//! Invariant: the type is the newest that the table ever had for the id, to which all older ones promote. This holds for a dropped
//! column too.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use arrow_select::nullif::nullif;
use floeberg_core::rows::DeletedKeys;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{Field, Schema, StructType, Type};
use floeberg_core::{Error, Result};
use floeberg_files::FileFields;

/// A key column.
#[derive(Debug, Clone)]
pub(super) struct KeyColumn {
    /// The field id.
    pub(super) id: i32,
    /// The full name.
    pub(super) name: String,
    /// Its top-level column, without other nested columns.
    pub(super) root: Field,
    /// The Arrow type of its values.
    pub(super) data_type: DataType,
}

/// The top-level column of a key, reduced to the path to it, from the first schema that has the id.
/// Nothing of it is required: a file may have been written without it.
pub(crate) fn key_field(schemas: &[Arc<Schema>], id: i32) -> Option<Field> {
    let path = schemas.iter().find_map(|schema| schema.path(id))?;
    let optional = |field: &Field| Field { required: false, ..field.clone() };
    path.into_iter().rev().fold(None, |below: Option<Field>, field| {
        Some(match (below, &field.field_type) {
            (Some(below), Type::Struct(_)) => {
                let field_type = Type::Struct(StructType { fields: vec![below] });
                Field { field_type, ..optional(field) }
            }
            _ => optional(field),
        })
    })
}

/// The columns to read for key columns: a top-level column for each.
pub(super) fn roots(columns: &[KeyColumn]) -> Vec<Field> {
    columns.iter().map(|column| column.root.clone()).collect()
}

/// The keys in arrays of [`roots`].
pub(super) fn keys_of(columns: &[KeyColumn], roots: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    columns.iter().zip(roots).map(|(column, root)| column.values(root)).collect()
}

/// An empty set of keys of these columns.
pub(super) fn no_keys(columns: &[KeyColumn]) -> Result<DeletedKeys> {
    DeletedKeys::new(columns.iter().map(|column| column.data_type.clone()).collect())
}

impl KeyColumn {
    /// The column with an id, from the first schema that has it.
    ///
    /// Errors: `InvalidData` for an unknown id, and for a column that the specification does not allow as a key.
    pub(super) fn find(schemas: &[Arc<Schema>], id: i32) -> Result<Self> {
        let Some(root) = key_field(schemas, id) else {
            return Err(Error::invalid_data(format!(
                "equality deletes compare the column with id {id}, which no schema of the table has"
            )));
        };
        let (mut name, mut leaf) = (root.name.clone(), &root);
        while let (Type::Struct(below), true) = (&leaf.field_type, leaf.id != id) {
            let [field] = below.fields.as_slice() else { break };
            name = format!("{name}.{}", field.name);
            leaf = field;
        }
        if leaf.id != id || leaf.field_type.as_primitive().is_none() {
            return Err(Error::invalid_data(format!(
                "equality deletes compare column {name:?} (id {id}), expected a primitive column outside lists and maps"
            )));
        }
        let data_type = type_to_arrow(&leaf.field_type)?;
        Ok(Self { id, name, root, data_type })
    }

    /// Does a file have the column?
    pub(super) fn is_in(&self, file: &FileFields) -> bool {
        let (mut wanted, mut fields) = (&self.root, &file.fields);
        loop {
            let Some(found) = fields.iter().find(|field| field.id == Some(wanted.id)) else { return false };
            match &wanted.field_type {
                Type::Struct(below) if wanted.id != self.id => {
                    let [field] = below.fields.as_slice() else { return false };
                    (wanted, fields) = (field, &found.children);
                }
                _ => return true,
            }
        }
    }

    /// The values, from an array of the root. If a struct is null, its fields are null.
    fn values(&self, root: &ArrayRef) -> Result<ArrayRef> {
        let mut values = Arc::clone(root);
        let mut nulls: Option<NullBuffer> = None;
        while let Some(parent) = values.as_struct_opt() {
            nulls = NullBuffer::union(nulls.as_ref(), parent.nulls());
            values = Arc::clone(parent.column(0));
        }
        let Some(nulls) = nulls else { return Ok(values) };
        let absent = BooleanArray::new(!nulls.inner(), None);
        nullif(&values, &absent)
            .map_err(|error| Error::internal(format!("the keys of {:?} cannot be read: {error}", self.name)))
    }
}
