//! Which Parquet columns do a table's columns become?
//!
//! In: a schema. Out: the Parquet schema, with field ids and logical types.
//! Spec: Appendix A, Parquet.
//!
//! Invariant: every column has its field id but those of a variant, which have none; `unknown` is not stored.

use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::{Context as _, Error, Result};
use parquet::basic::{EdgeInterpolationAlgorithm, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{Type as Column, TypePtr};

/// The root that Iceberg Java gives to files.
const ROOT: &str = "table";
/// The version of the encoding of variants.
const VARIANT_VERSION: i8 = 1;

/// The Parquet schema of stored fields (see `stored.rs`).
///
/// Errors: `Unsupported`, naming the column, for a type that this version does not know.
pub(super) fn parquet_schema(fields: &[Field]) -> Result<TypePtr> {
    let columns = fields.iter().map(column).collect::<Result<_>>()?;
    built(Column::group_type_builder(ROOT).with_fields(columns).build()).map(Arc::new)
}

fn column(field: &Field) -> Result<TypePtr> {
    let repetition = if field.required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    let column = match &field.field_type {
        Type::Primitive(primitive) => leaf(field, primitive, repetition)?,
        Type::Struct(fields) => {
            let children = fields.fields.iter().map(column).collect::<Result<_>>()?;
            group(field, repetition, None, children)?
        }
        Type::List(list) => {
            let list = repeated("list", vec![column(&list.element)?])?;
            group(field, repetition, Some(LogicalType::List), vec![list])?
        }
        Type::Map(map) => {
            let entries = repeated("key_value", vec![column(&map.key)?, column(&map.value)?])?;
            group(field, repetition, Some(LogicalType::Map), vec![entries])?
        }
        Type::Variant => {
            let bytes = |name: &str| {
                let bytes = Column::primitive_type_builder(name, Physical::BYTE_ARRAY);
                built(bytes.with_repetition(Repetition::REQUIRED).build()).map(Arc::new)
            };
            let children = vec![bytes("metadata")?, bytes("value")?];
            group(field, repetition, Some(LogicalType::variant(Some(VARIANT_VERSION))), children)?
        }
        Type::Unrecognized(name) => {
            let message = format!("the type {name:?} is not known to this version");
            return Err(Error::unsupported(message)).context("column", &field.name);
        }
    };
    Ok(Arc::new(column))
}

fn group(
    field: &Field,
    repetition: Repetition,
    logical: Option<LogicalType>,
    children: Vec<TypePtr>,
) -> Result<Column> {
    let group = Column::group_type_builder(&field.name).with_repetition(repetition).with_id(Some(field.id));
    built(group.with_logical_type(logical).with_fields(children).build())
}

fn repeated(name: &str, children: Vec<TypePtr>) -> Result<TypePtr> {
    let group = Column::group_type_builder(name).with_repetition(Repetition::REPEATED);
    built(group.with_fields(children).build()).map(Arc::new)
}

fn leaf(field: &Field, primitive: &PrimitiveType, repetition: Repetition) -> Result<Column> {
    use PrimitiveType as P;
    let time = |unit| LogicalType::time(false, unit);
    let moment = |is_utc, unit| LogicalType::timestamp(is_utc, unit);
    let (physical, logical, length) = match primitive {
        P::Boolean => (Physical::BOOLEAN, None, None),
        P::Int => (Physical::INT32, None, None),
        P::Long => (Physical::INT64, None, None),
        P::Float => (Physical::FLOAT, None, None),
        P::Double => (Physical::DOUBLE, None, None),
        P::Decimal { precision, scale } => {
            let logical = LogicalType::decimal(i32::from(*scale), i32::from(*precision));
            let (physical, length) = match precision {
                0..=9 => (Physical::INT32, None),
                10..=18 => (Physical::INT64, None),
                _ => (Physical::FIXED_LEN_BYTE_ARRAY, Some(bytes_of_digits(*precision))),
            };
            (physical, Some(logical), length)
        }
        P::Date => (Physical::INT32, Some(LogicalType::Date), None),
        P::Time => (Physical::INT64, Some(time(TimeUnit::MICROS)), None),
        P::Timestamp => (Physical::INT64, Some(moment(false, TimeUnit::MICROS)), None),
        P::Timestamptz => (Physical::INT64, Some(moment(true, TimeUnit::MICROS)), None),
        P::TimestampNs => (Physical::INT64, Some(moment(false, TimeUnit::NANOS)), None),
        P::TimestamptzNs => (Physical::INT64, Some(moment(true, TimeUnit::NANOS)), None),
        P::String => (Physical::BYTE_ARRAY, Some(LogicalType::String), None),
        P::Uuid => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid), Some(16)),
        P::Fixed(length) => (Physical::FIXED_LEN_BYTE_ARRAY, None, Some(*length as i32)),
        P::Binary => (Physical::BYTE_ARRAY, None, None),
        P::Geometry { crs } => (Physical::BYTE_ARRAY, Some(LogicalType::geometry(crs.clone())), None),
        P::Geography { crs, algorithm } => {
            let algorithm = algorithm.as_deref().map(edges).transpose()?;
            (Physical::BYTE_ARRAY, Some(LogicalType::geography(crs.clone(), algorithm)), None)
        }
        P::Unknown => {
            return Err(Error::internal("a column of type unknown is not stored"))
                .context("column", &field.name);
        }
    };
    let mut leaf = Column::primitive_type_builder(&field.name, physical)
        .with_repetition(repetition)
        .with_id(Some(field.id))
        .with_logical_type(logical);
    if let Some(length) = length {
        leaf = leaf.with_length(length);
    }
    if let P::Decimal { precision, scale } = primitive {
        leaf = leaf.with_precision(i32::from(*precision)).with_scale(i32::from(*scale));
    }
    built(leaf.build()).context("column", &field.name)
}

/// The fewest bytes of a two's complement number that has so many digits.
fn bytes_of_digits(digits: u8) -> i32 {
    let most = 10_u128.pow(u32::from(digits)) - 1;
    // One bit is the sign's.
    (128 - most.leading_zeros() + 1).div_ceil(8) as i32
}

fn edges(name: &str) -> Result<EdgeInterpolationAlgorithm> {
    Ok(match name {
        "spherical" => EdgeInterpolationAlgorithm::SPHERICAL,
        "vincenty" => EdgeInterpolationAlgorithm::VINCENTY,
        "thomas" => EdgeInterpolationAlgorithm::THOMAS,
        "andoyer" => EdgeInterpolationAlgorithm::ANDOYER,
        "karney" => EdgeInterpolationAlgorithm::KARNEY,
        other => return Err(Error::unsupported(format!("edges {other:?} are not known to this version"))),
    })
}

fn built<T>(column: parquet::errors::Result<T>) -> Result<T> {
    column.map_err(|error| Error::invalid_input("a Parquet file cannot hold the schema").caused_by(error))
}
