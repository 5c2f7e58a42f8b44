//! One value of a table format's type.

use super::decimal;
use crate::primitive::PrimitiveType;

/// A value. Null is not a value: it is `Option::<Value>::None`.
///
/// `PartialEq` is by representation (floats by IEEE 754, so NaN differs from itself); the ordering and equality
/// of the specification are in [`super::ordering`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// boolean
    Boolean(bool),
    /// int
    Int(i32),
    /// long
    Long(i64),
    /// float
    Float(f32),
    /// double
    Double(f64),
    /// decimal: the unscaled value and the scale
    Decimal {
        /// The value times ten to the scale.
        unscaled: i128,
        /// Digits after the point.
        scale: u8,
    },
    /// date: days from 1970-01-01
    Date(i32),
    /// time: microseconds from midnight
    Time(i64),
    /// timestamp: microseconds
    Timestamp(i64),
    /// timestamptz: microseconds, UTC
    Timestamptz(i64),
    /// `timestamp_ns`: nanoseconds
    TimestampNs(i64),
    /// `timestamptz_ns`: nanoseconds, UTC
    TimestamptzNs(i64),
    /// string
    String(String),
    /// uuid, big-endian
    Uuid([u8; 16]),
    /// fixed
    Fixed(Vec<u8>),
    /// binary (also the WKB of geometry and geography)
    Binary(Vec<u8>),
    /// struct: values by field id, in the type's order
    Struct(Vec<(i32, Option<Value>)>),
    /// list
    List(Vec<Option<Value>>),
    /// map: keys and values
    Map(Vec<(Value, Option<Value>)>),
}

impl Value {
    /// The 64 bits of a long, a time or a timestamp in its own unit.
    pub(crate) fn as_long(&self) -> Option<i64> {
        match self {
            Self::Long(value)
            | Self::Time(value)
            | Self::Timestamp(value)
            | Self::Timestamptz(value)
            | Self::TimestampNs(value)
            | Self::TimestamptzNs(value) => Some(*value),
            _ => None,
        }
    }

    /// Is this a value of a type: the same kind, and within its precision, scale or length?
    pub fn matches(&self, primitive: &PrimitiveType) -> bool {
        match (self, primitive) {
            (Self::Boolean(_), PrimitiveType::Boolean)
            | (Self::Int(_), PrimitiveType::Int)
            | (Self::Long(_), PrimitiveType::Long)
            | (Self::Float(_), PrimitiveType::Float)
            | (Self::Double(_), PrimitiveType::Double)
            | (Self::Date(_), PrimitiveType::Date)
            | (Self::Time(_), PrimitiveType::Time)
            | (Self::Timestamp(_), PrimitiveType::Timestamp)
            | (Self::Timestamptz(_), PrimitiveType::Timestamptz)
            | (Self::TimestampNs(_), PrimitiveType::TimestampNs)
            | (Self::TimestamptzNs(_), PrimitiveType::TimestamptzNs)
            | (Self::String(_), PrimitiveType::String)
            | (Self::Uuid(_), PrimitiveType::Uuid) => true,
            (Self::Binary(_), other) => matches!(
                other,
                PrimitiveType::Binary | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. }
            ),
            (Self::Decimal { unscaled, scale: own }, PrimitiveType::Decimal { precision, scale }) => {
                own == scale && decimal::fits(*unscaled, *precision)
            }
            (Self::Fixed(bytes), PrimitiveType::Fixed(length)) => bytes.len() == *length as usize,
            _ => false,
        }
    }
}
