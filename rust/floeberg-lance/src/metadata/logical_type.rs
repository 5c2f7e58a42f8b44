//! Which Arrow type is a logical type?
//!
//! In: a type as a manifest writes it, such as `timestamp:us:UTC`. Out: its Arrow type, and back.
//! Spec: Lance, `lance-core/datatypes.rs`, `LogicalType`.
//!
//! Invariant: parameters are checked here, since Arrow takes any and fails later.

use std::sync::Arc;

use arrow_schema::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Field as ArrowField, TimeUnit,
};
use floeberg_core::{Error, Result};

/// How deep types may nest.
pub const MAX_DEPTH: usize = 64;

/// The extension type of 16-bit floats whose exponents are those of 32-bit ones.
const BFLOAT16: &str = "lance.bfloat16";

/// The Arrow type of a leaf.
///
/// Errors: `Unsupported` for a type that this version does not know, `InvalidData` for parameters out of range.
pub fn leaf_to_arrow(logical_type: &str) -> Result<DataType> {
    to_arrow(logical_type, MAX_DEPTH)
}

fn to_arrow(logical_type: &str, depth: usize) -> Result<DataType> {
    let unknown = || {
        let shown: String = logical_type.chars().take(64).collect();
        Error::unsupported(format!("the type {shown:?} is not known to this version"))
    };
    Ok(match logical_type {
        "null" => DataType::Null,
        "bool" => DataType::Boolean,
        "int8" => DataType::Int8,
        "uint8" => DataType::UInt8,
        "int16" => DataType::Int16,
        "uint16" => DataType::UInt16,
        "int32" => DataType::Int32,
        "uint32" => DataType::UInt32,
        "int64" => DataType::Int64,
        "uint64" => DataType::UInt64,
        "halffloat" => DataType::Float16,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "string" => DataType::Utf8,
        "large_string" => DataType::LargeUtf8,
        "binary" => DataType::Binary,
        "large_binary" | "blob" | "json" => DataType::LargeBinary,
        "date32:day" => DataType::Date32,
        "date64:ms" => DataType::Date64,
        "time32:s" => DataType::Time32(TimeUnit::Second),
        "time32:ms" => DataType::Time32(TimeUnit::Millisecond),
        "time64:us" => DataType::Time64(TimeUnit::Microsecond),
        "time64:ns" => DataType::Time64(TimeUnit::Nanosecond),
        _ => {
            let (kind, parameters) = logical_type.split_once(':').ok_or_else(unknown)?;
            match kind {
                "duration" => DataType::Duration(unit(parameters).ok_or_else(unknown)?),
                "timestamp" => {
                    let (named, zone) = parameters.split_once(':').ok_or_else(unknown)?;
                    DataType::Timestamp(unit(named).ok_or_else(unknown)?, (zone != "-").then(|| zone.into()))
                }
                "decimal" => decimal(parameters, logical_type)?.ok_or_else(unknown)?,
                "fixed_size_binary" => DataType::FixedSizeBinary(size(parameters, logical_type)?),
                "fixed_size_list" => {
                    let (element, length) = parameters.rsplit_once(':').ok_or_else(unknown)?;
                    let length = size(length, logical_type)?;
                    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
                    DataType::FixedSizeList(Arc::new(element_of(element, depth)?), length)
                }
                "dict" => {
                    let mut parts = parameters.rsplitn(3, ':');
                    let (_, index, value) =
                        (parts.next(), parts.next().ok_or_else(unknown)?, parts.next().ok_or_else(unknown)?);
                    let index = to_arrow(index, 0)?;
                    if !index.is_integer() {
                        return Err(unknown());
                    }
                    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
                    DataType::Dictionary(Box::new(index), Box::new(to_arrow(value, depth)?))
                }
                _ => return Err(unknown()),
            }
        }
    })
}

fn element_of(element: &str, depth: usize) -> Result<ArrowField> {
    if element == BFLOAT16 {
        let metadata = [("ARROW:extension:name", BFLOAT16), ("ARROW:extension:metadata", "")];
        let field = ArrowField::new("item", DataType::FixedSizeBinary(2), true);
        return Ok(field.with_metadata(metadata));
    }
    Ok(ArrowField::new("item", to_arrow(element, depth)?, true))
}

/// The length of fixed-size lists of structs, whose fields stand below; `None` for other types.
pub fn struct_list_length(logical_type: &str) -> Result<Option<i32>> {
    let length = logical_type.strip_prefix("fixed_size_list:struct:");
    length.map(|length| size(length, logical_type)).transpose()
}

fn unit(name: &str) -> Option<TimeUnit> {
    Some(match name {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

/// `128:{precision}:{scale}` or `256:{precision}:{scale}`.
fn decimal(parameters: &str, logical_type: &str) -> Result<Option<DataType>> {
    let mut parts = parameters.split(':');
    let (Some(bits), Some(precision), Some(scale), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Ok(None);
    };
    let most = match bits {
        "128" => DECIMAL128_MAX_PRECISION,
        "256" => DECIMAL256_MAX_PRECISION,
        _ => return Ok(None),
    };
    let (Ok(precision), Ok(scale)) = (precision.parse::<u8>(), scale.parse::<i8>()) else {
        return Ok(None);
    };
    if precision == 0 || precision > most || i16::from(scale) > i16::from(precision) {
        return Err(Error::invalid_data(format!(
            "expected a decimal of 1 to {most} digits, and no more of them after the point, found {logical_type:?}"
        )));
    }
    Ok(Some(if bits == "128" {
        DataType::Decimal128(precision, scale)
    } else {
        DataType::Decimal256(precision, scale)
    }))
}

fn size(text: &str, logical_type: &str) -> Result<i32> {
    text.parse::<i32>().ok().filter(|size| *size > 0).ok_or_else(|| {
        let shown: String = logical_type.chars().take(64).collect();
        Error::invalid_data(format!("expected a length above 0, found the type {shown:?}"))
    })
}

pub(super) fn too_deep() -> Error {
    Error::limit(format!("a type is nested more than {MAX_DEPTH} levels deep"))
}
