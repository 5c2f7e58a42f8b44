//! Bounds that are not simply those of the column's type.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, BinaryArray, Int64Array, MapArray, StructArray};
use floeberg_core::schema::{Field, PrimitiveType as P, Schema};

use super::data_file::decoded;
use crate::inspect::readable_metrics::ReadableMetrics;
use crate::manifest::EntryMetrics;

fn longs(pairs: &[(i32, i64)]) -> MapArray {
    let values = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|(_, value)| *value)));
    decoded(pairs.iter().map(|(key, _)| *key).collect(), values, vec![pairs.len()], vec![true])
}

fn bytes(pairs: &[(i32, &[u8])]) -> MapArray {
    let values = Arc::new(BinaryArray::from_iter_values(pairs.iter().map(|(_, value)| *value)));
    decoded(pairs.iter().map(|(key, _)| *key).collect(), values, vec![pairs.len()], vec![true])
}

/// The metrics of one file, of columns 1, 2, .. of these types, that are named `c1`, `c2`, ..
fn metrics(
    types: &[P],
    counts: &[(i32, i64)],
    lower: &[(i32, &[u8])],
    upper: &[(i32, &[u8])],
) -> StructArray {
    let fields =
        (1..).zip(types).map(|(id, field_type)| Field::optional(id, format!("c{id}"), field_type.clone()));
    let schema = Schema::new(0, fields.collect()).unwrap();
    let written = EntryMetrics {
        column_sizes: longs(&[]),
        value_counts: longs(counts),
        null_value_counts: longs(&[]),
        nan_value_counts: longs(&[]),
        lower_bounds: bytes(lower),
        upper_bounds: bytes(upper),
    };
    ReadableMetrics::new(&schema, 145).unwrap().column(&written).unwrap()
}

fn bound<'a>(metrics: &'a StructArray, column: &str, name: &str) -> &'a Arc<dyn Array> {
    metrics.column_by_name(column).unwrap().as_struct().column_by_name(name).unwrap()
}

#[test]
fn what_was_written_before_a_promotion_is_shown_in_the_type_of_now() {
    let types = [P::Long, P::Double, P::Decimal { precision: 20, scale: 2 }, P::Timestamp];
    let lower: [(i32, &[u8]); 4] =
        [(1, &[0xfe, 0xff, 0xff, 0xff]), (2, &1.5_f32.to_le_bytes()), (3, &[0xff]), (4, &[1, 0, 0, 0])];
    let shown = metrics(&types, &[], &lower, &[]);
    assert_eq!(bound(&shown, "c1", "lower_bound").as_primitive::<Int64Type>().value(0), -2);
    let double = bound(&shown, "c2", "lower_bound").as_primitive::<arrow_array::types::Float64Type>();
    assert_eq!(double.value(0), 1.5);
    let decimal = bound(&shown, "c3", "lower_bound").as_primitive::<arrow_array::types::Decimal128Type>();
    assert_eq!(decimal.value(0), -1);
    // Java takes the days for microseconds.
    let moment = bound(&shown, "c4", "lower_bound").as_primitive::<TimestampMicrosecondType>();
    assert_eq!(moment.value(0), 86_400_000_000);
}

#[test]
fn a_bound_that_is_none_of_its_type_is_null() {
    let types = [P::Int, P::String, P::Fixed(4), P::Uuid, P::Unknown, P::Boolean, P::Geometry { crs: None }];
    let lower: [(i32, &[u8]); 7] = [
        (1, &[1, 2, 3]),
        (2, &[0xff, 0xfe]),
        (3, &[1, 2]),
        (4, &[0; 15]),
        (5, &[1]),
        (6, &[]),
        (7, &[0; 17]),
    ];
    let shown = metrics(&types, &[], &lower, &[(99, &[1])]);
    for column in 1..=7 {
        for name in ["lower_bound", "upper_bound"] {
            let values = bound(&shown, &format!("c{column}"), name);
            assert_eq!((values.len(), values.logical_null_count()), (1, 1), "c{column} {name}");
        }
    }
}

#[test]
fn the_bounds_of_a_geometry_are_points_as_its_values_are() {
    let doubles = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let geometry = || P::Geometry { crs: None };
    let types = [geometry(), geometry(), geometry(), geometry()];
    let bounds = [
        doubles(&[1., 2.]),
        doubles(&[1., 2., 3.]),
        doubles(&[1., 2., f64::NAN, 4.]),
        doubles(&[1., 2., 3., 4.]),
    ];
    let lower: Vec<(i32, &[u8])> = (1..).zip(bounds.iter().map(Vec::as_slice)).collect();
    let shown = metrics(&types, &[], &lower, &[]);
    let expected = [
        (1, doubles(&[1., 2.])),
        (1001, doubles(&[1., 2., 3.])),
        (2001, doubles(&[1., 2., 4.])),
        (3001, doubles(&[1., 2., 3., 4.])),
    ];
    for (column, (kind, coordinates)) in (1..).zip(expected) {
        let found = bound(&shown, &format!("c{column}"), "lower_bound").as_binary::<i32>();
        assert_eq!(found.value(0), [vec![1], u32::to_le_bytes(kind).to_vec(), coordinates].concat());
    }
}

#[test]
fn of_a_column_that_stands_twice_the_later_count_is_shown_and_of_an_absent_one_none() {
    let shown = metrics(&[P::Int, P::Int], &[(1, 5), (1, 6)], &[], &[]);
    let counts = |column| bound(&shown, column, "value_count").as_primitive::<Int64Type>();
    assert_eq!(counts("c1").value(0), 6);
    assert!(counts("c2").is_null(0));
}
