//! May values of this Arrow type become values of that one?
//!
//! In: two types that are not nested, dictionaries written out. Out: the conversion, and who may use it.
//!
//! This is the one table of conversions. Appends to Iceberg tables take the rows that are marked for them: there a type that
//! is wrong as a whole is an error before the first row. New values of updates and merges, join keys, and rows of Lance
//! tables take all of them.
//!
//! Invariant: no row of the table changes the meaning of a value.

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::arrow::units_per_second;

use super::fields::{is_bytes, is_text};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// The conversion of values that are not nested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// How they are converted.
    pub conversion: Conversion,
    /// Do appends to Iceberg tables use it?
    pub appends: bool,
}

/// How values of a type become those of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// The type is the right one already.
    Same,
    /// Numbers of another type that holds all of them.
    Widened,
    /// Integers; each must fit.
    Narrowed,
    /// Numbers; each must be a value of the type.
    Numbers,
    /// Texts or bytes with offsets of another width, or with views.
    Bytes,
    /// Bytes of any Arrow type; each must have the length.
    Sized,
    /// Texts; each must be a uuid.
    UuidText,
    /// Whole units of time: multiplied, or divided without remainder.
    Units {
        /// The multiplier.
        times: i64,
        /// The divisor.
        divided: i64,
    },
}

/// The conversion of values of one type to another; `None` where the types have different meanings.
pub fn rule(from: &DataType, to: &DataType) -> Option<Rule> {
    use Conversion as C;
    use DataType as T;
    let of = |conversion, appends| Some(Rule { conversion, appends });
    match (from, to) {
        _ if from == to => of(C::Same, true),
        // Numbers.
        _ if is_number(from) && is_number(to) => match holds_all(from, to) {
            true => of(C::Widened, true),
            false if from.is_integer() && to.is_integer() => of(C::Narrowed, true),
            false => of(C::Numbers, false),
        },
        // Texts and bytes.
        _ if is_text(from) && is_text(to) => of(C::Bytes, true),
        (T::FixedSizeBinary(_), _) if is_bytes(to) => of(C::Bytes, true),
        _ if is_bytes(from) && is_bytes(to) => of(C::Bytes, true),
        (_, T::FixedSizeBinary(_)) if is_bytes(from) => of(C::Sized, true),
        (T::FixedSizeBinary(_), T::FixedSizeBinary(_)) => of(C::Sized, false),
        // Times.
        (T::Date64, T::Date32) => of(C::Units { times: 1, divided: MILLIS_PER_DAY }, true),
        (T::Date32, T::Date64) => of(C::Units { times: MILLIS_PER_DAY, divided: 1 }, false),
        (T::Time32(one) | T::Time64(one), T::Time32(other) | T::Time64(other)) => {
            of(units(*one, *other), true)
        }
        (T::Timestamp(one, given), T::Timestamp(other, wanted)) if given.is_some() == wanted.is_some() => {
            of(units(*one, *other), true)
        }
        (T::Duration(one), T::Duration(other)) => of(units(*one, *other), false),
        _ => None,
    }
}

/// From one unit of time to another.
pub fn units(from: TimeUnit, to: TimeUnit) -> Conversion {
    let (from, to) = (units_per_second(from), units_per_second(to));
    Conversion::Units { times: (to / from).max(1), divided: (from / to).max(1) }
}

/// Integers, floats and decimals.
fn is_number(kind: &DataType) -> bool {
    kind.is_numeric()
}

/// Is every number of a type one of the other type?
fn holds_all(from: &DataType, to: &DataType) -> bool {
    let Some((digits, scale)) = decimal_digits(from) else {
        // A float, which a wider one holds.
        return bits_of_float(from).zip(bits_of_float(to)).is_some_and(|(from, to)| from <= to);
    };
    if let Some((wanted, wanted_scale)) = decimal_digits(to).filter(|_| !to.is_integer()) {
        return scale <= wanted_scale && digits - scale <= wanted - wanted_scale;
    }
    let Some((bits, is_signed)) = bits_of_integer(from) else { return false };
    if let Some((wanted, signed)) = bits_of_integer(to) {
        return if signed { bits + u32::from(!is_signed) <= wanted } else { !is_signed && bits <= wanted };
    }
    bits_of_float(to).is_some_and(|wanted| bits - u32::from(is_signed) <= wanted)
}

/// The digits of a decimal or an integer, and those after the point.
fn decimal_digits(kind: &DataType) -> Option<(i16, i16)> {
    use DataType as T;
    Some(match kind {
        T::Decimal32(digits, scale)
        | T::Decimal64(digits, scale)
        | T::Decimal128(digits, scale)
        | T::Decimal256(digits, scale) => (i16::from(*digits), i16::from(*scale)),
        T::Int8 | T::UInt8 => (3, 0),
        T::Int16 | T::UInt16 => (5, 0),
        T::Int32 | T::UInt32 => (10, 0),
        T::Int64 => (19, 0),
        T::UInt64 => (20, 0),
        _ => return None,
    })
}

/// Its bits, and whether it has a sign.
fn bits_of_integer(kind: &DataType) -> Option<(u32, bool)> {
    let bits = kind.primitive_width().filter(|_| kind.is_integer())?;
    Some((bits as u32 * 8, kind.is_signed_integer()))
}

/// The bits of the integers that a float holds without a gap.
fn bits_of_float(kind: &DataType) -> Option<u32> {
    match kind {
        DataType::Float16 => Some(11),
        DataType::Float32 => Some(24),
        DataType::Float64 => Some(53),
        _ => None,
    }
}
