use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};

use super::super::mismatch::{field_mismatches, mismatches};
use super::super::{plain_schema, type_name};

fn list(kind: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", kind, true)))
}

fn column(kind: DataType) -> Field {
    Field::new("a", kind, true)
}

#[test]
fn what_does_not_fit_has_its_full_name() {
    let (texts, numbers) = (column(list(DataType::Utf8)), column(list(DataType::Int32)));
    let wrong = mismatches(&texts, &numbers);
    assert_eq!(wrong, ["column 'a.element' is of type int32, found string: convert them first"]);
    let zoned = column(DataType::Timestamp(TimeUnit::Second, Some("UTC".into())));
    let local = column(DataType::Timestamp(TimeUnit::Second, None));
    assert_eq!(mismatches(&zoned, &local).len(), 1);
    assert!(mismatches(&column(list(DataType::Null)), &numbers).is_empty());
    let other = |name: &str| {
        column(DataType::Utf8)
            .with_metadata(HashMap::from([("ARROW:extension:name".to_owned(), name.to_owned())]))
    };
    assert_eq!(
        mismatches(&other("x.one"), &other("x.two")),
        ["column 'a' is of type extension<x.two>, found extension<x.one>: convert them first"]
    );
    assert!(mismatches(&column(DataType::LargeUtf8), &other("x.two")).is_empty());
}

#[test]
fn columns_of_rows_are_found_by_their_names() {
    let wanted =
        Fields::from(vec![Field::new("f", DataType::Int8, false), Field::new("g", DataType::Int8, true)]);
    let found = Fields::from(vec![
        Field::new("F", DataType::Int8, true),
        Field::new("no", DataType::Int8, true),
        Field::new("g", DataType::Int8, true),
        Field::new("g", DataType::Utf8, true),
    ]);
    assert_eq!(
        field_mismatches(&found, &wanted),
        [
            "the rows have two columns 'g'",
            "the table has no column 'F', which has 'f': rename it",
            "the table has no column 'no', its columns are 'f', 'g'",
            "column 'g' is of type int8, found string: convert them first",
            "column 'f' is required, and the rows do not have it",
        ]
    );
}

#[test]
fn types_have_the_names_of_pyarrow() {
    let nested = DataType::Struct(Fields::from(vec![
        Field::new("x", list(DataType::Int32), false),
        Field::new("y", DataType::Date32, true),
    ]));
    assert_eq!(type_name(&nested), "struct<x: list<item: int32> not null, y: date32[day]>");
}

#[test]
fn plain_columns_have_no_views_and_runs() {
    let shared = |values| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values));
    let fixed = |kind| DataType::FixedSizeList(Arc::new(Field::new("item", kind, true)), 2);
    let given = Schema::new(vec![
        Field::new("a", DataType::ListView(Arc::new(Field::new("item", DataType::Utf8View, true))), true),
        Field::new("b", shared(DataType::Utf8View), true),
        Field::new("c", fixed(DataType::Utf8), true),
        Field::new("d", fixed(DataType::Float32), true),
        Field::new("e", shared(DataType::Date32), true),
        Field::new("f", DataType::Decimal64(9, 2), true),
    ]);
    let kinds = |keeps| -> Vec<DataType> {
        plain_schema(&given, keeps).fields().iter().map(|field| field.data_type().clone()).collect()
    };
    let mut plain = vec![
        list(DataType::LargeUtf8),
        DataType::LargeUtf8,
        list(DataType::Utf8),
        fixed(DataType::Float32),
        DataType::Date32,
        DataType::Decimal128(9, 2),
    ];
    assert_eq!(kinds(false), plain);
    plain[1] = shared(DataType::LargeUtf8);
    assert_eq!(kinds(true), plain);
}
