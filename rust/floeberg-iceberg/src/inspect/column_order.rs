//! In which order does Iceberg Java number the columns of `readable_metrics`?
//!
//! In: a schema. Out: its columns at every level with their full names, in that order.
//!
//! Java iterates over an index of names, a `java.util.HashMap`. Its order follows from the hashes of the names and
//! from their number. Within a bucket, it is the order in which the visitor of the schema met them: children before
//! parents. Ids that are given on such a walk are those that others see, so the walk is repeated here.

use floeberg_core::schema::{Field, Schema, Type};

/// The smallest table of a hash map.
const SMALLEST: usize = 16;

/// All fields of a schema with their full names, nested ones too.
pub(super) fn java_order(schema: &Schema) -> Vec<(String, &Field)> {
    let mut named = Vec::new();
    for field in schema.fields() {
        visit(field, field.name.clone(), &mut named);
    }
    let mut buckets = SMALLEST;
    // A map grows when it is three quarters full.
    while named.len() > buckets / 4 * 3 {
        buckets *= 2;
    }
    named.sort_by_key(|(name, _)| spread_hash(name) as usize & (buckets - 1));
    named
}

fn visit<'a>(field: &'a Field, name: String, named: &mut Vec<(String, &'a Field)>) {
    let children = field.field_type.children();
    if matches!(field.field_type, Type::Struct(_)) {
        // The fields of a struct are named one by one, each after what is in it.
        for child in children {
            visit(child, format!("{name}.{}", child.name), named);
        }
    } else {
        // What is in the elements of a list, or in keys and values, is named before these are.
        for child in &children {
            named.extend(visited_below(child, &format!("{name}.{}", child.name)));
        }
        for child in children {
            named.push((format!("{name}.{}", child.name), child));
        }
    }
    named.push((name, field));
}

/// What is below a field, without the field.
fn visited_below<'a>(field: &'a Field, name: &str) -> Vec<(String, &'a Field)> {
    let mut below = Vec::new();
    visit(field, name.to_owned(), &mut below);
    below.pop();
    below
}

/// The hash of a string in Java, as a hash map uses it.
fn spread_hash(name: &str) -> u32 {
    let hash = name.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    hash ^ (hash >> 16)
}

/// The order in which Java sorts names: by UTF-16 code units.
pub(super) fn java_compare(left: &str, right: &str) -> std::cmp::Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}
