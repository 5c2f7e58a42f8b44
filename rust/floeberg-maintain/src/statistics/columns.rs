//! Which columns of a snapshot are sketched?
//!
//! In: the schema of a snapshot, and names. Out: columns of primitive types, in the order of the names, each once.
//!
//! Invariant: without names, these are the top-level columns of primitive types, as in Iceberg Java. Geometries and geographies have
//! no single-value form of a whole value, so they are left out.

use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::{Error, Result};

/// A column to sketch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// Its field id.
    pub(super) field_id: i32,
    /// Its whole name, with dots.
    pub(super) name: String,
}

/// The columns of names; of a primitive type each.
///
/// Errors: `InvalidInput` for no column, an unknown one, one that is not of a primitive type, and one inside a list or a map;
/// `Unsupported` for a geometry or a geography.
pub(super) fn chosen(schema: &Schema, names: Option<&[String]>) -> Result<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    match names {
        None => {
            let all = schema.fields().iter().filter(|field| has_values(&field.field_type));
            columns.extend(all.map(|field| Column { field_id: field.id, name: field.name.clone() }));
        }
        Some(names) => {
            for name in names {
                let column = named(schema, name)?;
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
    }
    if columns.is_empty() {
        let what =
            if names.is_some() { "expected at least one column" } else { "no column is of a primitive type" };
        return Err(Error::invalid_input(format!("no statistics can be computed: {what}")));
    }
    Ok(columns)
}

fn named(schema: &Schema, name: &str) -> Result<Column> {
    let field_id = schema.find(name, true)?;
    let path = schema.path(field_id).unwrap_or_default();
    let Some((field, above)) = path.split_last() else {
        return Err(Error::internal(format!("the column {name:?} is not in its schema")));
    };
    check_type(name, field)?;
    if let Some(parent) = above.iter().find(|parent| !matches!(parent.field_type, Type::Struct(_))) {
        return Err(Error::invalid_input(format!(
            "no statistics can be computed of the column {name:?}: it has several values a row, since it is inside {:?}",
            parent.name
        )));
    }
    Ok(Column { field_id, name: schema.full_name(field_id).unwrap_or_else(|| name.to_owned()) })
}

fn check_type(name: &str, field: &Field) -> Result<()> {
    if has_values(&field.field_type) {
        return Ok(());
    }
    let message = format!(
        "expected a column of a primitive type to compute statistics, found {name:?} of type {}",
        field.field_type
    );
    Err(match field.field_type {
        Type::Primitive(_) => {
            Error::unsupported(format!("{message}, whose values have no single-value form"))
        }
        _ => Error::invalid_input(message),
    })
}

fn has_values(field_type: &Type) -> bool {
    match field_type {
        Type::Primitive(primitive) => {
            !matches!(primitive, PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. })
        }
        _ => false,
    }
}
