//! Random schemas and records, encoded by apache-avro and decoded by us.

use apache_avro::Schema;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, StructArray};
use bytes::Bytes;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};
use proptest::prelude::*;

use super::read::read;
use crate::testing::{block, header};
use crate::{Container, Enough, Limits, Records, Taken, arrow_fields};

/// A type that a random schema may have.
#[derive(Debug, Clone)]
enum Shape {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Text,
    Bytes,
    Fixed(usize),
    Optional(Box<Shape>),
    List(Box<Shape>),
    /// Avro's own map, of text keys.
    TextMap(Box<Shape>),
    /// Iceberg's map: an array of pairs.
    IntMap(Box<Shape>),
    /// Fields, and whether each is wanted.
    Record(Vec<(Shape, bool)>),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Boolean),
        Just(Shape::Int),
        Just(Shape::Long),
        Just(Shape::Float),
        Just(Shape::Double),
        Just(Shape::Text),
        Just(Shape::Bytes),
        (0_usize..20).prop_map(Shape::Fixed),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(optional),
            boxed.clone().prop_map(Shape::List),
            boxed.clone().prop_map(Shape::TextMap),
            boxed.prop_map(Shape::IntMap),
            prop::collection::vec((inner, any::<bool>()), 0..5).prop_map(Shape::Record),
        ]
    })
}

fn optional(inner: Box<Shape>) -> Shape {
    // A union in a union is no Avro.
    if matches!(*inner, Shape::Optional(_)) { *inner } else { Shape::Optional(inner) }
}

