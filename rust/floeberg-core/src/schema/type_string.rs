//! Which type does a type string name?
//!
//! In: `decimal(9,2)`, `fixed[16]`, `geography(srid:4326, spherical)`. Out: the type.
//! Spec: Appendix C, Schemas.
//!
//! Invariant: whitespace around parameters, case of the type's name and quotes around parameters do not matter;
//! a string that names no known type is kept as it was written.

use std::str::FromStr;

use super::{PrimitiveType, Type};
use crate::error::{Error, Result, beginning};
use crate::value::decimal::MAX_PRECISION;

const EDGE_ALGORITHMS: [&str; 5] = ["spherical", "vincenty", "thomas", "andoyer", "karney"];

/// Errors: `InvalidData` for a precision, scale or length outside the specification's limits.
impl FromStr for Type {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim().eq_ignore_ascii_case("variant") {
            return Ok(Self::Variant);
        }
        Ok(match parse(text)? {
            Some(primitive) => Self::Primitive(primitive),
            None => Self::Unrecognized(text.to_owned()),
        })
    }
}

/// Errors: `InvalidData` for a string that names no primitive type, and for parameters outside their limits.
impl FromStr for PrimitiveType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse(text)?.ok_or_else(|| {
            let shown = beginning(text);
            Error::invalid_data(format!("expected a primitive type, found {shown:?}"))
        })
    }
}

/// Names of types in other systems, and their names here.
const OTHER_NAMES: &[(&[&str], &str)] = &[
    (&["bool"], "boolean"),
    (&["integer", "int32", "i32", "tinyint", "smallint", "int8", "int16"], "int"),
    (&["bigint", "int64", "i64"], "long"),
    (&["float32", "real"], "float"),
    (&["float64"], "double"),
    (&["str", "text", "varchar", "char", "utf8"], "string"),
    (&["bytes", "blob", "bytea", "varbinary"], "binary"),
    (&["numeric", "number", "decimal"], "decimal(P, S)"),
    (&["fixed"], "fixed[L]"),
    (&["datetime", "timestamp_ntz"], "timestamp"),
    (&["timestamp_ltz", "timestamp_tz"], "timestamptz"),
];

/// The type that a text probably means, which names none.
pub fn near_type(text: &str) -> Option<&'static str> {
    let lower = text.trim().to_ascii_lowercase();
    let name = lower.split(['(', '[']).next().unwrap_or_default().trim();
    OTHER_NAMES.iter().find(|(others, _)| others.contains(&name)).map(|(_, known)| *known)
}

fn parse(text: &str) -> Result<Option<PrimitiveType>> {
    let text = text.trim();
    let (name, parameters) = match text.find(['(', '[']) {
        None => (text, None),
        Some(open) => {
            let (name, rest) = text.split_at(open);
            let close = if rest.starts_with('(') { ')' } else { ']' };
            let Some(inside) = rest[1..].strip_suffix(close) else { return Ok(None) };
            (name.trim_end(), Some(inside.trim()))
        }
    };
    let name = name.to_ascii_lowercase();
    match parameters {
        None => Ok(plain(&name)),
        Some(parameters) => parameterised(&name, parameters),
    }
}

fn plain(name: &str) -> Option<PrimitiveType> {
    Some(match name {
        "boolean" => PrimitiveType::Boolean,
        "int" => PrimitiveType::Int,
        "long" => PrimitiveType::Long,
        "float" => PrimitiveType::Float,
        "double" => PrimitiveType::Double,
        "date" => PrimitiveType::Date,
        "time" => PrimitiveType::Time,
        "timestamp" => PrimitiveType::Timestamp,
        "timestamptz" => PrimitiveType::Timestamptz,
        "timestamp_ns" => PrimitiveType::TimestampNs,
        "timestamptz_ns" => PrimitiveType::TimestamptzNs,
        "string" => PrimitiveType::String,
        "uuid" => PrimitiveType::Uuid,
        "binary" => PrimitiveType::Binary,
        "unknown" => PrimitiveType::Unknown,
        "geometry" => PrimitiveType::Geometry { crs: None },
        "geography" => PrimitiveType::Geography { crs: None, algorithm: None },
        _ => return None,
    })
}

fn parameterised(name: &str, parameters: &str) -> Result<Option<PrimitiveType>> {
    let parts: Vec<_> = parameters.split(',').map(unquoted).collect();
    let number = |text: &str| text.parse::<u32>().ok();
    Ok(match (name, parts.as_slice()) {
        ("decimal", [precision, scale]) => match (number(precision), number(scale)) {
            (Some(precision), Some(scale)) => Some(decimal(precision, scale)?),
            _ => None,
        },
        ("fixed", [length]) => match number(length) {
            Some(length) if length > i32::MAX as u32 => {
                return Err(Error::invalid_data(format!(
                    "expected a fixed length of at most {}, found {length}",
                    i32::MAX
                )));
            }
            Some(length) => Some(PrimitiveType::Fixed(length)),
            None => None,
        },
        // A coordinate reference system may be any string without surrounding whitespace, commas included.
        ("geometry", [_, ..]) => {
            named(unquoted(parameters)).map(|crs| PrimitiveType::Geometry { crs: Some(crs) })
        }
        ("geography", [crs]) => {
            named(crs).map(|crs| PrimitiveType::Geography { crs: Some(crs), algorithm: None })
        }
        ("geography", [.., last]) => {
            let algorithm = last.to_ascii_lowercase();
            let crs = parameters.rsplit_once(',').and_then(|(crs, _)| named(unquoted(crs)));
            match crs {
                Some(crs) if EDGE_ALGORITHMS.contains(&algorithm.as_str()) => {
                    Some(PrimitiveType::Geography { crs: Some(crs), algorithm: Some(algorithm) })
                }
                _ => None,
            }
        }
        _ => None,
    })
}

fn decimal(precision: u32, scale: u32) -> Result<PrimitiveType> {
    match (u8::try_from(precision), u8::try_from(scale)) {
        (Ok(precision), Ok(scale)) if (1..=MAX_PRECISION).contains(&precision) && scale <= precision => {
            Ok(PrimitiveType::Decimal { precision, scale })
        }
        _ => Err(Error::invalid_data(format!(
            "expected a decimal precision of 1 to {MAX_PRECISION} and a scale up to it, \
             found decimal({precision},{scale})"
        ))),
    }
}

fn named(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inside.trim();
        }
    }
    text
}
