use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, Float32Array, Float64Array, Int64Array, TimestampMicrosecondArray,
    TimestampNanosecondArray, UInt64Array,
};
use arrow_schema::{DataType, TimeUnit};

use super::{cast, refused};

const CENTS: DataType = DataType::Decimal128(9, 2);

fn cents(values: Vec<i128>) -> ArrayRef {
    Arc::new(Decimal128Array::from(values).with_precision_and_scale(9, 2).unwrap())
}

fn doubles(values: Vec<f64>) -> ArrayRef {
    Arc::new(Float64Array::from(values))
}

#[test]
fn every_cent_is_the_nearest_double_and_back() {
    let given = cents((-2_000..2_000).collect());
    let made = cast(&given, &DataType::Float64).unwrap();
    for (row, value) in made.as_primitive::<Float64Type>().values().iter().enumerate() {
        let written = given.as_primitive::<Decimal128Type>().value_as_string(row);
        assert_eq!(*value, written.parse::<f64>().unwrap());
    }
    assert_eq!(&cast(&made, &CENTS).unwrap(), &given);
    let short = cast(&given, &DataType::Float32).unwrap();
    assert_eq!(&cast(&short, &CENTS).unwrap(), &given);
}

#[test]
fn a_number_between_two_of_the_type_is_an_error_with_the_number() {
    let rounded = [
        (doubles(vec![1.5, 1.239]), CENTS, "decimal128(9, 2) cannot hold 1.239"),
        (doubles(vec![0.1]), DataType::Float32, "float cannot hold 0.1"),
        (doubles(vec![1e39]), DataType::Float32, "float cannot hold"),
        (Arc::new(Int64Array::from(vec![16_777_217])), DataType::Float32, "float cannot hold 16777217"),
        (Arc::new(Int64Array::from(vec![(1 << 53) + 1])), DataType::Float64, "double cannot hold"),
        (Arc::new(Int64Array::from(vec![2_049])), DataType::Float16, "halffloat cannot hold 2049"),
        (cents(vec![123]), DataType::Decimal128(9, 1), "decimal128(9, 1) cannot hold 1.23"),
        (cents(vec![123_456_789]), DataType::Float32, "float cannot hold 1234567.89"),
    ];
    for (given, to, why) in rounded {
        let message = refused(&given, &to);
        assert!(
            message.starts_with("a new value of 'c' would be rounded: ") && message.contains(why),
            "{message}"
        );
    }
}

#[test]
fn a_number_beyond_the_type_is_an_error() {
    let beyond = [
        (doubles(vec![1.5]), DataType::Int64, "int64: it is 1.5, which is not a whole number"),
        (doubles(vec![f64::NAN]), DataType::Int64, "int64: it is NaN"),
        (doubles(vec![9.223_372_036_854_776e18]), DataType::Int64, "int64: it is 9"),
        (doubles(vec![1e8]), CENTS, "decimal128(9, 2): it is 100000000"),
        (doubles(vec![f64::INFINITY]), CENTS, "decimal128(9, 2): it is inf"),
        (Arc::new(Int64Array::from(vec![300])), DataType::UInt8, "uint8: it is 300"),
        (Arc::new(Int64Array::from(vec![i64::MAX])), CENTS, "decimal128(9, 2): it is 9223372036854775807"),
        (cents(vec![150]), DataType::Int8, "int8: it is 1.50, which is not a whole number"),
        (cents(vec![20_000]), DataType::Int8, "int8: it is 200.00"),
    ];
    for (given, to, why) in beyond {
        let message = refused(&given, &to);
        assert!(message.contains("does not fit its type, ") && message.contains(why), "{message}");
    }
}

#[test]
fn numbers_that_are_there_count_and_not_their_type() {
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![Some(u64::MAX), None]));
    let made = cast(&large, &DataType::Decimal128(20, 0)).unwrap();
    assert_eq!(made.as_primitive::<Decimal128Type>().value(0), i128::from(u64::MAX));
    let made = cast(&doubles(vec![-0.0, 4e15]), &DataType::Int64).unwrap();
    assert_eq!(made.as_primitive::<Int64Type>().values(), &[0, 4_000_000_000_000_000]);
    let made = cast(&doubles(vec![f64::NAN, f64::INFINITY, 0.5]), &DataType::Float32).unwrap();
    let made = made.as_primitive::<Float32Type>();
    assert!(made.value(0).is_nan() && made.value(1).is_infinite() && made.value(2) == 0.5);
    let tenth: ArrayRef = Arc::new(Float32Array::from(vec![0.1]));
    assert_eq!(cast(&tenth, &CENTS).unwrap().as_primitive::<Decimal128Type>().value(0), 10);
    let wide = cast(&cents(vec![1]), &DataType::Decimal256(76, 75)).unwrap();
    assert_eq!(&cast(&wide, &CENTS).unwrap(), &cents(vec![1]));
}

#[test]
fn times_of_a_finer_unit_must_be_whole_ones() {
    let finer: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1_000, 1_001]));
    let to = DataType::Timestamp(TimeUnit::Microsecond, None);
    assert!(refused(&finer, &to).contains("it is finer than the table's unit of time"));
    let whole: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![1]));
    assert_eq!(&cast(&finer.slice(0, 1), &to).unwrap(), &whole);
}
