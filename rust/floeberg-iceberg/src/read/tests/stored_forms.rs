use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int32Type};
use arrow_array::{Array, ArrayRef, Int32Array, ListArray, MapArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::expr::Operator;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::fixture::{batches, column, filtered, one_batch, parquet, request, store, task, test};

const LARGEST: i128 = 99_999_999_999_999_999_999_999_999_999_999_999_999;

/// A required column `c` with id 1.
fn file(column: &str, write: impl FnOnce(&mut ColumnWriter<'_>)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {column} }}")).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    write(column.untyped());
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

/// The decimals of a file, read as `decimal(38,2)`, and how many of them a filter finds that wants each.
fn decimals(bytes: &[u8], wanted: &[i128]) {
    let decimal = PrimitiveType::Decimal { precision: 38, scale: 2 };
    let schema = Schema::new(0, vec![Field::optional(1, "c", decimal.clone())]).unwrap();
    let batch = one_batch(request(&store(bytes.to_vec()), schema.clone()), &task());
    assert_eq!(batch.column(0).as_primitive::<Decimal128Type>().values(), wanted);
    for unscaled in wanted {
        let literal = Value::Decimal { unscaled: *unscaled, scale: 2 };
        let filter = filtered(test(1, decimal.clone(), Operator::Eq, vec![literal]));
        let found = batches(request(&store(bytes.to_vec()), schema.clone()), &filter).unwrap();
        assert_eq!(found.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(), 1, "{unscaled}");
    }
}

#[test]
fn decimals_are_read_from_all_four_forms() {
    let bytes = file("required int32 c (DECIMAL(9, 2)) = 1;", |column| {
        let ColumnWriter::Int32ColumnWriter(column) = column else { unreachable!() };
        column.write_batch(&[-1_234, 0, 999_999_999], None, None).unwrap();
    });
    decimals(&bytes, &[-1_234, 0, 999_999_999]);
    let bytes = file("required int64 c (DECIMAL(18, 2)) = 1;", |column| {
        let ColumnWriter::Int64ColumnWriter(column) = column else { unreachable!() };
        column.write_batch(&[-1_234, 999_999_999_999_999_999], None, None).unwrap();
    });
    decimals(&bytes, &[-1_234, 999_999_999_999_999_999]);
    for length in [3, 16] {
        let column = format!("required fixed_len_byte_array({length}) c (DECIMAL(6, 2)) = 1;");
        let bytes = file(&column, |column| {
            let ColumnWriter::FixedLenByteArrayColumnWriter(column) = column else { unreachable!() };
            let stored = [-1_234_i128, 0, 999_999]
                .map(|unscaled| FixedLenByteArray::from(unscaled.to_be_bytes()[16 - length..].to_vec()));
            column.write_batch(&stored, None, None).unwrap();
        });
        decimals(&bytes, &[-1_234, 0, 999_999]);
    }
    let bytes = file("required binary c (DECIMAL(38, 2)) = 1;", |column| {
        let ColumnWriter::ByteArrayColumnWriter(column) = column else { unreachable!() };
        // As few bytes as it takes, and more of them.
        let stored = [vec![0xfb, 0x2e], vec![0, 0, 0, 7], LARGEST.to_be_bytes().to_vec()];
        column.write_batch(&stored.map(ByteArray::from), None, None).unwrap();
    });
    decimals(&bytes, &[-1_234, 7, LARGEST]);
}

/// A map of one entry, from a key to the number 5, with the field ids that its parts have.
fn map_of(key: ArrayRef) -> Vec<u8> {
    let key_field = column(2, "key", key.data_type().clone()).with_nullable(false);
    let value_field = column(3, "value", DataType::Int32);
    let value: ArrayRef = Arc::new(Int32Array::from(vec![5]));
    let entries = StructArray::new(vec![key_field, value_field].into(), vec![key, value], None);
    let field = Arc::new(ArrowField::new("key_value", entries.data_type().clone(), false));
    let map = MapArray::new(field, OffsetBuffer::from_lengths([1]), entries, None, false);
    parquet(vec![column(1, "m", map.data_type().clone())], vec![Arc::new(map)], 5)
}

fn map_type(key: Type) -> Schema {
    let (key, value) = (Field::required(2, "key", key), Field::optional(3, "value", PrimitiveType::Long));
    let map = Type::Map(Box::new(MapType { key, value }));
    Schema::new(0, vec![Field::optional(1, "m", map)]).unwrap()
}

#[test]
fn keys_of_maps_may_be_structs_and_lists_which_evolve_too() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![7]));
    let fields = vec![column(4, "x", DataType::Int32)];
    let key = StructArray::new(fields.into(), vec![Arc::clone(&numbers)], None);
    let added = Field { initial_default: Some(Value::Int(9)), ..Field::optional(5, "y", PrimitiveType::Int) };
    let wanted = vec![added, Field::optional(4, "renamed", PrimitiveType::Long)];
    let schema = map_type(Type::Struct(StructType { fields: wanted }));
    let batch = one_batch(request(&store(map_of(Arc::new(key))), schema), &task());
    let entry = batch.column(0).as_map().value(0);
    let key = entry.column(0).as_struct();
    assert_eq!(key.column(0).as_primitive::<Int32Type>().value(0), 9);
    assert_eq!(key.column(1).as_primitive::<arrow_array::types::Int64Type>().value(0), 7);
    assert_eq!(entry.column(1).as_primitive::<arrow_array::types::Int64Type>().value(0), 5);
    let element = Arc::new(column(4, "element", DataType::Int32));
    let key = ListArray::new(element, OffsetBuffer::from_lengths([1]), numbers, None);
    let element = Field::optional(4, "element", PrimitiveType::Long);
    let schema = map_type(Type::List(Box::new(ListType { element })));
    let batch = one_batch(request(&store(map_of(Arc::new(key))), schema), &task());
    let key = batch.column(0).as_map().value(0).column(0).as_list::<i32>().value(0);
    assert_eq!(key.as_primitive::<arrow_array::types::Int64Type>().values(), &[7]);
}
