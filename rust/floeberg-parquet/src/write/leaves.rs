//! Which column of the table does a leaf of a file belong to?
//!
//! In: stored fields, and the shredded types of variants. Out: their leaves, in the order of the file.

use arrow_schema::DataType;
use floeberg_core::Result;
use floeberg_core::schema::{Field, Type};

use super::leaf::Leaf;
use super::shredded::Shapes;
use super::typed_leaves::add_shredded;

/// The leaves of fields.
pub(super) fn leaves_of(fields: &[Field], shapes: &Shapes) -> Result<Vec<Leaf>> {
    let mut leaves = Vec::new();
    for field in fields {
        add(field, shapes, false, &mut leaves)?;
    }
    Ok(leaves)
}

/// How many leaves does a column of a type have?
pub(super) fn count(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| count(field.data_type())).sum(),
        DataType::List(child) | DataType::Map(child, _) => count(child.data_type()),
        _ => 1,
    }
}

fn add(field: &Field, shapes: &Shapes, is_repeated: bool, leaves: &mut Vec<Leaf>) -> Result<()> {
    match &field.field_type {
        Type::Primitive(_) if is_repeated => leaves.push(Leaf::Repeated(field.id)),
        Type::Primitive(primitive) => leaves.push(Leaf::Single(field.id, primitive.clone())),
        Type::Variant if is_repeated => leaves.extend([Leaf::Silent, Leaf::Silent]),
        Type::Variant => {
            leaves.push(Leaf::VariantMetadata(field.id));
            match shapes.get(&field.id) {
                Some(shape) => add_shredded(field.id, &shape.fields()[1..], leaves)?,
                None => leaves.push(Leaf::Silent),
            }
        }
        Type::Unrecognized(_) => {}
        nested => {
            let is_repeated = is_repeated || matches!(nested, Type::List(_) | Type::Map(_));
            for child in nested.children() {
                add(child, shapes, is_repeated, leaves)?;
            }
        }
    }
    Ok(())
}
