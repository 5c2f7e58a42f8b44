use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::StructArray;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::Result;
use floeberg_core::schema::{Field, MapType, PrimitiveType, StructType, Type};

use super::read::read;
use crate::testing::{block, file, header, long, prefixed, record};
use crate::{Container, Decoder, FixedForm, Limits, Projection, decode};

const MAP: &str = r#"{"name":"m","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"kv","fields":[
    {"name":"key","type":"int","field-id":2},{"name":"value","type":"bytes","field-id":3}]}}],"field-id":1}"#;

fn bounds() -> Field {
    let key = Field::required(2, "key", PrimitiveType::Int);
    let value = Field::optional(3, "value", PrimitiveType::Binary);
    Field::optional(1, "m", Type::Map(Box::new(MapType { key, value })))
}

fn pairs(pairs: &[(i64, &str)]) -> Vec<u8> {
    let pairs: Vec<u8> =
        pairs.iter().flat_map(|(key, value)| [long(*key), prefixed(value.as_bytes())].concat()).collect();
    pairs
}

fn keyed(bytes: &[u8], field: Field, keys: &[i32]) -> Result<StructArray> {
    let keyed = BTreeMap::from([(1, keys.to_vec())]);
    let projection = Projection { fields: &[field], keyed: &keyed, fixed: FixedForm::Bare, stored: None };
    let container = Container::open(bytes, &Limits::default())?;
    decode(&container, &container.schema()?, &projection)
}

fn texts(rows: &StructArray, key: &str) -> Vec<Option<String>> {
    let column = rows.column(0).as_struct().column_by_name(key).unwrap().as_binary::<i32>();
    column.iter().map(|value| value.map(|value| String::from_utf8(value.to_vec()).unwrap())).collect()
}

#[test]
fn wanted_keys_of_a_map_become_columns() {
    let first =
        [long(1), long(2), pairs(&[(5, "five"), (9, "nine")]), long(1), pairs(&[(7, "seven")]), long(0)]
            .concat();
    let null = long(0);
    let other = [long(1), long(-1), long(3), pairs(&[(7, "x")]), long(0)].concat();
    let empty = [long(1), long(0)].concat();
    let bytes = file(&record(MAP), 4, &[first, null, other, empty].concat());
    let rows = keyed(&bytes, bounds(), &[5, 7, 8]).unwrap();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts(&rows, "5"), [some("five"), None, None, None]);
    assert_eq!(texts(&rows, "7"), [some("seven"), None, some("x"), None]);
    assert_eq!(texts(&rows, "8"), [None, None, None, None]);
}

#[test]
fn a_key_that_a_map_has_twice_is_an_error() {
    let twice = [long(1), long(2), pairs(&[(5, "a"), (5, "b")]), long(0)].concat();
    let bytes = file(&record(MAP), 1, &twice);
    assert!(keyed(&bytes, bounds(), &[5]).unwrap_err().message().contains("the key 5 once"));
    assert!(keyed(&bytes, bounds(), &[6]).is_ok(), "nobody asked for it");
}

#[test]
fn a_map_that_the_file_does_not_have_is_null_for_every_key() {
    let schema = record(r#"{"name":"n","type":"long","field-id":9}"#);
    let rows = keyed(&file(&schema, 2, &[0, 0]), bounds(), &[5]).unwrap();
    assert_eq!(texts(&rows, "5"), [None, None]);
}

#[test]
fn an_optional_record_gives_its_children_nulls() {
    let schema = record(
        r#"{"name":"s","type":["null",{"type":"record","name":"inner","fields":[
            {"name":"a","type":"long","field-id":2},{"name":"l","type":{"type":"array","items":"long","element-id":4},"field-id":3}]}],"field-id":1}"#,
    );
    let list = Type::List(Box::new(floeberg_core::schema::ListType {
        element: Field::required(4, "element", PrimitiveType::Long),
    }));
    let inner = StructType {
        fields: vec![Field::optional(3, "l", list), Field::optional(2, "a", PrimitiveType::Long)],
    };
    let data = [vec![2], long(5), long(1), long(8), long(0), vec![0], vec![2], long(6), long(0)].concat();
    let rows = read(&file(&schema, 3, &data), &[Field::optional(1, "s", Type::Struct(inner))]).unwrap();
    let inner = rows.column(0).as_struct();
    assert_eq!((0..3).map(|row| inner.is_null(row)).collect::<Vec<bool>>(), [false, true, false]);
    let a: Vec<Option<i64>> = inner.column(1).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(a, [Some(5), None, Some(6)]);
    let lengths: Vec<Option<i32>> = (0..3)
        .map(|row| inner.column(0).is_valid(row).then(|| inner.column(0).as_list::<i32>().value_length(row)))
        .collect();
    assert_eq!(lengths, [Some(1), None, Some(0)]);
}

