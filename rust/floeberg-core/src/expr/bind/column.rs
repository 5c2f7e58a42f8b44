//! Which column does a name mean?

use crate::error::{Error, Result};
use crate::expr::BoundColumn;
use crate::schema::{Field, Schema, Type};

/// Finds a column by its full dotted name.
///
/// Errors: `InvalidInput` for a name that is not there or ambiguous, and for a column in a list or map.
pub(super) fn find(schema: &Schema, name: &str, case_sensitive: bool) -> Result<BoundColumn> {
    let id = schema.find(name, case_sensitive)?;
    let (Some(path), Some(name)) = (schema.path(id), schema.full_name(id)) else {
        return Err(Error::internal(format!("field {id} has a name but no path")));
    };
    let (Some(field), parents) = (path.last(), &path[..path.len().saturating_sub(1)]) else {
        return Err(Error::internal(format!("field {id} has an empty path")));
    };
    if let Some(parent) = parents.iter().find(|parent| !matches!(parent.field_type, Type::Struct(_))) {
        return Err(Error::invalid_input(format!(
            "column {name:?} can not be filtered by: it is inside {:?}, a {}",
            parent.name,
            if matches!(parent.field_type, Type::List(_)) { "list" } else { "map" },
        )));
    }
    Ok(BoundColumn {
        id,
        name,
        path: path.iter().map(|field| field.id).collect(),
        field_type: field.field_type.clone(),
        required: path.iter().all(|field: &&Field| field.required),
    })
}
