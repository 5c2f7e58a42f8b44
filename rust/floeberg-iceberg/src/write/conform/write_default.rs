//! Which value does a writer use for a column that the input lacks?
//!
//! Spec: Default values.

use floeberg_core::schema::{Field, Type};
use floeberg_core::value::Value;

/// The write default. For a struct that defaults to its fields, these with their own write defaults.
///
/// Errors: the name of a required field without one.
pub(super) fn write_default(field: &Field) -> Result<Option<Value>, String> {
    match (&field.write_default, &field.field_type) {
        (None, _) if field.required => Err(field.name.clone()),
        (Some(Value::Struct(_)), Type::Struct(fields)) => {
            let values = fields.fields.iter().map(|child| {
                let value = write_default(child).map_err(|name| format!("{}.{name}", field.name))?;
                Ok((child.id, value))
            });
            Ok(Some(Value::Struct(values.collect::<Result<_, String>>()?)))
        }
        (default, _) => Ok(default.clone()),
    }
}
