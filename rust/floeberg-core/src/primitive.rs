//! Which types have values without parts?
//!
//! Spec: Schemas and Data Types, Primitive Types; Appendix C, Schemas (type strings).

use std::fmt;

/// The default coordinate reference system of a geometry or geography.
pub const DEFAULT_CRS: &str = "OGC:CRS84";

/// A type without children.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PrimitiveType {
    /// True or false.
    Boolean,
    /// 32-bit signed.
    Int,
    /// 64-bit signed.
    Long,
    /// 32-bit IEEE 754.
    Float,
    /// 64-bit IEEE 754.
    Double,
    /// Fixed-point: at most 38 digits.
    Decimal {
        /// Digits in all, 1 to 38.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// Days from 1970-01-01.
    Date,
    /// Microseconds from midnight.
    Time,
    /// Microseconds from 1970-01-01, no zone.
    Timestamp,
    /// Microseconds from 1970-01-01 UTC.
    Timestamptz,
    /// Nanoseconds from 1970-01-01, no zone (v3).
    TimestampNs,
    /// Nanoseconds from 1970-01-01 UTC (v3).
    TimestamptzNs,
    /// UTF-8.
    String,
    /// 16 bytes, big-endian.
    Uuid,
    /// That many bytes.
    Fixed(u32),
    /// Bytes.
    Binary,
    /// Always null, never stored (v3).
    Unknown,
    /// WKB in a planar coordinate system (v3).
    Geometry {
        /// The coordinate reference system; `None` is the default, `OGC:CRS84`.
        crs: Option<String>,
    },
    /// WKB on the globe (v3).
    Geography {
        /// The coordinate reference system; `None` is the default, `OGC:CRS84`.
        crs: Option<String>,
        /// How edges run between points; `None` is the default, `spherical`.
        algorithm: Option<String>,
    },
}

/// The canonical type string of Appendix C (`decimal(9,2)`, `fixed[16]`, `geometry(srid:4326)`).
impl fmt::Display for PrimitiveType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("boolean"),
            Self::Int => f.write_str("int"),
            Self::Long => f.write_str("long"),
            Self::Float => f.write_str("float"),
            Self::Double => f.write_str("double"),
            Self::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            Self::Date => f.write_str("date"),
            Self::Time => f.write_str("time"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Timestamptz => f.write_str("timestamptz"),
            Self::TimestampNs => f.write_str("timestamp_ns"),
            Self::TimestamptzNs => f.write_str("timestamptz_ns"),
            Self::String => f.write_str("string"),
            Self::Uuid => f.write_str("uuid"),
            Self::Fixed(length) => write!(f, "fixed[{length}]"),
            Self::Binary => f.write_str("binary"),
            Self::Unknown => f.write_str("unknown"),
            Self::Geometry { crs: None } => f.write_str("geometry"),
            Self::Geometry { crs: Some(crs) } => write!(f, "geometry({crs})"),
            Self::Geography { crs: None, algorithm: None } => f.write_str("geography"),
            Self::Geography { crs: Some(crs), algorithm: None } => write!(f, "geography({crs})"),
            Self::Geography { crs, algorithm: Some(algorithm) } => {
                write!(f, "geography({}, {algorithm})", crs.as_deref().unwrap_or(DEFAULT_CRS))
            }
        }
    }
}
