use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, StringArray};
use proptest::prelude::*;

use crate::arrow_values::PartitionNumbers;
use crate::arrow_values::{from_array, values_to_array};
use crate::schema::{PrimitiveType, Type};
use crate::value::{PartitionKey, Value};

fn types() -> Vec<Type> {
    let names =
        ["int", "long", "date", "string", "double", "float", "boolean", "decimal(9,2)", "binary", "uuid"];
    let more = ["fixed[2]", "timestamp", "timestamp_ns", "time"];
    names.iter().chain(&more).map(|name| name.parse().unwrap()).collect()
}

/// Few values of each type, so that partitions repeat.
fn value(field_type: &Type, pick: u8) -> Option<Value> {
    use PrimitiveType as P;
    let small = i64::from(pick) - 2;
    let float = [f64::NAN, f64::from_bits(0xfff8_0000_0000_0001), -0.0, 0.0, 1.5][usize::from(pick) % 5];
    if pick == 5 {
        return None;
    }
    Some(match field_type.as_primitive().unwrap() {
        P::Int => Value::Int(small as i32),
        P::Long if pick == 0 => Value::Long(i64::MIN),
        P::Long if pick == 4 => Value::Long(i64::MAX),
        P::Long => Value::Long(small),
        P::Date => Value::Date(small as i32),
        P::String => Value::String(["", "a", "b", "ab", "a\0"][usize::from(pick) % 5].to_owned()),
        P::Double => Value::Double(float),
        P::Float => Value::Float(float as f32),
        P::Boolean => Value::Boolean(pick < 3),
        P::Decimal { scale, .. } => Value::Decimal { unscaled: small.into(), scale: *scale },
        P::Binary => Value::Binary(vec![pick; usize::from(pick)]),
        P::Uuid => Value::Uuid([pick; 16]),
        P::Fixed(_) => Value::Fixed(vec![pick; 2]),
        P::Timestamp => Value::Timestamp(small),
        P::TimestampNs => Value::TimestampNs(small),
        _ => Value::Time(small),
    })
}

proptest! {
    #[test]
    fn rows_have_one_number_exactly_where_their_keys_are_equal(
        chosen in prop::collection::vec(prop::sample::select(types()), 0..4),
        picks in prop::collection::vec(prop::collection::vec(0_u8..6, 4), 0..30),
    ) {
        let column = |(place, field_type): (usize, &Type)| {
            let values: Vec<_> = picks.iter().map(|picks| value(field_type, picks[place])).collect();
            let values: Vec<_> = values.iter().map(Option::as_ref).collect();
            values_to_array(&values, field_type).unwrap()
        };
        let arrays: Vec<ArrayRef> = chosen.iter().enumerate().map(column).collect();
        let columns: Vec<_> = arrays.iter().zip(chosen.iter().cloned()).collect();
        let found = PartitionNumbers::new(&columns, picks.len()).unwrap();
        let key = |row: usize| {
            let values: Vec<_> =
                columns.iter().map(|(array, field_type)| from_array(array, row, field_type).unwrap()).collect();
            PartitionKey::new(values.iter().map(Option::as_ref))
        };
        prop_assert_eq!(found.of.len(), picks.len());
        let mut seen: Vec<PartitionKey> = Vec::new();
        for (row, number) in found.of.iter().enumerate() {
            let key = key(row);
            if !seen.contains(&key) {
                prop_assert_eq!(found.rows[seen.len()], row);
                seen.push(key.clone());
            }
            prop_assert_eq!(&found.keys[*number as usize], &key);
            prop_assert_eq!(&seen[*number as usize], &key);
        }
        prop_assert_eq!(found.keys, seen);
    }
}

#[test]
fn numbers_are_given_in_the_order_of_the_first_row() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a"), Some("b"), None]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.0, 0.0, 0.0, -0.0, 0.0]));
    let columns = [(&texts, PrimitiveType::String.into()), (&floats, PrimitiveType::Double.into())];
    let found = PartitionNumbers::new(&columns, 5).unwrap();
    assert_eq!(found.of, [0, 1, 2, 3, 1]);
    assert_eq!(found.rows, [0, 1, 2, 3]);
}

#[test]
fn a_column_of_another_type_is_an_error() {
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    assert!(PartitionNumbers::new(&[(&ints, PrimitiveType::String.into())], 1).is_err());
}
