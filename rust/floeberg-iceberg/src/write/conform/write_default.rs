//! Which value does a writer put where the input has no column?
//!
//! Spec: Default values.

use floeberg_core::schema::{Field, Type};
use floeberg_core::value::Value;

/// The write default: of a struct that defaults to its fields, these with their own write defaults.
///
/// Errors: the name of the field that has none, where one is required.
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
