//! Shredded variants, put together again, and variants that a writer shreds.
//!
//! ```text
//! length of metadata u8 | length of value u8 | shape u8 | metadata | value | bytes of a shredded part
//! ```

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use floeberg_core::variant::{Layout, Shape};

use crate::judge::decoded;

/// A variant of one row, parts of which may have columns of their own.
pub(crate) fn variant(bytes: &[u8]) {
    let Some(([metadata, value, shape], rest)) = bytes.split_first_chunk::<3>() else { return };
    let Some((metadata, rest)) = rest.split_at_checked(usize::from(*metadata)) else { return };
    let Some((value, part)) = rest.split_at_checked(usize::from(*value)) else { return };
    // An empty value stands for one that is null.
    let value = (!value.is_empty()).then_some(value);
    let typed = match shape % 4 {
        0 => object_of_a_number(part),
        1 => object_of_a_value(part),
        2 => array_of_values(part),
        _ => object_of_an_object(part),
    };
    // Of what is not put together nothing may be assumed.
    shredded(metadata, value.unwrap_or_default());
    let Some((metadata, whole)) = put_together(metadata, value, typed) else { return };
    // What comes out is a whole variant: as a shredded field of that value it is taken as it is.
    let again = put_together(&metadata, None, array_of_values(&whole));
    assert!(
        again.is_some_and(|(_, again)| again.ends_with(&whole)),
        "a variant that is no variant: {whole:02x?}"
    );
    // Once it was shredded its fields are in order, and then it stays as it is.
    let Some(whole) = shredded(&metadata, &whole).and_then(|whole| shredded(&metadata, &whole)) else {
        return;
    };
    assert_eq!(
        shredded(&metadata, &whole).as_ref(),
        Some(&whole),
        "what is shredded becomes another variant"
    );
}

/// The value of a variant that was shredded as what it is and put together again; `None` where it is not shredded.
fn shredded(metadata: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let variants = group([("metadata", column(Some(metadata))), ("value", column(Some(value)))]);
    let shape = decoded(Shape::infer(std::slice::from_ref(&variants)))??;
    let stored = decoded(shape.shred(&variants))?.columns;
    let typed = stored.column(2).to_owned();
    let value = stored.column(1).as_any().downcast_ref::<BinaryArray>();
    let value = value.and_then(|value| value.iter().next().flatten());
    let whole = put_together(metadata, value, typed);
    Some(whole.expect("what a writer shreds can be read").1)
}

/// The variant of the only row; `None` where the bytes are none.
fn put_together(metadata: &[u8], value: Option<&[u8]>, typed: ArrayRef) -> Option<(Vec<u8>, Vec<u8>)> {
    let columns = [("metadata", column(Some(metadata))), ("value", column(value)), ("typed_value", typed)];
    let stored = group(columns);
    let layout = decoded(Layout::new(stored.fields()))?;
    let plain = ["metadata", "value"].map(|name| Field::new(name, DataType::Binary, false));
    let variants = decoded(layout.read(&stored, &Fields::from_iter(plain)))?;
    let bytes = |number: usize| {
        let bytes = variants.column(number).as_any().downcast_ref::<BinaryArray>();
        bytes.expect("the columns of a variant are bytes").value(0).to_vec()
    };
    Some((bytes(0), bytes(1)))
}

fn object_of_a_number(part: &[u8]) -> ArrayRef {
    let number = part.first_chunk::<8>().map(|bytes| i64::from_le_bytes(*bytes));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![number]));
    let value = part.get(8..).filter(|value| !value.is_empty());
    let field = group([("value", column(value)), ("typed_value", number)]);
    Arc::new(group([("a", Arc::new(field) as ArrayRef)]))
}

fn object_of_a_value(part: &[u8]) -> ArrayRef {
    Arc::new(group([("a", Arc::new(group([("value", column(Some(part)))])) as ArrayRef)]))
}

fn object_of_an_object(part: &[u8]) -> ArrayRef {
    Arc::new(group([("b", Arc::new(group([("typed_value", object_of_a_value(part))])) as ArrayRef)]))
}

fn array_of_values(part: &[u8]) -> ArrayRef {
    let elements = group([("value", column(Some(part)))]);
    let element = Arc::new(Field::new("element", elements.data_type().clone(), true));
    Arc::new(ListArray::new(element, OffsetBuffer::from_lengths([1]), Arc::new(elements), None))
}

fn column(bytes: Option<&[u8]>) -> ArrayRef {
    Arc::new(BinaryArray::from_iter([bytes]))
}

fn group<const N: usize>(columns: [(&str, ArrayRef); N]) -> StructArray {
    let named =
        columns.map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), true)), array));
    StructArray::from(named.to_vec())
}