#[test]
fn a_file_without_ids_is_read_by_names() {
    let schema = record(r#"{"name":"a","type":"long"},{"name":"b","type":"long"}"#);
    let fields = [Field::required(1, "b", PrimitiveType::Long), Field::optional(2, "c", PrimitiveType::Long)];
    let rows = read(&file(&schema, 1, &[2, 4]), &fields).unwrap();
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().value(0), 2);
    assert_eq!(rows.column(1).null_count(), 1);
}

#[test]
fn names_do_not_count_in_a_file_that_has_ids() {
    let schema = record(r#"{"name":"a","type":"long","field-id":1},{"name":"b","type":"long","field-id":2}"#);
    let fields = [Field::optional(2, "a", PrimitiveType::Long), Field::optional(3, "b", PrimitiveType::Long)];
    let rows = read(&file(&schema, 1, &[2, 4]), &fields).unwrap();
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().value(0), 2);
    assert_eq!(rows.column(1).null_count(), 1);
}

#[test]
fn a_required_field_must_be_there_and_not_null() {
    let schema = record(r#"{"name":"a","type":["null","long"],"field-id":1}"#);
    let error = read(&file(&schema, 1, &[0]), &[Field::required(1, "a", PrimitiveType::Long)]).unwrap_err();
    assert!(error.to_string().contains("found null (field: 1: a"), "{error}");
    let error = read(&file(&schema, 1, &[0]), &[Field::required(7, "z", PrimitiveType::Long)]).unwrap_err();
    assert!(error.to_string().contains("7: z"), "{error}");
}

#[test]
fn a_field_id_that_stands_twice_is_an_error() {
    let schema = record(r#"{"name":"a","type":"long","field-id":1},{"name":"b","type":"long","field-id":1}"#);
    assert!(read(&file(&schema, 1, &[2, 4]), &[Field::optional(1, "a", PrimitiveType::Long)]).is_err());
}

#[test]
fn a_decoder_gives_what_it_has_gathered_and_goes_on() {
    let bytes = [header(&record(MAP), "null"), block(1, &[0]), block(1, &[2, 2, 10, 2, 120, 0])].concat();
    let container = Container::open(&bytes, &Limits::default()).unwrap();
    let keyed = BTreeMap::from([(1, vec![5])]);
    let projection = Projection { fields: &[bounds()], keyed: &keyed, fixed: FixedForm::Bare, stored: None };
    let mut decoder = Decoder::new(&container.schema().unwrap(), &projection, container.limits()).unwrap();
    let mut blocks = container.blocks();
    for expected in [None, Some("x".to_owned())] {
        decoder.push(&blocks.next_block().unwrap().unwrap()).unwrap();
        assert_eq!(decoder.rows(), 1);
        assert_eq!(texts(&decoder.finish().unwrap(), "5"), [expected]);
    }
    assert!(decoder.finish().unwrap().is_empty());
}

#[test]
fn a_column_of_unknown_type_is_null_whatever_the_file_holds() {
    for (avro_type, data) in [(r#""null""#, &[][..]), (r#""long""#, &[2])] {
        let schema = record(&format!(
            r#"{{"name":"u","type":{avro_type},"field-id":1}},{{"name":"n","type":"long","field-id":2}}"#
        ));
        let data = [data, &long(5)].concat();
        let fields =
            [Field::optional(1, "u", PrimitiveType::Unknown), Field::required(2, "n", PrimitiveType::Long)];
        let rows = read(&file(&schema, 1, &data), &fields).unwrap();
        assert_eq!(rows.column(0).data_type(), &arrow_schema::DataType::Null);
        assert_eq!(rows.column(1).as_primitive::<Int64Type>().value(0), 5);
    }
}
