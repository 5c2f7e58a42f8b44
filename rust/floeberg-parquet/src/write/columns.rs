//! Which Parquet column does a type become?
//!
//! In: a name, a field id if there is one, and a type. Out: a column, or a group of columns.
//! Spec: Appendix A, Parquet.

use std::sync::Arc;

use floeberg_core::schema::PrimitiveType;
use floeberg_core::{Error, Result};
use parquet::basic::{EdgeInterpolationAlgorithm, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{Type as Column, TypePtr};

/// The name of the root in files of Iceberg Java.
const ROOT: &str = "table";

/// The columns of a file.
pub(super) fn root(columns: Vec<TypePtr>) -> Result<TypePtr> {
    built(Column::group_type_builder(ROOT).with_fields(columns).build()).map(Arc::new)
}

/// A group of columns.
pub(super) fn group(
    name: &str,
    id: Option<i32>,
    repetition: Repetition,
    logical: Option<LogicalType>,
    children: Vec<TypePtr>,
) -> Result<Column> {
    let group = Column::group_type_builder(name).with_repetition(repetition).with_id(id);
    built(group.with_logical_type(logical).with_fields(children).build())
}

/// The repeated group in a list or a map.
pub(super) fn repeated(name: &str, children: Vec<TypePtr>) -> Result<TypePtr> {
    group(name, None, Repetition::REPEATED, None, children).map(Arc::new)
}

/// A column of values. Errors: `Internal` for one of type `unknown`, which is not stored.
pub(super) fn leaf(
    name: &str,
    id: Option<i32>,
    primitive: &PrimitiveType,
    repetition: Repetition,
) -> Result<Column> {
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
        P::Unknown => return Err(Error::internal("a column of type unknown is not stored")),
    };
    let mut leaf = Column::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_id(id)
        .with_logical_type(logical);
    if let Some(length) = length {
        leaf = leaf.with_length(length);
    }
    if let P::Decimal { precision, scale } = primitive {
        leaf = leaf.with_precision(i32::from(*precision)).with_scale(i32::from(*scale));
    }
    built(leaf.build())
}

/// A column of integers of fewer than 32 bits.
pub(super) fn small_integers(name: &str, bits: i8, repetition: Repetition) -> Result<Column> {
    let integers = Column::primitive_type_builder(name, Physical::INT32).with_repetition(repetition);
    built(integers.with_logical_type(Some(LogicalType::integer(bits, true))).build())
}

/// The fewest bytes of a two's complement number with this many digits.
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
        other => return Err(Error::unsupported(format!("unknown edge algorithm {other:?}"))),
    })
}

fn built<T>(column: parquet::errors::Result<T>) -> Result<T> {
    column.map_err(|error| Error::invalid_input("a Parquet file cannot hold the schema").caused_by(error))
}