/// The writer schema's JSON and the wanted type of a shape; ids and names count up.
fn declare(shape: &Shape, next: &mut i32) -> (String, Type) {
    let primitive = |json: &str, wanted: PrimitiveType| (format!(r#""{json}""#), Type::from(wanted));
    let mut id = || {
        *next += 1;
        *next
    };
    match shape {
        Shape::Boolean => primitive("boolean", PrimitiveType::Boolean),
        Shape::Int => primitive("int", PrimitiveType::Int),
        Shape::Long => primitive("long", PrimitiveType::Long),
        Shape::Float => primitive("float", PrimitiveType::Float),
        Shape::Double => primitive("double", PrimitiveType::Double),
        Shape::Text => primitive("string", PrimitiveType::String),
        Shape::Bytes => primitive("bytes", PrimitiveType::Binary),
        Shape::Fixed(size) => {
            let json = format!(r#"{{"type":"fixed","name":"f{}","size":{size}}}"#, id());
            (json, PrimitiveType::Fixed(*size as u32).into())
        }
        Shape::Optional(inner) => {
            let (json, wanted) = declare(inner, next);
            (format!(r#"["null",{json}]"#), wanted)
        }
        Shape::List(element) => {
            let id = id();
            let (json, wanted) = declare(element, next);
            let json = format!(r#"{{"type":"array","items":{json},"element-id":{id}}}"#);
            (json, Type::List(Box::new(ListType { element: field(id, element, wanted) })))
        }
        Shape::TextMap(value) => {
            let (key_id, value_id) = (id(), id());
            let (json, wanted) = declare(value, next);
            let json = format!(r#"{{"type":"map","values":{json},"key-id":{key_id},"value-id":{value_id}}}"#);
            let key = Field::required(key_id, "key", PrimitiveType::String);
            (json, Type::Map(Box::new(MapType { key, value: field(value_id, value, wanted) })))
        }
        Shape::IntMap(value) => {
            let (key_id, value_id) = (id(), id());
            let (json, wanted) = declare(value, next);
            let pair = format!(
                r#"{{"type":"record","name":"kv{key_id}","fields":[{{"name":"key","type":"int","field-id":{key_id}}},{{"name":"value","type":{json},"field-id":{value_id}}}]}}"#
            );
            let json = format!(r#"{{"type":"array","logicalType":"map","items":{pair}}}"#);
            let key = Field::required(key_id, "key", PrimitiveType::Int);
            (json, Type::Map(Box::new(MapType { key, value: field(value_id, value, wanted) })))
        }
        Shape::Record(children) => {
            let name = id();
            let (mut json, mut fields) = (Vec::new(), Vec::new());
            for (child, wanted) in children {
                *next += 1;
                let id = *next;
                let (child_json, child_type) = declare(child, next);
                json.push(format!(r#"{{"name":"c{id}","type":{child_json},"field-id":{id}}}"#));
                if *wanted {
                    fields.push(Field { name: format!("w{id}"), ..field(id, child, child_type) });
                }
            }
            // Found by id, in another order than they are written.
            fields.reverse();
            let json = format!(r#"{{"type":"record","name":"r{name}","fields":[{}]}}"#, json.join(","));
            (json, Type::Struct(StructType { fields }))
        }
    }
}

fn field(id: i32, shape: &Shape, wanted: Type) -> Field {
    let optional = matches!(shape, Shape::Optional(_));
    if optional { Field::optional(id, "element", wanted) } else { Field::required(id, "element", wanted) }
}

/// A random value; `choice` is a stream of numbers.
fn value(shape: &Shape, choice: &mut impl FnMut() -> u64) -> Value {
    let bytes =
        |length: usize, choice: &mut dyn FnMut() -> u64| (0..length).map(|_| choice() as u8).collect();
    let few = |choice: &mut dyn FnMut() -> u64| choice() % 4;
    match shape {
        Shape::Boolean => Value::Boolean(choice().is_multiple_of(2)),
        Shape::Int => Value::Int((choice() as i32) >> (choice() % 32)),
        Shape::Long => Value::Long((choice() as i64) >> (choice() % 64)),
        Shape::Float => Value::Float(choice() as f32 / 7.0),
        Shape::Double => Value::Double(-(choice() as f64) / 7.0),
        Shape::Text => {
            Value::String((0..choice() % 9).map(|_| ['a', 'é', '漢', '🐢'][few(choice) as usize]).collect())
        }
        Shape::Bytes => {
            let length = choice() as usize % 200;
            Value::Bytes(bytes(length, choice))
        }
        Shape::Fixed(size) => Value::Fixed(*size, bytes(*size, choice)),
        Shape::Optional(_) if choice().is_multiple_of(3) => Value::Union(0, Box::new(Value::Null)),
        Shape::Optional(inner) => Value::Union(1, Box::new(value(inner, choice))),
        Shape::List(element) => Value::Array((0..few(choice)).map(|_| value(element, choice)).collect()),
        Shape::TextMap(inner) => {
            // One entry at most: the order of more is not kept.
            Value::Map((0..few(choice) % 2).map(|key| (format!("k{key}"), value(inner, choice))).collect())
        }
        Shape::IntMap(inner) => {
            let pair = |key, value| {
                Value::Record(vec![("key".to_owned(), Value::Int(key)), ("value".to_owned(), value)])
            };
            Value::Array((0..few(choice) as i32).map(|key| pair(key * 300, value(inner, choice))).collect())
        }
        Shape::Record(children) => {
            Value::Record(children.iter().map(|(child, _)| (String::new(), value(child, choice))).collect())
        }
    }
}

/// apache-avro looks fields up by name: gives the values the names of the schema.
fn name_fields(value: &mut Value, schema: &serde_json::Value) {
    match (value, schema) {
        (Value::Union(1, inner), serde_json::Value::Array(branches)) => name_fields(inner, &branches[1]),
        (Value::Array(items), serde_json::Value::Object(schema)) => {
            for item in items {
                name_fields(item, &schema["items"]);
            }
        }
        (Value::Map(items), serde_json::Value::Object(schema)) => {
            for item in items.values_mut() {
                name_fields(item, &schema["values"]);
            }
        }
        (Value::Record(values), serde_json::Value::Object(schema)) => {
            let fields = schema["fields"].as_array().unwrap();
            for ((name, value), field) in values.iter_mut().zip(fields) {
                field["name"].as_str().unwrap().clone_into(name);
                name_fields(value, &field["type"]);
            }
        }
        _ => {}
    }
}

/// Is row `row` of the array that value? Records have all their fields, or those that are wanted, the last first.
fn assert_same(shape: &Shape, expected: &Value, array: &dyn Array, row: usize, all: bool) {
    if let (Shape::Optional(inner), Value::Union(branch, value)) = (shape, expected) {
        assert_eq!(array.is_valid(row), *branch == 1, "{shape:?}");
        if *branch == 1 {
            assert_same(inner, value, array, row, all);
        }
        return;
    }
    assert!(array.is_valid(row), "{shape:?}");
    match (shape, expected) {
        (_, Value::Boolean(value)) => assert_eq!(array.as_boolean().value(row), *value),
        (_, Value::Int(value)) => assert_eq!(array.as_primitive::<Int32Type>().value(row), *value),
        (_, Value::Long(value)) => assert_eq!(array.as_primitive::<Int64Type>().value(row), *value),
        (_, Value::Float(value)) => assert_eq!(array.as_primitive::<Float32Type>().value(row), *value),
        (_, Value::Double(value)) => assert_eq!(array.as_primitive::<Float64Type>().value(row), *value),
        (_, Value::String(value)) => assert_eq!(array.as_string::<i32>().value(row), value),
        (_, Value::Bytes(value)) => assert_eq!(array.as_binary::<i32>().value(row), value),
        (_, Value::Fixed(_, value)) => assert_eq!(array.as_fixed_size_binary().value(row), value),
        (Shape::List(element), Value::Array(items)) => {
            let found = array.as_list::<i32>().value(row);
            assert_eq!(found.len(), items.len());
            items.iter().enumerate().for_each(|(index, item)| assert_same(element, item, &found, index, all));
        }
        (Shape::TextMap(inner), Value::Map(items)) => {
            let found = array.as_map().value(row);
            assert_eq!(found.len(), items.len());
            for (key, item) in items {
                assert_eq!(found.column(0).as_string::<i32>().value(0), key);
                assert_same(inner, item, found.column(1), 0, all);
            }
        }
        (Shape::IntMap(inner), Value::Array(pairs)) => {
            let found = array.as_map().value(row);
            assert_eq!(found.len(), pairs.len());
            for (index, pair) in pairs.iter().enumerate() {
                let Value::Record(pair) = pair else { panic!("a pair") };
                assert_same(&Shape::Int, &pair[0].1, found.column(0), index, all);
                assert_same(inner, &pair[1].1, found.column(1), index, all);
            }
        }
        (Shape::Record(children), Value::Record(values)) => {
            let pairs = children.iter().zip(values);
            let mut wanted: Vec<_> = pairs.filter(|((_, wanted), _)| all || *wanted).collect();
            if !all {
                wanted.reverse();
            }
            assert_eq!(array.as_struct().num_columns(), wanted.len());
            for (column, ((child, _), (_, value))) in array.as_struct().columns().iter().zip(wanted) {
                assert_same(child, value, column, row, all);
            }
        }
        other => panic!("{other:?}"),
    }
}

/// All columns as the file has them, in batches of so many rows; bytes of the file come in pieces of so many.
fn in_pieces(bytes: &[u8], piece: usize, rows: usize) -> Vec<RecordBatch> {
    let container = Container::open(bytes, &Limits::of_rows()).unwrap();
    let schema = container.schema().unwrap();
    let fields = arrow_fields(&schema, container.limits()).unwrap();
    // More leaves than there are: all.
    let leaves = (0..1000).collect();
    let mut records = Records::new(&container.block_form(), &schema, &fields, &leaves).unwrap();
    let enough = Enough { rows, bytes: 1 << 20 };
    let mut offset = container.data_start();
    let mut batches = Vec::new();
    loop {
        if records.advance(enough).unwrap() {
            batches.push(records.finish().unwrap());
        } else if !records.is_in_block() {
            let left = bytes.len() - offset;
            if left == 0 {
                break;
            }
            let mut length = piece.max(Records::START).min(left);
            offset += loop {
                let window = Bytes::copy_from_slice(&bytes[offset..offset + length]);
                match records.take_block(&window, offset as u64, left as u64).unwrap() {
                    Taken::Block(taken) => break taken,
                    Taken::Needs(bytes) => length = bytes,
                }
            };
        }
    }
    batches.push(records.finish().unwrap());
    batches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_apache_avro_encodes_we_decode_whole_and_in_pieces(
        fields in prop::collection::vec((shapes(), any::<bool>()), 1..6),
        seed: u64,
        rows in 0_usize..20,
        block_rows in 1_usize..8,
        piece in 1_usize..200,
        enough in 1_usize..30,
    ) {
        let mut state = seed | 1;
        let mut choice = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 21 ^ state << 22
        };
        let shape = Shape::Record(fields);
        let (json, wanted) = declare(&shape, &mut 0);
        let schema = Schema::parse_str(&json).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        let values: Vec<Value> = (0..rows).map(|_| {
            let mut row = value(&shape, &mut choice);
            name_fields(&mut row, &parsed);
            row
        }).collect();
        let writer = GenericDatumWriter::builder(&schema).build().unwrap();
        let mut bytes = header(&json, "null");
        for rows in values.chunks(block_rows) {
            let data: Vec<u8> = rows.iter().flat_map(|row| writer.write_value_to_vec(row.clone()).unwrap()).collect();
            bytes.extend(block(rows.len() as i64, &data));
        }
        let decoded = read(&bytes, &wanted.as_struct().unwrap().fields).unwrap();
        prop_assert_eq!(decoded.len(), rows);
        values.iter().enumerate().for_each(|(row, value)| assert_same(&shape, value, &decoded, row, false));
        let mut start = 0;
        for batch in in_pieces(&bytes, piece, enough) {
            let batch = StructArray::from(batch);
            for row in 0..batch.len() {
                assert_same(&shape, &values[start + row], &batch, row, true);
            }
            start += batch.len();
        }
        prop_assert_eq!(start, rows);
    }
}
