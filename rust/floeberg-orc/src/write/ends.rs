//! What are the least and the greatest value of a column, in the type of the table?
//!
//! Invariant: types whose statistics have no ends, as in Iceberg Java, have none here: bytes, uuids, fixed and geometries.

use floeberg_core::schema::PrimitiveType;
use floeberg_core::value::Value;

use super::statistics::Range;

/// The ends of values of a type; `None` where they are not known.
pub(super) fn ends_of(range: &Range, values: u64, primitive: &PrimitiveType) -> Option<(Value, Value)> {
    use PrimitiveType as P;
    let pair = |least, most| Some((least, most));
    match (range, primitive) {
        (Range::Booleans(trues), P::Boolean) if values > 0 => {
            pair(Value::Boolean(*trues == values), Value::Boolean(*trues > 0))
        }
        (Range::Integers(Some((least, most)), _), P::Int) => {
            pair(Value::Int(i32::try_from(*least).ok()?), Value::Int(i32::try_from(*most).ok()?))
        }
        (Range::Integers(Some((least, most)), _), P::Long) => pair(Value::Long(*least), Value::Long(*most)),
        (Range::Integers(Some((least, most)), _), P::Time) => pair(Value::Time(*least), Value::Time(*most)),
        (Range::Dates(Some((least, most))), P::Date) => pair(Value::Date(*least), Value::Date(*most)),
        (Range::Floats(Some((least, most)), ..), P::Float) => {
            pair(Value::Float(*least as f32), Value::Float(*most as f32))
        }
        (Range::Floats(Some((least, most)), ..), P::Double) => {
            pair(Value::Double(*least), Value::Double(*most))
        }
        (Range::Texts(Some((least, most)), _), P::String) => {
            pair(Value::String(least.clone()), Value::String(most.clone()))
        }
        (Range::Decimals(Some((least, most)), ..), P::Decimal { scale, .. }) => pair(
            Value::Decimal { unscaled: *least, scale: *scale },
            Value::Decimal { unscaled: *most, scale: *scale },
        ),
        (Range::Timestamps(Some((least, most)), _), primitive) => {
            let value: fn(i64) -> Value = match primitive {
                P::Timestamp => Value::Timestamp,
                P::Timestamptz => Value::Timestamptz,
                P::TimestampNs => Value::TimestampNs,
                P::TimestamptzNs => Value::TimestamptzNs,
                _ => return None,
            };
            pair(value(*least), value(*most))
        }
        _ => None,
    }
}
