use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use crate::testing::{file, long, prefixed};
use crate::write::Encoder;
use crate::{
    Container, KnownFields, Limits, UnknownField, UnknownRow, UnknownValues, all_unknown_fields,
    unknown_values,
};

const KNOWN: KnownFields<'_> = KnownFields { fields: &[0, 2], holder: Some(2), of_holder: &[100, 102] };
const SCHEMA: &str = r#"{"type": "record", "name": "entry", "namespace": "ns", "fields": [
    {"name": "status", "type": "int", "field-id": 0},
    {"name": "plain", "type": "long", "field-id": 800, "default": 3, "doc": "d"},
    {"name": "file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [
        {"name": "path", "type": "string", "field-id": 100},
        {"name": "pair", "field-id": 900, "type": ["null", {"type": "record", "name": "r900", "fields": [
            {"name": "a", "type": {"type": "fixed", "name": "four", "size": 4}, "field-id": 901},
            {"name": "b", "type": ["string", "null"], "field-id": 902}]}], "default": null},
        {"name": "partition", "type": {"type": "record", "name": "r102", "fields": []}, "field-id": 102}]}},
    {"name": "either", "type": ["string", "int"], "field-id": 801},
    {"name": "last", "type": ["string", "null"], "field-id": 802},
    {"name": "again", "type": {"type": "array", "items": "ns.four"}, "field-id": 803}]}"#;

fn row(number: i64) -> Vec<u8> {
    let pair = match number {
        0 => long(0),
        _ => [long(1), b"abcd".to_vec(), long(0), prefixed(b"in")].concat(),
    };
    let last = if number == 0 { long(1) } else { [long(0), prefixed(b"z")].concat() };
    let items = [long(1), b"wxyz".to_vec(), long(0)].concat();
    [long(1), long(40 + number), prefixed(b"p"), pair, long(1), long(7 + number), last, items].concat()
}

fn sample() -> Vec<u8> {
    file(SCHEMA, 2, &[row(0), row(1)].concat())
}

fn read(bytes: &[u8]) -> floeberg_core::Result<Option<UnknownValues>> {
    let container = Container::open(bytes, &Limits::default())?;
    unknown_values(&container, &container.schema()?, KNOWN)
}

fn declared(fields: &[UnknownField]) -> Vec<Json> {
    let mut declared = vec![json!({"name": "last", "type": "int", "field-id": 0})];
    for field in fields {
        field.declare(&mut declared).unwrap();
    }
    declared.split_off(1)
}

fn bytes(row: Option<&UnknownRow>, field: &UnknownField) -> Vec<u8> {
    let mut out = Encoder::default();
    UnknownRow::put(row, field, &mut out);
    out.bytes().to_vec()
}

#[test]
fn values_and_declarations_stand_by_themselves() {
    let found = read(&sample()).unwrap().unwrap();
    let fields = found.fields();
    let held: Vec<bool> = fields.iter().map(|field| field.is_held).collect();
    assert_eq!(held, [false, true, false, false, false]);
    let declared = declared(fields);
    assert_eq!(
        declared[0],
        json!({"name": "plain", "type": ["null", "long"], "field-id": 800, "default": null, "doc": "d"})
    );
    assert_eq!(declared[1]["type"][1]["name"], "unknown_900_1");
    assert_eq!(
        declared[1]["type"][1]["fields"][0]["type"],
        json!({"type": "fixed", "name": "unknown_900_2", "size": 4})
    );
    assert_eq!(declared[2]["type"], json!(["null", "string", "int"]));
    // The name is taken, and null is not the first branch.
    assert_eq!(declared[3], json!({"name": "last_unknown", "type": ["string", "null"], "field-id": 802}));
    assert_eq!(
        declared[4]["type"],
        json!(["null", {"type": "array", "items": {"type": "fixed", "name": "unknown_803_1", "size": 4}}])
    );
    let (first, second) = (found.row(0).unwrap(), found.row(1).unwrap());
    assert!(found.row(2).is_none());
    let of = |row, number: usize| bytes(Some(row), &fields[number]);
    assert_eq!((of(&first, 0), of(&second, 0)), ([long(1), long(40)].concat(), [long(1), long(41)].concat()));
    assert_eq!(
        (of(&first, 1), of(&second, 1)),
        (long(0), [long(1), b"abcd".to_vec(), long(0), prefixed(b"in")].concat())
    );
    assert_eq!(of(&second, 2), [long(2), long(8)].concat());
    assert_eq!((of(&first, 3), of(&second, 3)), (long(1), [long(0), prefixed(b"z")].concat()));
    assert_eq!(of(&first, 4), [long(1), long(1), b"wxyz".to_vec(), long(0)].concat());
    // A record without the fields has nulls.
    let nulls: Vec<Vec<u8>> = fields.iter().map(|field| bytes(None, field)).collect();
    assert_eq!(nulls, [long(0), long(0), long(0), long(1), long(0)]);
    let only = found.clone().only([false, true]);
    assert_eq!((only.row(0), only.row(1)), (Some(second), None));
}

