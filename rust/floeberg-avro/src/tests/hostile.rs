use arrow_array::Array;
use floeberg_core::schema::{Field, ListType, PrimitiveType, Type};
use floeberg_core::{Error, ErrorKind};

use super::read::{read, read_within};
use crate::Limits;
use crate::testing::{file, long, record};

const LIST: &str = r#"{"name":"l","type":{"type":"array","items":"null","element-id":2},"field-id":1}"#;
const LONGS: &str = r#"{"name":"l","type":{"type":"array","items":"long","element-id":2},"field-id":1}"#;

fn list_of(element: Field) -> Vec<Field> {
    vec![Field::required(1, "l", Type::List(Box::new(ListType { element })))]
}

fn refused(schema: &str, data: &[u8], fields: &[Field]) -> Error {
    let error = read(&file(&record(schema), 1, data), fields).unwrap_err();
    assert!(error.context().iter().any(|(key, _)| *key == "block_offset"), "{error}");
    error
}

#[test]
fn a_count_beyond_the_bytes_that_are_left_is_an_error() {
    let fields = list_of(Field::required(2, "element", PrimitiveType::Long));
    for wanted in [&fields[..], &[]] {
        for count in [3, 1 << 40, i64::MAX] {
            let error = refused(LONGS, &[long(count), vec![0, 0]].concat(), wanted);
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            assert!(error.message().contains("at most 2 values"), "{error}");
        }
    }
}

#[test]
fn a_negative_count_says_the_size_and_is_skipped_by_it() {
    let data = [long(-3), long(3), vec![2, 4, 6], long(0)].concat();
    let fields = list_of(Field::required(2, "element", PrimitiveType::Long));
    assert_eq!(read(&file(&record(LONGS), 1, &data), &fields).unwrap().len(), 1);
    assert_eq!(read(&file(&record(LONGS), 1, &data), &[]).unwrap().len(), 1);
    for size in [-1, 100, i64::MIN, i64::MAX] {
        let data = [long(-3), long(size), vec![2, 4, 6], long(0)].concat();
        assert!(refused(LONGS, &data, &fields).message().contains("a block of at most 4 bytes"));
    }
    assert_eq!(refused(LONGS, &long(i64::MIN), &[]).kind(), ErrorKind::InvalidData);
}

#[test]
fn values_without_bytes_are_counted_against_a_limit() {
    let limits = Limits { empty_values: 1000, ..Limits::default() };
    let fields = list_of(Field::optional(2, "element", PrimitiveType::Unknown));
    for wanted in [&fields[..], &[]] {
        let list = |count| file(&record(LIST), 1, &[long(count), long(0)].concat());
        assert!(read_within(&list(1000), wanted, &limits).is_ok());
        let error = read_within(&list(i64::MAX), wanted, &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    }
    let error = read_within(&file(&record(""), i64::MAX, &[]), &[], &limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn numbers_that_do_not_end_are_errors() {
    let schema = r#"{"name":"n","type":"long","field-id":1},{"name":"m","type":"long","field-id":2}"#;
    let endless = [0xff; 40];
    for id in [1, 2] {
        let fields = [Field::required(id, "n", PrimitiveType::Long)];
        let error = refused(schema, &endless, &fields);
        assert!(error.message().contains("at most 10 bytes"), "{error}");
    }
    assert!(refused(schema, &endless, &[]).message().contains("a long"));
    let too_big = [&[0xff; 9][..], &[2, 0]].concat();
    let fields = [Field::required(1, "n", PrimitiveType::Long)];
    assert!(refused(schema, &too_big, &fields).message().contains("64 bits"));
}

#[test]
fn a_value_longer_than_the_block_is_an_error_wanted_or_not() {
    let schema = r#"{"name":"s","type":"string","field-id":1}"#;
    for wanted in [vec![Field::required(1, "s", PrimitiveType::String)], vec![]] {
        for length in [1, i64::MAX, -1, i64::MIN] {
            let error = refused(schema, &long(length), &wanted);
            assert!(error.message().contains("offset 0: expected a length of at most 0"), "{error}");
        }
    }
    let text = [Field::required(1, "s", PrimitiveType::String)];
    let error = read(&file(&record(schema), 1, &[2, 0xff]), &text).unwrap_err();
    assert!(error.message().contains("UTF-8"), "{error}");
}

#[test]
fn a_branch_that_a_union_does_not_have_is_an_error() {
    let schema = r#"{"name":"n","type":["null","long"],"field-id":1}"#;
    for wanted in [vec![Field::optional(1, "n", PrimitiveType::Long)], vec![]] {
        for branch in [2, -1, i64::MAX] {
            let error = refused(schema, &long(branch), &wanted);
            assert!(error.message().contains("union"), "{error}");
        }
    }
}

#[test]
fn a_type_that_contains_itself_is_refused_when_it_is_walked() {
    let json =
        r#"{"type":"record","name":"node","fields":[{"name":"next","type":["null","node"],"field-id":1}]}"#;
    let error = read(&file(json, 1, &[0]), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.message().contains("contains itself"), "{error}");
}

#[test]
fn a_schema_that_doubles_at_every_level_is_refused() {
    let mut fields = r#"{"name":"f0","type":{"type":"record","name":"t0","fields":[]}}"#.to_owned();
    for level in 1..40 {
        let half = format!(r#"{{"name":"a","type":"t{}"}}"#, level - 1);
        let other = half.replace(r#""a""#, r#""b""#);
        let json = format!(r#"{{"type":"record","name":"t{level}","fields":[{half},{other}]}}"#);
        fields = format!(r#"{fields},{{"name":"f{level}","type":{json}}}"#);
    }
    let error = read(&file(&record(&fields), 1, &[]), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn nulls_that_take_more_memory_than_the_file_has_are_limited() {
    let json = r#"{"name":"f","type":["null",{"type":"fixed","name":"x","size":60000}],"field-id":1}"#;
    let nulls = file(&record(json), 4000, &[0; 4000]);
    let limits = Limits { batch_bytes: 50 << 20, ..Limits::default() };
    let wanted = |id, length| vec![Field::optional(id, "f", PrimitiveType::Fixed(length))];
    for (limits, id, length) in [(limits, 1, 60_000), (limits, 2, 1 << 30)] {
        let error = read_within(&nulls, &wanted(id, length), &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    }
    let huge = json.replace("60000", "2000000000");
    let error = read(&file(&record(&huge), 1, &[0]), &wanted(1, 2_000_000_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn a_block_of_items_that_does_not_take_the_bytes_it_says_is_an_error_where_it_is_read() {
    let fields = list_of(Field::required(2, "element", PrimitiveType::Long));
    for (size, items) in [(2, vec![2, 4, 6]), (4, vec![2, 4, 6, 0])] {
        let data = [long(-3), long(size), items, long(0)].concat();
        let error = refused(LONGS, &data, &fields);
        assert!(error.message().contains("found items that take 3"), "{error}");
    }
}

#[test]
fn memory_is_measured_within_a_record() {
    let json = r#"{"name":"l","type":{"type":"array","items":["null",{"type":"fixed","name":"x","size":60000}],
        "element-id":2},"field-id":1}"#;
    let fields = list_of(Field::optional(2, "element", PrimitiveType::Fixed(60_000)));
    let nulls =
        |count: i64| file(&record(json), 1, &[long(count), vec![0; count as usize], long(0)].concat());
    let limits = Limits { batch_bytes: 5 << 20, ..Limits::default() };
    assert!(read_within(&nulls(50), &fields, &limits).is_ok());
    let error = read_within(&nulls(200), &fields, &limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}
