#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int32Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray,
};
use arrow_schema::{Field as ArrowField, Schema as ArrowSchema};
use proptest::prelude::*;

use crate::expr::sample::{batch, expr, get, row, schema, two_valued};
use crate::expr::{bind, evaluate_batch, evaluate_row, evaluate_rows, parse};
use crate::schema::{Field, PrimitiveType, Schema};
use crate::value::Value;

proptest! {
    #[test]
    fn a_batch_matches_where_its_rows_do(expr in expr(true), rows in prop::collection::vec(row(), 0..20)) {
        let bound = bind(&expr, &schema(), true).unwrap();
        let mask = evaluate_batch(&bound, &batch(&rows)).unwrap();
        prop_assert_eq!(mask.null_count(), 0);
        for (row, matches) in rows.iter().zip(mask.values().iter()) {
            prop_assert_eq!(matches, two_valued(&expr, row), "{} {:?}", bound, row);
            prop_assert_eq!(matches, evaluate_row(&bound, &|id| get(row, id)).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_transform_of_a_column_is_tested_as_of_a_row(rows in prop::collection::vec(row(), 1..20), number in -3_i32..3) {
        let terms = [
            "bucket(2, i)", "bucket(3, l)", "truncate(5, i)", "truncate(5, l)", "truncate(50, dec)", "bucket(2, s)",
            "year(dt)", "month(dt)", "month(ts)", "hour(ts)", "day(dt)", "day(ts)", "bucket(2, dt)", "bucket(2, st.a)",
        ];
        for term in terms {
            for op in ["<=", "!=", "="] {
                let bound = bind(&parse(&format!("{term} {op} {number}")).unwrap(), &schema(), true).unwrap();
                let mask = evaluate_batch(&bound, &batch(&rows)).unwrap();
                for (row, matches) in rows.iter().zip(mask.values().iter()) {
                    prop_assert_eq!(matches, evaluate_row(&bound, &|id| get(row, id)).unwrap(), "{} {:?}", bound, row);
                }
            }
        }
    }
}

#[test]
fn a_transform_sees_through_a_dictionary() {
    let texts = [Some("abc"), None, Some("b")];
    let form: ArrayRef =
        Arc::new(texts.into_iter().collect::<DictionaryArray<arrow_array::types::Int8Type>>());
    assert_eq!(matching(form, PrimitiveType::String, "truncate(2, c) = 'ab'"), [true, false, false]);
}

fn matching(array: ArrayRef, field_type: PrimitiveType, sql: &str) -> Vec<bool> {
    let id = HashMap::from([("PARQUET:field_id".to_owned(), "7".to_owned())]);
    let field = ArrowField::new("renamed", array.data_type().clone(), true).with_metadata(id);
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![array]).unwrap();
    let schema = Schema::new(0, vec![Field::optional(7, "c", field_type)]).unwrap();
    let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap();
    evaluate_batch(&bound, &batch).unwrap().values().iter().collect()
}

#[test]
fn other_arrow_forms_of_a_type_are_read() {
    let texts = [Some("ab"), None, Some("b")];
    let forms: [ArrayRef; 4] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(texts.into_iter().collect::<DictionaryArray<arrow_array::types::Int8Type>>()),
    ];
    for form in forms {
        for (sql, expected) in [
            ("c LIKE 'a%'", [true, false, false]),
            ("c = 'b'", [false, false, true]),
            ("c != 'b'", [true, false, false]),
            ("c IS NULL", [false, true, false]),
            ("c IN ('b', 'z')", [false, false, true]),
        ] {
            assert_eq!(
                matching(form.clone(), PrimitiveType::String, sql),
                expected,
                "{sql} {}",
                form.data_type()
            );
        }
    }
    let narrow: ArrayRef = Arc::new(Int32Array::from(vec![1, 5]));
    assert_eq!(matching(narrow, PrimitiveType::Long, "c > 3"), [false, true]);
    let millis: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0, 1]).with_timezone("UTC"));
    assert_eq!(matching(millis, PrimitiveType::Timestamptz, "c > 0"), [false, true]);
    let uuid: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[0_u8; 16], [255; 16]].into_iter()).unwrap());
    assert_eq!(
        matching(uuid, PrimitiveType::Uuid, "c > '7fffffff-0000-0000-0000-000000000000'"),
        [false, true]
    );
    let bytes: ArrayRef = Arc::new(BinaryViewArray::from(vec![&[1_u8][..], &[255]]));
    assert_eq!(matching(bytes, PrimitiveType::Binary, "c >= X'ff'"), [false, true]);
    assert_eq!(matching(Arc::new(NullArray::new(2)), PrimitiveType::Int, "c = 1 OR c IS NULL"), [true, true]);
}

