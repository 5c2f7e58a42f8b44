//! A writer that shreds: trees into the columns of a random shredding, by the specification.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Float64Builder, Int32Builder,
    Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::model::{Names, Tree, encode};

/// As what values are shredded.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Not at all.
    Value,
    /// One primitive type.
    Boolean,
    Int,
    Long,
    Double,
    /// Of 9 digits, 2 after the point.
    Decimal,
    Date,
    Timestamptz,
    String,
    Binary,
    Array(Box<Shape>),
    /// At least one field.
    Object(BTreeMap<String, Shape>),
}

/// The group of a column of variants: `metadata`, and the columns of a shape. `None` is SQL's null.
pub fn shred(rows: &[Option<Tree>], names: &Names, shape: &Shape, slack: usize) -> StructArray {
    let metadata = names.encode(4);
    let metadata = rows.iter().map(|row| row.as_ref().map(|_| &metadata)).collect::<BinaryArray>();
    let values: Vec<_> = rows.iter().map(Option::as_ref).collect();
    let place = place(&values, names, shape, slack);
    let mut fields = vec![Arc::new(Field::new("metadata", DataType::Binary, true))];
    fields.extend(place.fields().iter().cloned());
    let mut columns: Vec<ArrayRef> = vec![Arc::new(metadata)];
    columns.extend(place.columns().iter().cloned());
    let nulls = rows.iter().map(Option::is_some).collect::<NullBuffer>();
    StructArray::new(fields.into(), columns, Some(nulls))
}

/// `value` and `typed_value` of values, `None` a missing one.
fn place(rows: &[Option<&Tree>], names: &Names, shape: &Shape, slack: usize) -> StructArray {
    let mut value = BinaryBuilder::new();
    let typed: Option<ArrayRef> = match shape {
        Shape::Value => None,
        Shape::Array(element) => {
            let lists: Vec<_> = rows.iter().map(|row| elements(*row)).collect();
            let items: Vec<_> = lists.iter().flatten().flat_map(|list| list.iter().map(Some)).collect();
            let items = place(&items, names, element, slack);
            let lengths = lists.iter().map(|list| list.map_or(0, Vec::len));
            let nulls = lists.iter().map(Option::is_some).collect::<NullBuffer>();
            let field = Arc::new(Field::new("element", items.data_type().clone(), false));
            let offsets = OffsetBuffer::from_lengths(lengths);
            Some(Arc::new(ListArray::new(field, offsets, Arc::new(items), Some(nulls))))
        }
        Shape::Object(shapes) => {
            let objects: Vec<_> = rows.iter().map(|row| fields(*row)).collect();
            let columns: Vec<ArrayRef> = shapes
                .iter()
                .map(|(name, shape)| {
                    let column: Vec<_> =
                        objects.iter().map(|object| object.and_then(|fields| fields.get(name))).collect();
                    Arc::new(place(&column, names, shape, slack)) as ArrayRef
                })
                .collect();
            let groups: Fields = shapes
                .keys()
                .zip(&columns)
                .map(|(name, column)| Field::new(name, column.data_type().clone(), false))
                .collect();
            let nulls = objects.iter().map(Option::is_some).collect::<NullBuffer>();
            Some(Arc::new(StructArray::new(groups, columns, Some(nulls))))
        }
        primitive => Some(primitives(rows, primitive)),
    };
    for (number, row) in rows.iter().enumerate() {
        let is_typed = typed.as_ref().is_some_and(|typed| typed.is_valid(number));
        match (row, shape) {
            (Some(Tree::Object(fields)), Shape::Object(shapes)) => {
                let mut rest = fields.clone();
                rest.retain(|name, _| !shapes.contains_key(name));
                if rest.is_empty() {
                    value.append_null();
                } else {
                    value.append_value(encode(&Tree::Object(rest), names, slack));
                }
            }
            (Some(tree), _) if !is_typed => value.append_value(encode(tree, names, slack)),
            _ => value.append_null(),
        }
    }
    let mut columns: Vec<(Arc<Field>, ArrayRef)> =
        vec![(Arc::new(Field::new("value", DataType::Binary, true)), Arc::new(value.finish()))];
    if let Some(typed) = typed {
        let field = Arc::new(Field::new("typed_value", typed.data_type().clone(), true));
        // By name, in whatever order.
        columns.insert(slack.min(1), (field, typed));
    }
    StructArray::from(columns)
}

fn elements(row: Option<&Tree>) -> Option<&Vec<Tree>> {
    match row {
        Some(Tree::Array(elements)) => Some(elements),
        _ => None,
    }
}

fn fields(row: Option<&Tree>) -> Option<&BTreeMap<String, Tree>> {
    match row {
        Some(Tree::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// The values that are of a type, the others null.
fn primitives(rows: &[Option<&Tree>], shape: &Shape) -> ArrayRef {
    macro_rules! column {
        ($builder:expr, $($pattern:pat $(if $guard:expr)? => $value:expr),+) => {{
            let mut builder = $builder;
            for row in rows {
                builder.append_option(match row {
                    $(Some($pattern) $(if $guard)? => Some($value),)+
                    _ => None,
                });
            }
            Arc::new(builder.finish())
        }};
    }
    let long = |bytes: &Vec<u8>| i64::from_le_bytes(bytes[..8].try_into().unwrap());
    let int = |bytes: &Vec<u8>| i32::from_le_bytes(bytes[..4].try_into().unwrap());
    match shape {
        Shape::Boolean => column!(BooleanBuilder::new(),
            Tree::Primitive(1, _) => true, Tree::Primitive(2, _) => false),
        Shape::Int => column!(Int32Builder::new(),
            Tree::Number(number, 0) if i32::try_from(*number).is_ok() => *number as i32),
        Shape::Long => column!(Int64Builder::new(),
            Tree::Number(number, 0) if i64::try_from(*number).is_ok() => *number as i64),
        Shape::Double => column!(Float64Builder::new(),
            Tree::Primitive(7, bytes) => f64::from_bits(long(bytes) as u64)),
        Shape::Decimal => column!(
            Decimal128Builder::new().with_precision_and_scale(9, 2).unwrap(),
            Tree::Number(number, scale) if *scale <= 2 && number.abs() < 1_000_000 =>
                number * 10_i128.pow(u32::from(2 - scale))),
        Shape::Date => column!(Date32Builder::new(), Tree::Primitive(11, bytes) => int(bytes)),
        Shape::Timestamptz => column!(
            TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            Tree::Primitive(12, bytes) => long(bytes)),
        Shape::String => column!(StringBuilder::new(), Tree::String(text) => text),
        Shape::Binary => column!(BinaryBuilder::new(), Tree::Primitive(15, bytes) => &bytes[4..]),
        Shape::Value | Shape::Array(_) | Shape::Object(_) => unreachable!(),
    }
}
