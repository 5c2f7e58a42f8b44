//! Maps of metrics as writers may have left them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field as ArrowField, Fields};
use floeberg_core::schema::PrimitiveType as P;

use crate::inspect::data_file::{map, with_values};

/// A map an entry, whose values may be missing: what the decoder gives.
pub(super) fn decoded(keys: Vec<i32>, values: ArrayRef, lengths: Vec<usize>, valid: Vec<bool>) -> MapArray {
    let fields = Fields::from(vec![
        ArrowField::new("key", DataType::Int32, false),
        ArrowField::new("value", values.data_type().clone(), true),
    ]);
    let pairs = StructArray::new(fields.clone(), vec![Arc::new(Int32Array::from(keys)), values], None);
    let field = Arc::new(ArrowField::new("key_value", DataType::Struct(fields), false));
    MapArray::new(field, OffsetBuffer::from_lengths(lengths), pairs, Some(NullBuffer::from(valid)), false)
}

#[test]
fn pairs_without_a_value_are_left_out() {
    let values = Arc::new(Int64Array::from(vec![Some(10), None, Some(30), None]));
    let written = decoded(vec![1, 2, 1, 2], values, vec![2, 0, 1, 1], vec![true, false, true, true]);
    let shown = with_values(&written, &map(117, 118, P::Long)).unwrap();
    let values = Arc::new(Int64Array::from(vec![10, 30]));
    let expected = decoded(vec![1, 1], values, vec![1, 0, 1, 0], vec![true, false, true, true]);
    assert_eq!(shown.keys(), expected.keys());
    assert_eq!(shown.values(), expected.values());
    assert_eq!(shown.offsets(), expected.offsets());
    assert_eq!(shown.nulls(), expected.nulls());
    let DataType::Map(pair, _) = shown.data_type().clone() else { panic!("no map") };
    let DataType::Struct(fields) = pair.data_type() else { panic!("no pairs") };
    assert!(!fields[1].is_nullable());
}
