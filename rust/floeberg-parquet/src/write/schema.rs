//! Which Parquet columns do a table's columns become?
//!
//! In: a schema, and the shredded types of its variants. Out: the Parquet schema, with field ids and logical types.
//! Spec: Appendix A, Parquet.
//!
//! Invariant: every column has its field id, except the columns of a variant. `unknown` is not stored.

use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::{Context as _, Error, Result};
use parquet::basic::{LogicalType, Repetition};
use parquet::schema::types::TypePtr;

use super::columns::{group, leaf, repeated, root};
use super::shredded::{Shapes, shredded_columns};

/// The version of the encoding of variants.
const VARIANT_VERSION: i8 = 1;

/// The Parquet schema of stored fields (see `stored.rs`).
///
/// Errors: `Unsupported`, naming the column, for a type that this version does not know.
pub(super) fn parquet_schema(fields: &[Field], shapes: &Shapes) -> Result<TypePtr> {
    let columns = fields.iter().map(|field| column(field, shapes)).collect::<Result<_>>()?;
    root(columns)
}

fn column(field: &Field, shapes: &Shapes) -> Result<TypePtr> {
    let repetition = if field.required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    let column = |field| column(field, shapes);
    let group = |logical, children| group(&field.name, Some(field.id), repetition, logical, children);
    let column = match &field.field_type {
        Type::Primitive(primitive) => {
            leaf(&field.name, Some(field.id), primitive, repetition).context("column", &field.name)?
        }
        Type::Struct(fields) => group(None, fields.fields.iter().map(column).collect::<Result<_>>()?)?,
        Type::List(list) => {
            let list = repeated("list", vec![column(&list.element)?])?;
            group(Some(LogicalType::List), vec![list])?
        }
        Type::Map(map) => {
            let entries = repeated("key_value", vec![column(&map.key)?, column(&map.value)?])?;
            group(Some(LogicalType::Map), vec![entries])?
        }
        Type::Variant => {
            let children = match shapes.get(&field.id) {
                Some(shape) => shredded_columns(&shape.fields())?,
                None => ["metadata", "value"].into_iter().map(bytes).collect::<Result<_>>()?,
            };
            group(Some(LogicalType::variant(Some(VARIANT_VERSION))), children)?
        }
        Type::Unrecognized(name) => {
            let message = format!("the type {name:?} is not known to this version");
            return Err(Error::unsupported(message)).context("column", &field.name);
        }
    };
    Ok(Arc::new(column))
}

fn bytes(name: &str) -> Result<TypePtr> {
    leaf(name, None, &PrimitiveType::Binary, Repetition::REQUIRED).map(Arc::new)
}
