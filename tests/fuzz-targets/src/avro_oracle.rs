//! Does apache-avro find the same values?
//!
//! Invariant: only where both read a file to its end something is said; either may refuse what the other takes.

use std::panic::catch_unwind;

use apache_avro::Reader;
use apache_avro::types::Value;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, StructArray};
use arrow_schema::DataType;

/// What apache-avro may allocate for one value.
const MOST: usize = 16 << 20;

/// Compares the rows of a file with those that apache-avro reads.
pub(crate) fn agrees(bytes: &[u8], batches: &[RecordBatch]) {
    apache_avro::util::max_allocation_bytes(MOST);
    let read = catch_unwind(|| Reader::new(bytes)?.collect::<Result<Vec<Value>, _>>());
    let Ok(Ok(expected)) = read else { return };
    let found: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(found, expected.len(), "rows");
    let mut expected = expected.iter();
    for batch in batches {
        let rows = StructArray::from(batch.clone());
        for row in 0..rows.len() {
            let value = expected.next().expect("as many rows");
            assert!(same(value, &rows, row), "row {row}: {value:?} is read as {:?}", rows.slice(row, 1));
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Option<T::Native> {
    array.as_primitive_opt::<T>().map(|array| array.value(row))
}

/// Is a row of the array that value? What Iceberg has no type for is not compared.
fn same(value: &Value, array: &dyn Array, row: usize) -> bool {
    let of = array.data_type();
    if matches!(of, DataType::Null | DataType::Union(..)) {
        return true;
    }
    match value {
        Value::Union(_, inner) => same(inner, array, row),
        Value::Null => array.is_null(row),
        _ if array.is_null(row) => false,
        Value::Boolean(value) => array.as_boolean().value(row) == *value,
        Value::Int(value) => primitive::<Int32Type>(array, row).is_none_or(|found| found == *value),
        Value::Long(value) => primitive::<Int64Type>(array, row).is_none_or(|found| found == *value),
        Value::Float(value) => {
            primitive::<Float32Type>(array, row).is_some_and(|found| found.to_bits() == value.to_bits())
        }
        Value::Double(value) => {
            primitive::<Float64Type>(array, row).is_some_and(|found| found.to_bits() == value.to_bits())
        }
        Value::Bytes(bytes) => {
            array.as_binary_opt::<i32>().is_none_or(|array| array.value(row) == bytes.as_slice())
        }
        Value::String(text) | Value::Enum(_, text) => {
            array.as_string_opt::<i32>().is_some_and(|array| array.value(row) == text)
        }
        Value::Fixed(_, bytes) => {
            array.as_fixed_size_binary_opt().is_none_or(|array| array.value(row) == bytes.as_slice())
        }
        Value::Date(value) => primitive::<Date32Type>(array, row) == Some(*value),
        Value::TimeMillis(value) => primitive::<Time32MillisecondType>(array, row) == Some(*value),
        Value::TimeMicros(value) => primitive::<Time64MicrosecondType>(array, row) == Some(*value),
        Value::TimestampMillis(value) | Value::LocalTimestampMillis(value) => {
            primitive::<TimestampMillisecondType>(array, row) == Some(*value)
        }
        Value::TimestampMicros(value) | Value::LocalTimestampMicros(value) => {
            primitive::<TimestampMicrosecondType>(array, row) == Some(*value)
        }
        Value::TimestampNanos(value) | Value::LocalTimestampNanos(value) => {
            primitive::<TimestampNanosecondType>(array, row) == Some(*value)
        }
        Value::Decimal(value) => {
            let Ok(bytes) = Vec::<u8>::try_from(value) else { return true };
            let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
            let fold = |number: i128, byte: &u8| number << 8 | i128::from(*byte);
            let expected = bytes.iter().fold(if negative { -1 } else { 0 }, fold);
            primitive::<Decimal128Type>(array, row).is_none_or(|found| found == expected)
        }
        Value::Array(items) => {
            if let Some(array) = array.as_list_opt::<i32>() {
                let found = array.value(row);
                found.len() == items.len()
                    && items.iter().enumerate().all(|(place, item)| same(item, &found, place))
            } else if let Some(array) = array.as_map_opt() {
                let found = array.value(row);
                found.len() == items.len()
                    && items.iter().enumerate().all(|(place, item)| same(item, &found, place))
            } else {
                true
            }
        }
        Value::Map(items) => {
            let found = array.as_map().value(row);
            let keys = found.column(0).as_string::<i32>();
            // A key that is written twice is one in theirs: ours keeps what is there.
            found.len() != items.len()
                || (0..found.len()).all(|place| {
                    items
                        .get(keys.value(place))
                        .is_some_and(|value| same(value, found.column(1).as_ref(), place))
                })
        }
        Value::Record(fields) => {
            let columns = array.as_struct().columns();
            columns.len() == fields.len()
                && columns.iter().zip(fields).all(|(column, (_, value))| same(value, column.as_ref(), row))
        }
        Value::BigDecimal(_) | Value::Duration(_) | Value::Uuid(_) => true,
    }
}
