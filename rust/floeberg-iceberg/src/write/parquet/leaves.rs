//! Which column of the table is a leaf of a file?
//!
//! In: stored fields. Out: their leaves, in the order of the file.

use floeberg_core::schema::{Field, PrimitiveType, Type};

/// A leaf of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    /// A column that has one value a row at most.
    Single(i32, PrimitiveType),
    /// A column in a list or a map.
    Repeated(i32),
    /// The first bytes of a variant, which are null where it is.
    VariantMetadata(i32),
    /// The others, and variants in lists and maps: nothing is said of them.
    Silent,
}

/// The leaves of fields.
pub(super) fn leaves_of(fields: &[Field]) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for field in fields {
        add(field, false, &mut leaves);
    }
    leaves
}

fn add(field: &Field, is_repeated: bool, leaves: &mut Vec<Leaf>) {
    match &field.field_type {
        Type::Primitive(_) if is_repeated => leaves.push(Leaf::Repeated(field.id)),
        Type::Primitive(primitive) => leaves.push(Leaf::Single(field.id, primitive.clone())),
        Type::Variant if is_repeated => leaves.extend([Leaf::Silent, Leaf::Silent]),
        Type::Variant => leaves.extend([Leaf::VariantMetadata(field.id), Leaf::Silent]),
        Type::Unrecognized(_) => {}
        nested => {
            let is_repeated = is_repeated || matches!(nested, Type::List(_) | Type::Map(_));
            for child in nested.children() {
                add(child, is_repeated, leaves);
            }
        }
    }
}
