//! In which schema are rows of two snapshots compared?
//!
//! In: the schemas of both. Out: the columns of the second one, of types that values of both have.
//! Spec: Schema Evolution (types are promoted, and never the other way).
//!
//! Invariant: every row of both snapshots can be read with it. A column is required only where both schemas say so.

#[cfg(test)]
mod tests;

use floeberg_core::Result;
use floeberg_core::schema::{Field, ListType, MapType, Schema, StructType, Type, promotes_to};

/// The columns of `after`. Where `before` has a wider type of a column, as it has where it is the later schema, they have that one.
///
/// No field identifies rows in it: an identifier may be null on the other side.
pub(super) fn common_schema(before: &Schema, after: &Schema) -> Result<Schema> {
    Schema::new(after.schema_id(), after.fields().iter().map(|field| common_field(field, before)).collect())
}

fn common_field(field: &Field, before: &Schema) -> Field {
    let other = before.field(field.id);
    let required = field.required && other.is_some_and(|other| other.required);
    if let (Type::Primitive(own), Some(other)) = (&field.field_type, other)
        && let Type::Primitive(wider) = &other.field_type
        && promotes_to(own, wider)
    {
        // A default from before a promotion is one of the wider type there.
        let (field_type, initial_default) = (other.field_type.clone(), other.initial_default.clone());
        return Field { required, field_type, initial_default, ..field.clone() };
    }
    let common = |field: &Field| common_field(field, before);
    let field_type = match &field.field_type {
        Type::Struct(inside) => {
            Type::Struct(StructType { fields: inside.fields.iter().map(common).collect() })
        }
        Type::List(list) => Type::List(Box::new(ListType { element: common(&list.element) })),
        Type::Map(map) => {
            // Keys are never null.
            let key = Field { required: true, ..common(&map.key) };
            Type::Map(Box::new(MapType { key, value: common(&map.value) }))
        }
        other => other.clone(),
    };
    Field { required, field_type, ..field.clone() }
}
