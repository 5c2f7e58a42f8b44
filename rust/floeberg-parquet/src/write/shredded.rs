//! Which Parquet columns does a shredded variant become?
//!
//! In: its columns in Arrow. Out: its columns in Parquet.
//! Spec: Parquet `VariantShredding.md`, Shredded Value Types, Arrays, Objects.
//!
//! Invariant: these columns have no field ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use floeberg_core::schema::PrimitiveType;
use floeberg_core::variant::{Shape, primitive_of_column};
use floeberg_core::{Error, Result};
use parquet::basic::{LogicalType, Repetition};
use parquet::schema::types::TypePtr;

use super::columns::{group, leaf, repeated, small_integers};

/// The shredded types of the variants of a file, by field id. Other variants are not shredded.
pub(super) type Shapes = BTreeMap<i32, Arc<Shape>>;

/// The columns in the group of a variant.
pub(super) fn shredded_columns(fields: &Fields) -> Result<Vec<TypePtr>> {
    fields.iter().map(|field| column(field)).collect()
}

fn column(field: &Field) -> Result<TypePtr> {
    let repetition = if field.is_nullable() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let name = field.name();
    let column = match field.data_type() {
        DataType::Struct(children) => group(name, None, repetition, None, shredded_columns(children)?)?,
        DataType::List(element) => {
            let list = repeated("list", vec![column(element)?])?;
            group(name, None, repetition, Some(LogicalType::List), vec![list])?
        }
        DataType::Int8 => small_integers(name, 8, repetition)?,
        DataType::Int16 => small_integers(name, 16, repetition)?,
        other => leaf(name, None, &primitive(other)?, repetition)?,
    };
    Ok(Arc::new(column))
}

/// The stored type of an Arrow type. Errors: `Internal` for a type that variants are not shredded as.
pub(super) fn primitive(column: &DataType) -> Result<PrimitiveType> {
    primitive_of_column(column)
        .ok_or_else(|| Error::internal(format!("a variant cannot be shredded as {column}")))
}
