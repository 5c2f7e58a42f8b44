use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, Date64Array, Int64Array, Time32SecondArray, Time64MicrosecondArray,
    Time64NanosecondArray,
};
use arrow_schema::{DataType, TimeUnit};
use proptest::prelude::*;
use serde_json::json;

use super::{batch, cast, converted, of_type, refusal};

fn moments(values: Vec<Option<i64>>, unit: TimeUnit, zone: Option<&str>) -> ArrayRef {
    let values: ArrayRef = Arc::new(Int64Array::from(values));
    cast(&values, &DataType::Timestamp(unit, zone.map(Into::into)))
}

fn refused(field_type: &str, array: ArrayRef) -> String {
    refusal(&of_type(&json!(field_type), false), &batch(vec![("x", array)]))
}

#[test]
fn coarser_units_become_the_tables() {
    let values = vec![Some(-1), None, Some(1_700_000_000)];
    let made = converted("timestamp", moments(values.clone(), TimeUnit::Second, None)).unwrap();
    let micros = made.as_primitive::<TimestampMicrosecondType>();
    assert_eq!(
        (micros.value(0), micros.is_null(1), micros.value(2)),
        (-1_000_000, true, 1_700_000_000_000_000)
    );
    let made = converted("timestamptz_ns", moments(values, TimeUnit::Millisecond, Some("UTC"))).unwrap();
    assert_eq!(made.as_primitive::<TimestampNanosecondType>().value(0), -1_000_000);
    let times = converted("time", Arc::new(Time32SecondArray::from(vec![86_399]))).unwrap();
    assert_eq!(times.as_primitive::<Time64MicrosecondType>().value(0), 86_399_000_000);
}

#[test]
fn an_instant_of_any_zone_is_an_instant() {
    let made =
        converted("timestamptz", moments(vec![Some(7)], TimeUnit::Microsecond, Some("Asia/Tokyo"))).unwrap();
    assert_eq!(made.data_type(), &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    assert_eq!(made.as_primitive::<TimestampMicrosecondType>().value(0), 7);
}

#[test]
fn a_zone_is_neither_added_nor_dropped() {
    assert!(
        refused("timestamptz", moments(vec![Some(7)], TimeUnit::Microsecond, None))
            .contains("in which time zone")
    );
    assert!(
        refused("timestamp", moments(vec![Some(7)], TimeUnit::Microsecond, Some("UTC")))
            .contains("without a zone")
    );
}

#[test]
fn what_is_finer_than_the_unit_is_told_by_its_row() {
    let message =
        refused("timestamp", moments(vec![Some(3_000), None, Some(-1)], TimeUnit::Nanosecond, None));
    assert!(message.contains("finer than the table's unit") && message.contains("row: 2"), "{message}");
    let message = refused("time", Arc::new(Time64NanosecondArray::from(vec![1_000, 1])));
    assert!(message.contains("row: 1"), "{message}");
    let message = refused("date", Arc::new(Date64Array::from(vec![86_400_000, 5])));
    assert!(message.contains("row: 1"), "{message}");
    let made = converted("date", Arc::new(Date64Array::from(vec![Some(-86_400_000), None]))).unwrap();
    assert_eq!((made.as_primitive::<Date32Type>().value(0), made.null_count()), (-1, 1));
}

#[test]
fn what_is_out_of_range_is_told_by_its_row() {
    let message = refused("timestamp", moments(vec![Some(0), Some(i64::MAX)], TimeUnit::Second, None));
    assert!(message.contains("out of range") && message.contains("row: 1"), "{message}");
    for outside in [-1, 86_400_000_000] {
        let message = refused("time", Arc::new(Time64MicrosecondArray::from(vec![0, outside])));
        assert!(message.contains("out of range") && message.contains("row: 1"), "{message}");
    }
    let message = refused("date", Arc::new(Date64Array::from(vec![86_400_000 * (1 << 32)])));
    assert!(message.contains("out of range"), "{message}");
}

proptest! {
    #[test]
    fn a_unit_is_changed_exactly_or_not_at_all(value in any::<i64>()) {
        let nanos = converted("timestamp", moments(vec![Some(value)], TimeUnit::Nanosecond, None));
        match nanos {
            Ok(made) => {
                prop_assert_eq!(made.as_primitive::<TimestampMicrosecondType>().value(0).checked_mul(1_000), Some(value));
            }
            Err(_) => prop_assert!(value % 1_000 != 0),
        }
        let millis = converted("timestamp_ns", moments(vec![Some(value)], TimeUnit::Millisecond, None));
        prop_assert_eq!(
            millis.ok().map(|made| made.as_primitive::<TimestampNanosecondType>().value(0)),
            value.checked_mul(1_000_000)
        );
    }
}
