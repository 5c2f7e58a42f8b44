//! Which ids do new columns get?
//!
//! In: fields with any ids. Out: the same fields with new ids, and a map from the old ids.
//! Spec: Schemas and Data Types; Reserved Field IDs.
//!
//! Invariant: ids are assigned in the order of Iceberg Java: all fields of a struct, then the fields below them.

use std::collections::BTreeMap;

use super::promotion::promotes_to;
use super::reserved::LAST_TABLE_FIELD_ID;
use super::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use crate::error::{Error, Result};

/// Assigns ids above all ids that a table has assigned before.
#[derive(Debug)]
pub struct FreshIds {
    last: i32,
    renumbered: BTreeMap<i32, i32>,
    /// Ids that are given in place of fresh ones, by old id.
    kept: BTreeMap<i32, i32>,
}

impl FreshIds {
    /// The first id given is the one after the last one.
    pub fn after(last: i32) -> Self {
        Self { last, renumbered: BTreeMap::new(), kept: BTreeMap::new() }
    }

    /// The highest id given so far.
    pub fn last(&self) -> i32 {
        self.last
    }

    /// The new id of an old one; where several fields had it, that of the first.
    pub fn of(&self, old: i32) -> Option<i32> {
        self.renumbered.get(&old).copied()
    }

    /// A field with fresh ids, its own first.
    ///
    /// Errors: `LimitExceeded` if ids have reached the reserved ones.
    pub fn field(&mut self, field: &Field) -> Result<Field> {
        let id = self.next(field.id)?;
        Ok(Field { id, field_type: self.below(&field.field_type)?, ..field.clone() })
    }

    /// The fields of a struct with fresh ids, all of them before those of their children. Errors: as for one field.
    pub fn fields(&mut self, fields: &[Field]) -> Result<Vec<Field>> {
        let ids = fields.iter().map(|field| self.next(field.id)).collect::<Result<Vec<_>>>()?;
        let pairs = ids.into_iter().zip(fields);
        pairs
            .map(|(id, field)| Ok(Field { id, field_type: self.below(&field.field_type)?, ..field.clone() }))
            .collect()
    }

    fn below(&mut self, field_type: &Type) -> Result<Type> {
        Ok(match field_type {
            Type::Struct(of) => Type::Struct(StructType { fields: self.fields(&of.fields)? }),
            Type::List(list) => {
                let id = self.next(list.element.id)?;
                let field_type = self.below(&list.element.field_type)?;
                Type::List(Box::new(ListType { element: Field { id, field_type, ..list.element.clone() } }))
            }
            Type::Map(map) => {
                let (key_id, value_id) = (self.next(map.key.id)?, self.next(map.value.id)?);
                let key =
                    Field { id: key_id, field_type: self.below(&map.key.field_type)?, ..map.key.clone() };
                let value = Field {
                    id: value_id,
                    field_type: self.below(&map.value.field_type)?,
                    ..map.value.clone()
                };
                Type::Map(Box::new(MapType { key, value }))
            }
            Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => field_type.clone(),
        })
    }

    fn next(&mut self, old: i32) -> Result<i32> {
        if let Some(kept) = self.kept.get(&old).copied() {
            self.renumbered.insert(old, kept);
            return Ok(kept);
        }
        if self.last >= LAST_TABLE_FIELD_ID {
            return Err(Error::limit(format!("no field id is left below {LAST_TABLE_FIELD_ID}")));
        }
        self.last += 1;
        self.renumbered.entry(old).or_insert(self.last);
        Ok(self.last)
    }
}

impl Schema {
    /// The schema of a new table: schema 0, with ids from 1, and a map from its old ids.
    ///
    /// Errors: `InvalidInput` for missing identifier fields; those of [`FreshIds::field`].
    pub fn with_fresh_ids(&self) -> Result<(Self, FreshIds)> {
        self.renumbered(FreshIds::after(0))
    }

    /// The schema of a table that replaces another: a column has the id that the other table has for its full name, if its type
    /// is the same or a promotion, or else one after `last`. With a map from its old ids.
    ///
    /// Errors: those of [`Self::with_fresh_ids`].
    pub fn with_ids_of(&self, other: &Self, last: i32) -> Result<(Self, FreshIds)> {
        let mut ids = FreshIds::after(last);
        for (_, old) in self.names() {
            if let Some(id) = self.same_in(other, old) {
                ids.kept.insert(old, id);
            }
        }
        self.renumbered(ids)
    }

    /// The id of a column in another schema: of the same full name, and of a type that this one's may follow, as are all above it.
    fn same_in(&self, other: &Self, id: i32) -> Option<i32> {
        let mut same = None;
        for step in self.path(id)? {
            let name = self.full_name(step.id)?;
            let found = other.find(&name, true).ok()?;
            let is_same = other.full_name(found).as_deref() == Some(name.as_str());
            same = Some(found).filter(|_| is_same);
            if !may_follow(&other.field(same?)?.field_type, &step.field_type) {
                return None;
            }
        }
        same
    }

    fn renumbered(&self, mut ids: FreshIds) -> Result<(Self, FreshIds)> {
        let fields = ids.fields(self.fields())?;
        let identifiers = self.identifier_field_ids().iter().map(|old| {
            ids.of(*old)
                .ok_or_else(|| Error::invalid_input(format!("no field has the identifier field id {old}")))
        });
        let identifiers = identifiers.collect::<Result<Vec<_>>>()?;
        let schema = Self::new(0, fields)?.with_identifier_field_ids(identifiers);
        Ok((schema.with_unknown_keys(self.unknown_keys().clone()), ids))
    }
}

/// May a column of one type have been of the other before? Dates that become timestamps change what partitions mean.
fn may_follow(before: &Type, after: &Type) -> bool {
    match (before, after) {
        (Type::Primitive(PrimitiveType::Date | PrimitiveType::Unknown), _) => before == after,
        (Type::Primitive(before), Type::Primitive(after)) => promotes_to(before, after),
        (Type::Struct(_), Type::Struct(_))
        | (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_)) => true,
        (before, after) => before == after,
    }
}
