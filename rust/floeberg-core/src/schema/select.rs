//! Which part of a schema remains if only some columns are selected?
//!
//! Spec: Column Projection.
//!
//! Invariant: the order of the schema is kept. A selected field has all its children, and its parents have no other children. A
//! map's key and value are selected together.

use std::collections::HashSet;

use super::{Field, ListType, MapType, Schema, StructType, Type};
use crate::error::{Error, Result};

impl Schema {
    /// The schema of the fields with these ids, their parents and their children.
    ///
    /// Identifier fields stay only if they are selected. Errors: `InvalidInput` for an unknown id.
    pub fn select(&self, ids: &[i32]) -> Result<Self> {
        if let Some(missing) = ids.iter().find(|id| self.field(**id).is_none()) {
            return Err(Error::invalid_input(format!("no column has the field id {missing}")));
        }
        let wanted: HashSet<i32> = ids.iter().copied().collect();
        let fields = self.fields().iter().filter_map(|field| prune(field, &wanted)).collect();
        let selected = Self::new(self.schema_id(), fields)?;
        let identifiers = self.identifier_field_ids().iter().copied();
        let identifiers = identifiers.filter(|id| selected.field(*id).is_some()).collect();
        Ok(selected.with_identifier_field_ids(identifiers))
    }
}

fn prune(field: &Field, wanted: &HashSet<i32>) -> Option<Field> {
    if wanted.contains(&field.id) {
        return Some(field.clone());
    }
    let field_type = match &field.field_type {
        Type::Struct(children) => {
            let fields: Vec<_> = children.fields.iter().filter_map(|child| prune(child, wanted)).collect();
            (!fields.is_empty()).then_some(Type::Struct(StructType { fields }))
        }
        Type::List(list) => {
            prune(&list.element, wanted).map(|element| Type::List(Box::new(ListType { element })))
        }
        Type::Map(map) => match (prune(&map.key, wanted), prune(&map.value, wanted)) {
            (None, None) => None,
            // Which parts of a key make it unique is not known: it comes whole.
            (_, value) => {
                let value = value.unwrap_or_else(|| map.value.clone());
                Some(Type::Map(Box::new(MapType { key: map.key.clone(), value })))
            }
        },
        Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => None,
    };
    field_type.map(|field_type| Field { field_type, ..field.clone() })
}
