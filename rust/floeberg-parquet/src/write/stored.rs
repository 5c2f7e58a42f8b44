//! Which part of a table's rows is stored?
//!
//! In: a schema, and its batches. Out: fields and columns without those of type `unknown`.
//! Spec: Appendix A, Parquet (unknown).
//!
//! Invariant: stored columns share the memory of the given ones.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, StructArray};
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::{Context as _, Error, Result};

/// The stored fields, with their stored children.
///
/// Errors: `Unsupported` for a struct without stored fields, and for unknown values in a list or a map.
pub(super) fn stored_fields(fields: &[Field]) -> Result<Vec<Field>> {
    fields.iter().filter(|field| !is_unknown(field)).map(stored_field).collect()
}

fn stored_field(field: &Field) -> Result<Field> {
    let field_type = match &field.field_type {
        Type::Struct(children) => {
            let fields = stored_fields(&children.fields).context("column", &field.name)?;
            if fields.is_empty() {
                return Err(cannot_be_stored(field));
            }
            Type::Struct(StructType { fields })
        }
        Type::List(list) => {
            let mut list = list.clone();
            list.element = stored_child(field, &list.element)?;
            Type::List(list)
        }
        Type::Map(map) => {
            let mut map = map.clone();
            (map.key, map.value) = (stored_child(field, &map.key)?, stored_child(field, &map.value)?);
            Type::Map(map)
        }
        other => other.clone(),
    };
    Ok(Field { field_type, ..field.clone() })
}

fn stored_child(parent: &Field, child: &Field) -> Result<Field> {
    if has_unknown(child) { Err(cannot_be_stored(parent)) } else { stored_field(child) }
}

fn is_unknown(field: &Field) -> bool {
    field.field_type == Type::Primitive(PrimitiveType::Unknown)
}

fn cannot_be_stored(field: &Field) -> Error {
    let message = "a Parquet file cannot hold a struct without fields, or unknown values in a list or map";
    Error::unsupported(message).with("column", &field.name)
}

/// The stored columns, by their fields.
pub(crate) fn stored_columns(columns: &[ArrayRef], fields: &[Field]) -> Result<Vec<ArrayRef>> {
    let kept = columns.iter().zip(fields).filter(|(_, field)| !is_unknown(field));
    kept.map(|(column, field)| stored_column(column, field)).collect()
}

fn stored_column(column: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let Type::Struct(children) = &field.field_type else { return Ok(Arc::clone(column)) };
    if !children.fields.iter().any(has_unknown) {
        return Ok(Arc::clone(column));
    }
    let rows = column.as_struct_opt().ok_or_else(|| {
        Error::internal(format!("expected a struct, found {}", column.data_type()))
            .with("column", &field.name)
    })?;
    let columns = stored_columns(rows.columns(), &children.fields)?;
    let names = rows.fields().iter().zip(&children.fields).filter(|(_, child)| !is_unknown(child));
    let fields = names.zip(&columns).map(|((field, _), column)| {
        Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone()))
    });
    let stored = StructArray::try_new(fields.collect(), columns, rows.nulls().cloned());
    Ok(Arc::new(stored.map_err(|error| Error::internal("a struct cannot be rebuilt").caused_by(error))?))
}

fn has_unknown(field: &Field) -> bool {
    is_unknown(field) || field.field_type.children().into_iter().any(has_unknown)
}
