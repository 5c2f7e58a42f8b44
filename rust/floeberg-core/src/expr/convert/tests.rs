#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{Converted, convert};
use crate::expr::RawLiteral;
use crate::schema::PrimitiveType;
use crate::value::Value;

const HUGE: RawLiteral = RawLiteral::Decimal { unscaled: 1, scale: -100_000 };
const TINY: RawLiteral = RawLiteral::Decimal { unscaled: -1, scale: 100_000 };

#[test]
fn numbers_of_any_size_have_a_place() {
    assert_eq!(convert(&HUGE, &PrimitiveType::Long).unwrap(), Converted::Above);
    assert_eq!(
        convert(&TINY, &PrimitiveType::Int).unwrap(),
        Converted::Between(Value::Int(-1), Value::Int(0))
    );
    let decimal = PrimitiveType::Decimal { precision: 38, scale: 38 };
    let ulp = Value::Decimal { unscaled: -1, scale: 38 };
    assert_eq!(
        convert(&TINY, &decimal).unwrap(),
        Converted::Between(ulp, Value::Decimal { unscaled: 0, scale: 38 })
    );
    assert_eq!(convert(&RawLiteral::Integer(1), &decimal).unwrap(), Converted::Above);
    assert_eq!(convert(&RawLiteral::Integer(i128::MIN), &decimal).unwrap(), Converted::Below);
    assert_eq!(
        convert(&HUGE, &PrimitiveType::Double).unwrap(),
        Converted::Between(Value::Double(f64::MAX), Value::Double(f64::INFINITY))
    );
    assert_eq!(
        convert(&RawLiteral::Float(f64::NEG_INFINITY), &PrimitiveType::Int).unwrap(),
        Converted::Below
    );
}

#[test]
fn a_float_stands_for_the_digits_it_prints() {
    let decimal = PrimitiveType::Decimal { precision: 9, scale: 2 };
    assert_eq!(
        convert(&RawLiteral::Float(0.1), &decimal).unwrap(),
        Converted::Exact(Value::Decimal { unscaled: 10, scale: 2 })
    );
    assert_eq!(
        convert(&RawLiteral::Float(1e5), &PrimitiveType::Int).unwrap(),
        Converted::Exact(Value::Int(100_000))
    );
}

#[test]
fn nanosecond_columns_take_integers_as_nanoseconds_and_days_beyond_their_range() {
    let nanos = &PrimitiveType::TimestampNs;
    assert_eq!(convert(&RawLiteral::Integer(1), nanos).unwrap(), Converted::Exact(Value::TimestampNs(1)));
    let text = |text: &str| RawLiteral::String(text.to_owned());
    assert_eq!(convert(&text("9999-01-01"), nanos).unwrap(), Converted::Above);
    assert_eq!(convert(&text("0001-01-01"), nanos).unwrap(), Converted::Below);
    assert_eq!(
        convert(&RawLiteral::Integer(i128::from(i32::MAX) + 1), &PrimitiveType::Date).unwrap(),
        Converted::Above
    );
    assert_eq!(convert(&RawLiteral::Integer(-1), &PrimitiveType::Time).unwrap(), Converted::Below);
    assert_eq!(
        convert(&text("9999-12-31"), &PrimitiveType::Date).unwrap(),
        Converted::Exact(Value::Date(2_932_896))
    );
}
