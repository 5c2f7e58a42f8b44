//! Do the same bytes mean the same in two schemas?
//!
//! In: a record of one schema, and fields of another one. Out: where the record has these fields, one after the other.
//! Spec: Avro 1.12, Binary Encoding; Iceberg Appendix A, Avro (field ids).
//!
//! Invariant: fields are the same by their ids, never by their names, and types by what they encode and mean. Types that are nested too
//! deep are not the same.

use std::ops::Range;

use super::{AvroField, AvroSchema, AvroType, TypeId};

/// Deeper types are not compared: those of a manifest have four levels.
const DEEPEST: usize = 16;

impl AvroSchema {
    /// Does a record have the fields of another schema, one after the other, with the same ids, and in bytes that mean the same?
    pub fn has_fields(&self, record: &AvroType, other: &Self) -> bool {
        matches!(record, AvroType::Record(fields) if self.same_fields(fields, other).is_some())
    }

    /// The positions of neighbouring fields of a record that have the ids of the fields of another schema, in its order, and whose bytes
    /// mean the same. `None` where there are no such fields.
    pub(crate) fn same_fields(&self, record: &[AvroField], other: &Self) -> Option<Range<usize>> {
        let AvroType::Record(wanted) = other.root() else { return None };
        let first = wanted.first()?.id?;
        let start = record.iter().position(|field| field.id == Some(first))?;
        let end = start.checked_add(wanted.len())?;
        self.same_all(record.get(start..end)?, other, wanted, 0).then_some(start..end)
    }

    fn same_all(&self, fields: &[AvroField], other: &Self, others: &[AvroField], depth: usize) -> bool {
        let same = |(one, other_field): (&AvroField, &AvroField)| {
            one.id.is_some()
                && one.id == other_field.id
                && self.same(one.field_type, other, other_field.field_type, depth + 1)
        };
        fields.len() == others.len() && fields.iter().zip(others).all(same)
    }

    fn same(&self, one: TypeId, other: &Self, another: TypeId, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match (self.get(one), other.get(another)) {
            (AvroType::Record(fields), AvroType::Record(others)) => {
                self.same_all(fields, other, others, depth)
            }
            (AvroType::Array(array), AvroType::Array(others)) => {
                (array.element_id, array.is_map) == (others.element_id, others.is_map)
                    && self.same(array.items, other, others.items, depth + 1)
            }
            (AvroType::Map(map), AvroType::Map(others)) => {
                (map.key_id, map.value_id) == (others.key_id, others.value_id)
                    && self.same(map.values, other, others.values, depth + 1)
            }
            (AvroType::Union(branches), AvroType::Union(others)) => {
                let mut pairs = branches.iter().zip(others);
                branches.len() == others.len()
                    && pairs.all(|(branch, another)| self.same(*branch, other, *another, depth + 1))
            }
            // The others name no type.
            (one, another) => one == another,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::schema::{Limits, parse_schema};

    fn schema(fields: &str) -> AvroSchema {
        let json = format!(r#"{{"type":"record","name":"r","fields":[{fields}]}}"#);
        parse_schema(json.as_bytes(), &Limits::default()).unwrap()
    }

    fn found(fields: &str, wanted: &str) -> Option<Range<usize>> {
        let (one, other) = (schema(fields), schema(wanted));
        let AvroType::Record(record) = one.root() else { return None };
        one.same_fields(record, &other)
    }

    const PAIRS: &str = r#"{"name":"m","field-id":3,"type":["null",{"type":"array","logicalType":"map","items":
        {"type":"record","name":"k3","fields":[{"name":"key","type":"int","field-id":4},{"name":"value","type":"bytes","field-id":5}]}}]}"#;

    #[test]
    fn neighbouring_fields_are_found_by_their_ids() {
        let before = r#"{"name":"a","field-id":1,"type":"string"}"#;
        let number = r#"{"name":"b","field-id":2,"type":"long"}"#;
        let renamed = r#"{"name":"other","field-id":2,"type":"long"}"#;
        let wanted = format!("{number},{PAIRS}");
        let all = format!("{before},{renamed},{}", PAIRS.replace("k3", "pair"));
        assert_eq!(found(&all, &wanted), Some(1..3));
        assert_eq!(found(&wanted, &wanted), Some(0..2));
        // Another order, one that is missing, and something in between.
        assert_eq!(found(&format!("{PAIRS},{number}"), &wanted), None);
        assert_eq!(found(&format!("{before},{number}"), &wanted), None);
        assert_eq!(found(&format!("{number},{before},{PAIRS}"), &wanted), None);
    }

    #[test]
    fn bytes_that_mean_something_else_are_not_the_same() {
        let changes = [
            ("\"long\"", "\"int\""),
            ("\"field-id\":5", "\"field-id\":6"),
            ("\"bytes\"", "\"string\""),
            ("\"bytes\"", "[\"null\",\"bytes\"]"),
            ("[\"null\",{\"type\":\"array\"", "[{\"type\":\"array\""),
            ("\"logicalType\":\"map\",", ""),
            (",\"field-id\":2", ""),
        ];
        let wanted = format!(r#"{{"name":"b","type":"long","field-id":2}},{PAIRS}"#);
        for (old, new) in changes {
            let changed = wanted.replacen(old, new, 1);
            let changed =
                if old.starts_with('[') { changed.replacen("}}]}", "}},\"null\"]}", 1) } else { changed };
            assert_ne!(changed, wanted, "{old}");
            assert_eq!(found(&changed, &wanted), None, "{changed}");
        }
        // A type that contains itself ends.
        let own = r#"{"name":"s","field-id":1,"type":{"type":"record","name":"n","fields":[{"name":"n","field-id":2,"type":["null","n"]}]}}"#;
        assert_eq!(found(own, own), None);
    }
}
