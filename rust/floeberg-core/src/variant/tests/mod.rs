#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod build;
mod damage;
mod infer;
mod model;
mod property;
mod rules;
mod shred;
mod shredder;
mod typed;

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, BinaryArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::{Layout, Shape};
use crate::error::Result;
use model::{Names, Tree, decode, encode};

/// The two columns that come out.
fn target() -> Fields {
    ["metadata", "value"].into_iter().map(|name| Field::new(name, DataType::Binary, false)).collect()
}

/// Reads the variants of a group.
fn read(group: &StructArray) -> Result<Vec<Option<Tree>>> {
    let variants = Layout::new(group.fields())?.read(group, &target())?;
    let (metadata, value) = (variants.column(0).as_binary::<i32>(), variants.column(1).as_binary::<i32>());
    assert_eq!((metadata.null_count(), value.null_count()), (0, 0));
    let tree = |row| variants.is_valid(row).then(|| decode(metadata.value(row), value.value(row)));
    Ok((0..variants.len()).map(tree).collect())
}

/// Variants in the form of a table, `None` SQL's null.
fn whole(rows: &[Option<Tree>], names: &Names, slack: usize) -> StructArray {
    let encoded = |tree: &Option<Tree>| tree.as_ref().map(|tree| encode(tree, names, slack));
    let values: Vec<_> = rows.iter().map(encoded).collect();
    of_bytes(&names.encode(2 + slack.min(2)), &values)
}

/// Variants of these bytes.
fn of_bytes(metadata: &[u8], values: &[Option<Vec<u8>>]) -> StructArray {
    let nulls = values.iter().map(Option::is_some).collect::<NullBuffer>();
    let metadata = BinaryArray::from_iter_values(values.iter().map(|_| metadata));
    let values = BinaryArray::from_iter_values(values.iter().map(|value| value.as_deref().unwrap_or(b"no")));
    StructArray::new(target(), vec![Arc::new(metadata), Arc::new(values)], Some(nulls))
}

/// As what a column is shredded, as Arrow's types have it; `None` where it is not.
fn inferred(variants: &StructArray) -> Option<DataType> {
    let shape = Shape::infer(std::slice::from_ref(variants)).unwrap()?;
    let fields = shape.fields();
    let found: Vec<_> = fields.iter().map(|field| (field.name().as_str(), field.is_nullable())).collect();
    assert_eq!(found, [("metadata", false), ("value", true), ("typed_value", true)]);
    Some(fields[2].data_type().clone())
}

fn null() -> Tree {
    Tree::Primitive(0, Vec::new())
}

fn number(number: i64) -> Tree {
    Tree::Number(i128::from(number), 0)
}

fn text(text: &str) -> Tree {
    Tree::String(text.to_owned())
}

fn object(fields: &[(&str, Tree)]) -> Tree {
    Tree::Object(fields.iter().map(|(name, tree)| ((*name).to_owned(), tree.clone())).collect())
}