#[test]
fn a_set_of_any_size_is_searched() {
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let set: Vec<String> =
        (0..1000).filter(|number| number % 3 == 0).map(|number| number.to_string()).collect();
    let matches = matching(values, PrimitiveType::Long, &format!("c IN ({})", set.join(", ")));
    assert!(matches.iter().enumerate().all(|(number, found)| *found == (number % 3 == 0)));
}

#[test]
fn a_column_that_is_not_there_or_of_another_kind_is_an_error() {
    let bound = bind(&parse("i = 1").unwrap(), &schema(), true).unwrap();
    let empty = RecordBatch::new_empty(Arc::new(ArrowSchema::empty()));
    let message = evaluate_batch(&bound, &empty).unwrap_err().to_string();
    assert!(message.contains("no column \"i\" (field id 1)"), "{message}");
    let message = evaluate_row(&bound, &|_| Some(Value::Long(1))).unwrap_err().to_string();
    assert!(message.contains("column \"i\" of type int"), "{message}");
}

fn numbers(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

#[test]
fn a_condition_is_computed_for_the_rows_that_are_asked() {
    let values = [Some(0), Some(2), None, Some(3)];
    let of = |sql: &str| matching(numbers(&values), PrimitiveType::Int, sql);
    assert_eq!(of("6 / c > 2 AND c <> 0"), [false, true, false, false]);
    assert_eq!(of("c = 0 OR 6 / c > 2"), [true, true, false, false]);
    assert_eq!(of("c <> 0 AND (6 / c = 2 OR NOT 6 / c > 2)"), [false, false, false, true]);
    assert_eq!(of("c IS NULL OR (c = 0 OR 6 / c < 3)"), [true, false, true, true]);
    assert_eq!(of("NOT c + 1 > 3"), [true, true, false, false]);
}

#[test]
fn what_cannot_be_computed_says_where() {
    let id = HashMap::from([("PARQUET:field_id".to_owned(), "7".to_owned())]);
    let field = ArrowField::new("c", arrow_schema::DataType::Int64, true).with_metadata(id);
    let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(0), None, Some(i64::MAX)]));
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![array]).unwrap();
    let schema = Schema::new(0, vec![Field::optional(7, "c", PrimitiveType::Long)]).unwrap();
    let bound = |sql: &str| bind(&parse(sql).unwrap(), &schema, true).unwrap();
    let error = evaluate_batch(&bound("c IS NULL OR 1 < 2 * (c + 1)"), &batch).unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::InvalidInput);
    let said = error.message();
    assert!(
        said.starts_with("the SQL expression \"1 < 2 * (c + 1)\" cannot be computed: overflow: "),
        "{said}"
    );
    assert!(said.ends_with(", in \"c + 1\" at position 10"), "{said}");
    let error = evaluate_batch(&bound("6 / c > 2"), &batch).unwrap_err();
    assert!(error.message().contains("divide by zero, in \"6 / c\" at position 1"), "{error}");
    let live = arrow_buffer::BooleanBuffer::from(vec![false, true, true]);
    let found = evaluate_rows(&bound("6 / c < 2"), &batch, Some(&live)).unwrap();
    assert_eq!((found.value(1), found.value(2)), (false, true));
}

#[test]
fn a_condition_sees_the_types_of_the_table() {
    // The file has what the column was before it was promoted, and 2147483647 + 1 is no int.
    assert_eq!(matching(numbers(&[Some(i32::MAX)]), PrimitiveType::Long, "c + 1 = 2147483648"), [true]);
    let texts = [Some("ab"), None, Some("b")];
    let forms: [ArrayRef; 3] = [
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(texts.into_iter().collect::<DictionaryArray<arrow_array::types::Int8Type>>()),
    ];
    for form in forms {
        assert_eq!(matching(form, PrimitiveType::String, "upper(c) = 'AB'"), [true, false, false]);
    }
    let nothing: ArrayRef = Arc::new(NullArray::new(2));
    assert_eq!(matching(nothing, PrimitiveType::Int, "c + 1 = 1 OR c * 2 IS NULL"), [true, true]);
}
