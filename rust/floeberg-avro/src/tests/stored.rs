//! Stored bytes of neighbouring fields are those between the fields around them.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BinaryArray, StructArray};
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::{ErrorKind, Result};

use crate::testing::{file, long, prefixed, record};
use crate::{Container, FixedForm, Limits, Projection, StoredFields, decode, parse_schema};

const COUNT: &str = r#"{"name":"count","field-id":2,"type":"long"}"#;
const LIST: &str =
    r#"{"name":"list","field-id":3,"type":["null",{"type":"array","element-id":4,"items":"long"}]}"#;
const AROUND: &str = r#"{"name":"path","field-id":1,"type":"string"}"#;
const AFTER: &str = r#"{"name":"after","field-id":5,"type":"long"}"#;
/// No writer has it.
const STORED: i32 = -1;

/// The records of a file, with `count` and `after` as values, and `count` and `list` as bytes.
fn read(bytes: &[u8], limits: &Limits) -> Result<StructArray> {
    let like = parse_schema(record(&[COUNT, LIST].join(",")).as_bytes(), limits).unwrap();
    let inner = StructType {
        fields: vec![
            Field::optional(STORED, "stored", PrimitiveType::Binary),
            Field::optional(2, "count", PrimitiveType::Long),
            Field::optional(5, "after", PrimitiveType::Long),
        ],
    };
    let fields = [Field::optional(9, "inner", Type::Struct(inner))];
    let (keyed, stored) = (BTreeMap::new(), Some(StoredFields { into: STORED, like: &like }));
    let projection = Projection { fields: &fields, keyed: &keyed, fixed: FixedForm::Bare, stored };
    let container = Container::open(bytes, limits)?;
    decode(&container, &container.schema()?, &projection)
}

/// A schema of records with an optional record of these fields.
fn nested(fields: &[&str]) -> String {
    let inner = r#"{"type":"record","name":"inner","fields":["#.to_owned() + &fields.join(",") + "]}";
    record(&(r#"{"name":"inner","field-id":9,"type":["null","#.to_owned() + &inner + "]}"))
}

fn stored(rows: &StructArray) -> BinaryArray {
    rows.column(0).as_struct().column_by_name("stored").unwrap().as_binary::<i32>().clone()
}

#[test]
fn bytes_are_those_between_the_fields_around() {
    let lists = [
        long(0),
        [long(1), long(0)].concat(),
        [long(1), long(-2), long(2), long(7), long(8), long(0)].concat(),
    ];
    // First, in the middle, and last.
    for (before, after) in [(false, true), (true, true), (true, false)] {
        let fields = [before.then_some(AROUND), Some(COUNT), Some(LIST), after.then_some(AFTER)];
        let schema = nested(&fields.into_iter().flatten().collect::<Vec<_>>());
        let (mut data, mut expected) = (long(0), vec![None]);
        for (number, list) in lists.iter().enumerate() {
            let bytes = [long(300 + number as i64), list.clone()].concat();
            let path = if before { prefixed(b"path") } else { Vec::new() };
            let last = if after { long(number as i64) } else { Vec::new() };
            data.extend([long(1), path, bytes.clone(), last].concat());
            expected.push(Some(bytes));
        }
        let rows = read(&file(&schema, 4, &data), &Limits::default()).unwrap();
        let inner = rows.column(0).as_struct();
        let found = stored(&rows);
        let found: Vec<_> = found.iter().map(|bytes| bytes.map(<[u8]>::to_vec)).collect();
        assert_eq!(found, expected);
        let counts: Vec<_> = inner.column(1).as_primitive::<Int64Type>().iter().collect();
        assert_eq!(counts, [None, Some(300), Some(301), Some(302)]);
        let last: Vec<_> = inner.column(2).as_primitive::<Int64Type>().iter().collect();
        let known = |number| after.then_some(number);
        assert_eq!(last, [None, known(0), known(1), known(2)]);
    }
}

#[test]
fn a_record_with_other_fields_has_none() {
    let schema = nested(&[COUNT, AROUND, LIST]);
    let data = [long(1), long(5), prefixed(b"p"), long(0)].concat();
    let rows = read(&file(&schema, 1, &data), &Limits::default()).unwrap();
    assert_eq!(stored(&rows).null_count(), 1);
    // Nor does a writer's field with the id of the bytes become them.
    let own = r#"{"name":"own","field-id":-1,"type":"bytes"}"#;
    let rows =
        read(&file(&nested(&[own]), 1, &[long(1), prefixed(b"x")].concat()), &Limits::default()).unwrap();
    assert_eq!(stored(&rows).null_count(), 1);
}

#[test]
fn bytes_count_against_the_limit_and_damage_is_an_error() {
    let schema = nested(&[COUNT, LIST]);
    let items: Vec<u8> = (0..400_000).flat_map(|_| long(1)).collect();
    let list = [long(1), long(5), long(1), long(400_000), items, long(0)].concat();
    let many = file(&schema, 8, &list.repeat(8));
    read(&many, &Limits::default()).unwrap();
    let few = Limits { batch_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(read(&many, &few).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let whole = [long(1), long(5), long(1), long(2), long(7), long(8), long(0)].concat();
    for end in 0..whole.len() {
        let error = read(&file(&schema, 1, &whole[..end]), &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{end}: {error}");
    }
}
