//! What is the cheapest way to skip a type?
//!
//! In: a type of a writer schema. Out: the cheapest way past its values.
//!
//! Invariant: depth and number of the types that are walked are within the limits: a type may contain itself.

use floeberg_core::{Error, Result};

use super::skip::Skip;
use crate::schema::{AvroSchema, AvroType, Limits, TypeId};

/// Walks the types of a schema.
#[derive(Debug)]
pub(crate) struct Skips<'a> {
    schema: &'a AvroSchema,
    limits: &'a Limits,
    types: usize,
}

impl<'a> Skips<'a> {
    pub(crate) fn new(schema: &'a AvroSchema, limits: &'a Limits) -> Self {
        Self { schema, limits, types: 0 }
    }

    /// The skip of a type at a depth.
    pub(crate) fn of(&mut self, id: TypeId, depth: usize) -> Result<Skip> {
        self.count(depth)?;
        let schema = self.schema;
        Ok(match schema.get(id) {
            AvroType::Null => Skip::nothing(),
            AvroType::Boolean => Skip::Bytes(1),
            AvroType::Int(_) | AvroType::Long(_) | AvroType::Enum(_) => Skip::Varints(1),
            AvroType::Float => Skip::Bytes(4),
            AvroType::Double => Skip::Bytes(8),
            AvroType::Bytes(_) | AvroType::String => Skip::Prefixed,
            AvroType::Fixed(size, _) => Skip::Bytes(*size),
            AvroType::Record(fields) => fields.iter().try_fold(Skip::nothing(), |skip, field| {
                Ok::<_, Error>(skip.then(self.of(field.field_type, depth + 1)?))
            })?,
            AvroType::Array(array) => Skip::Items(Box::new(self.of(array.items, depth + 1)?)),
            AvroType::Map(map) => Skip::Items(Box::new(Skip::Prefixed.then(self.of(map.values, depth + 1)?))),
            AvroType::Union(branches) => {
                let branches: Result<Vec<Skip>> =
                    branches.iter().map(|branch| self.of(*branch, depth + 1)).collect();
                Skip::Union(branches?.into_boxed_slice())
            }
        })
    }

    /// Counts one more type that is walked, at a depth.
    pub(crate) fn count(&mut self, depth: usize) -> Result<()> {
        self.types += 1;
        self.limits.check_walk(self.types, depth)
    }
}