#[test]
fn what_was_declared_is_read_back_the_same() {
    let found = read(&sample()).unwrap().unwrap();
    let of = |is_held: bool| {
        let fields: Vec<_> =
            found.fields().iter().filter(|field| field.is_held == is_held).cloned().collect();
        let mut declared =
            vec![json!({"name": "x", "type": "int", "field-id": if is_held { 100 } else { 0 }})];
        for field in &fields {
            field.declare(&mut declared).unwrap();
        }
        (declared, fields)
    };
    let ((mut root, of_root), (held, of_held)) = (of(false), of(true));
    root.insert(
        1,
        json!({"name": "file", "field-id": 2, "type": {"type": "record", "name": "f", "fields": held}}),
    );
    let schema = json!({"type": "record", "name": "entry", "fields": root}).to_string();
    let rows = (0..2).map(|number| {
        let row = found.row(number);
        let put = |fields: &[UnknownField]| {
            fields.iter().flat_map(|field| bytes(row.as_ref(), field)).collect::<Vec<u8>>()
        };
        [long(1), long(5), put(&of_held), put(&of_root)].concat()
    });
    let again = file(&schema, 2, &rows.flatten().collect::<Vec<u8>>());
    let again = read(&again).unwrap().unwrap();
    let all = all_unknown_fields(found.fields(), again.fields()).unwrap();
    assert_eq!(all.len(), 5);
    for number in 0..2 {
        let (before, after) = (found.row(number).unwrap(), again.row(number).unwrap());
        assert!(after.fits(&all));
        for field in found.fields() {
            assert_eq!(bytes(Some(&before), field), bytes(Some(&after), field));
        }
    }
}

#[test]
fn a_field_of_one_id_has_one_type() {
    let of = |name: &str, declared: &str| {
        let schema = format!(
            r#"{{"type": "record", "name": "e", "fields": [{{"name": "s", "type": "int", "field-id": 0}},
            {{"name": "{name}", "type": {declared}, "field-id": 800}}]}}"#
        );
        let bytes = file(&schema, 0, &[]);
        read(&bytes).unwrap().unwrap().fields().to_vec()
    };
    let (long, text, other_name) =
        (of("n", "\"long\""), of("n", "\"string\""), of("m", "[\"null\", \"long\"]"));
    assert_eq!(all_unknown_fields(&long, &long).unwrap(), long);
    assert_eq!(all_unknown_fields(&long, &text), None);
    assert_eq!(all_unknown_fields(&long, &other_name), None);
    assert_eq!(all_unknown_fields(&[], &text).unwrap(), text);
}

#[test]
fn what_cannot_be_kept_is_none() {
    let known = r#"{"type": "record", "name": "e", "fields": [{"name": "s", "type": "int", "field-id": 0}]}"#;
    assert!(read(&file(known, 0, &[])).unwrap().is_none());
    // Without ids, nobody knows which field is which.
    let without_ids = r#"{"type": "record", "name": "e", "fields": [{"name": "s", "type": "int"}]}"#;
    assert!(read(&file(without_ids, 0, &[])).unwrap().is_none());
    // Two types of one name, and one that another field has.
    let two = r#"{"type": "record", "name": "e", "fields": [{"name": "s", "type": "int", "field-id": 0},
        {"name": "t", "field-id": 800, "type": {"type": "fixed", "name": "a.t", "size": 2}},
        {"name": "u", "field-id": 801, "type": {"type": "fixed", "name": "b.t", "size": 3}},
        {"name": "v", "field-id": 802, "type": "a.t"}]}"#;
    assert!(read(&file(two, 0, &[])).unwrap().is_none());
}

#[test]
fn damage_is_an_error() {
    let whole = sample();
    for end in whole.len() - 40..whole.len() {
        let error = read(&whole[..end]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::LimitExceeded), "{error}");
    }
}
