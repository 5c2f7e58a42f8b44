//! How is a literal written?

use crate::value::Value;

/// A literal as it was written: it gets its type when it is bound to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum RawLiteral {
    /// `true` or `false`
    Boolean(bool),
    /// A whole number; for date, time and timestamp columns days, or the column's own unit.
    Integer(i128),
    /// A number with a fraction or an exponent, also "Infinity".
    Float(f64),
    /// A number with all its digits, for decimals: unscaled value and scale (may be negative).
    Decimal {
        /// The value times ten to the scale.
        unscaled: i128,
        /// Digits after the point.
        scale: i32,
    },
    /// A string; for columns of date, time, timestamp, uuid (and, from JSON, binary as hex) parsed at binding.
    String(String),
    /// Bytes, from `X'..'` or Python.
    Binary(Vec<u8>),
    /// A value that already has its type (`DATE '2020-01-01'`, a Python `datetime`).
    Typed(Value),
}
