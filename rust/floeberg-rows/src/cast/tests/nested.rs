use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float32Array, Int16Array, Int64Array, RunArray,
    StringArray, StringViewArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::super::{cast_field, conform_batch};
use super::cast_to_column;
use super::{cast, refused};

fn lists() -> ArrayRef {
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_null();
    lists.append_value([Some(3), None]);
    Arc::new(lists.finish())
}

fn fixed(kind: DataType, size: i32) -> DataType {
    DataType::FixedSizeList(Arc::new(Field::new("item", kind, true)), size)
}

#[test]
fn lists_of_one_length_keep_their_nulls() {
    let to = fixed(DataType::Float32, 2);
    for given in [lists(), lists().slice(1, 2)] {
        let made = cast(&given, &to).unwrap();
        assert_eq!(made.data_type(), &to);
        assert_eq!(made.nulls(), given.nulls());
        let last = made.as_fixed_size_list().value(made.len() - 1);
        assert_eq!(last.as_ref(), &Float32Array::from(vec![Some(3.0), None]) as &dyn Array);
        let back = cast(&made, given.data_type()).unwrap();
        assert_eq!(&back, &given);
    }
    assert!(
        refused(&lists(), &fixed(DataType::Int64, 3))
            .contains("expected lists of 3 elements, found one of 2")
    );
    let mut none = FixedSizeListBuilder::new(Int64Builder::new(), 0);
    none.append(true);
    none.append(false);
    let none: ArrayRef = Arc::new(none.finish());
    assert_eq!(cast(&none, lists().data_type()).unwrap().null_count(), 1);
}

#[test]
fn runs_and_dictionaries_are_what_they_stand_for() {
    let texts = StringArray::from(vec![Some("a"), None]);
    let runs = RunArray::try_new(&Int16Array::from(vec![2, 5]), &texts).unwrap();
    let runs: ArrayRef = Arc::new(runs.slice(1, 3));
    let expected: ArrayRef = Arc::new(StringViewArray::from(vec![Some("a"), None, None]));
    assert_eq!(&cast(&runs, &DataType::Utf8View).unwrap(), &expected);
    let shared = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::LargeUtf8));
    let made = cast(&runs, &shared).unwrap();
    assert_eq!(made.data_type(), &shared);
    assert_eq!(&cast(&made, &DataType::Utf8View).unwrap(), &expected);
    let bools: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(true), Some(false)]));
    let shared = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Boolean));
    let made = cast(&bools, &shared).unwrap();
    assert_eq!(made.as_any_dictionary().values().len(), 2);
    assert_eq!(&cast(&made, &DataType::Boolean).unwrap(), &bools);
    let many: ArrayRef = Arc::new(Int64Array::from_iter_values(0..300));
    let shared = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Int64));
    assert!(refused(&many, &shared).contains("300 different values"));
}

#[test]
fn nothing_below_a_null_is_looked_at() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(1 << 40), None]));
    let field = Arc::new(Field::new("x", DataType::Int64, true));
    let nulls = NullBuffer::from(vec![true, false, false]);
    let hidden: ArrayRef = Arc::new(StructArray::new(
        Fields::from(vec![Arc::clone(&field)]),
        vec![Arc::clone(&numbers)],
        Some(nulls),
    ));
    let to = DataType::Struct(Fields::from(vec![
        Field::new("y", DataType::Utf8, true),
        Field::new("x", DataType::Int32, false),
    ]));
    let made = cast(&hidden, &to).unwrap();
    assert_eq!(made.as_struct().column(1).as_primitive::<Int32Type>().value(0), 1);
    let shown: ArrayRef = Arc::new(StructArray::new(Fields::from(vec![field]), vec![numbers], None));
    assert!(
        refused(&shown, &to)
            .contains("a new value of 'c.x' does not fit its type, int32: it is 1099511627776")
    );
    let error = cast_to_column(&shown.slice(2, 1), &Field::new("c", to, true)).unwrap_err();
    assert_eq!(error.message(), "the column 'c.x' is required, and a new value is null");
}

#[test]
fn a_null_of_a_required_column_has_its_row() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let error = cast_to_column(&values, &Field::new("c", DataType::Int64, false)).unwrap_err();
    assert_eq!(error.to_string(), "the column 'c' is required, and a new value is null (row: 1)");
}

#[test]
fn texts_and_bytes_become_uuids() {
    let to = Field::new("u", DataType::FixedSizeBinary(16), true)
        .with_metadata(HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["f79c3e09-677c-4bbd-a479-3f349cb785e7"]));
    let from = Field::new("u", DataType::Utf8, true);
    assert_eq!(cast_field("u", &text, &from, &to).unwrap().as_fixed_size_binary().value(0)[0], 0xf7);
    let wrong: ArrayRef = Arc::new(StringArray::from(vec!["f7"]));
    let message = cast_field("u", &wrong, &from, &to).unwrap_err().message().to_owned();
    assert!(
        message.contains("a new value of 'u' does not fit its type, uuid: it is not a uuid"),
        "{message}"
    );
}

#[test]
fn rows_get_the_columns_of_a_table() {
    let shared: DictionaryArray<Int64Type> = vec!["a", "b"].into_iter().collect();
    let given = arrow_array::RecordBatch::try_from_iter([
        ("s", Arc::new(shared) as ArrayRef),
        ("n", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
    ])
    .unwrap();
    let schema = Arc::new(arrow_schema::Schema::new(vec![
        Field::new("n", DataType::Float64, false),
        Field::new("missing", DataType::Int8, true),
        Field::new("s", DataType::Utf8, true),
    ]));
    let made = conform_batch(&given, &schema).unwrap();
    assert_eq!((made.schema(), made.num_rows(), made.column(1).null_count()), (schema, 2, 2));
}
