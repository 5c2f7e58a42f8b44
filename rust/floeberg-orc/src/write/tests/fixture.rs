//! Tables of many types, written to memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, StructArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray,
};
use floeberg_core::schema::{Field, ListType, PrimitiveType as P, StructType, Type};
use floeberg_io::{MemoryStore, Store};

use crate::write::{Codec, ColumnTotals, OrcShape, OrcWriter};
use crate::{Compression, OrcFile};

/// Columns of every family, and lists and structs of them.
pub(super) fn fields() -> Vec<Field> {
    let list = ListType { element: Field::optional(21, "element", P::Int) };
    let parts = vec![Field::optional(31, "a", P::Long), Field::optional(32, "b", P::String)];
    vec![
        Field::optional(1, "flag", P::Boolean),
        Field::optional(2, "int", P::Int),
        Field::required(3, "long", P::Long),
        Field::optional(4, "float", P::Float),
        Field::optional(5, "double", P::Double),
        Field::optional(6, "decimal", P::Decimal { precision: 38, scale: 3 }),
        Field::optional(7, "date", P::Date),
        Field::optional(8, "time", P::Time),
        Field::optional(9, "at", P::Timestamp),
        Field::optional(10, "at_ns", P::TimestamptzNs),
        Field::optional(11, "text", P::String),
        Field::optional(12, "word", P::String),
        Field::optional(13, "bytes", P::Binary),
        Field::optional(14, "fixed", P::Fixed(3)),
        Field::optional(15, "nothing", P::Unknown),
        Field::optional(20, "list", Type::List(Box::new(list))),
        Field::optional(30, "struct", Type::Struct(StructType { fields: parts })),
    ]
}

/// A number that is as good as any other.
fn hash(number: u64) -> u64 {
    let mixed = (number ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed ^ mixed >> 29).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 3
}

/// Rows of [`fields`], from a row on. Every seventh value of a column is null, at different rows.
pub(super) fn rows(first: u64, count: u64) -> Vec<ArrayRef> {
    let all = || first..first + count;
    let is_null = |row: u64, column: u64| hash(row * 31 + column).is_multiple_of(7);
    let value = |row: u64, column: u64| (!is_null(row, column)).then(|| hash(row * 37 + column));
    let map = |column: u64, of: &dyn Fn(u64) -> i64| -> Vec<Option<i64>> {
        all().map(|row| value(row, column).map(of)).collect()
    };
    let texts = |column: u64, of: &dyn Fn(u64) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter(all().map(|row| value(row, column).map(of))))
    };
    let mut list = ListBuilder::new(Int32Builder::new()).with_field(arrow_schema::Field::new(
        "element",
        arrow_schema::DataType::Int32,
        true,
    ));
    for row in all() {
        if let Some(number) = value(row, 20) {
            for place in 0..number % 4 {
                list.values().append_option(value(row * 5 + place, 21).map(|value| value as i32));
            }
            list.append(true);
        } else {
            list.append(false);
        }
    }
    let a: ArrayRef = Arc::new(Int64Array::from(map(31, &|value| value as i64 % 1000)));
    let b = texts(32, &|value| format!("part {}", value % 50));
    let fields = vec![
        arrow_schema::Field::new("a", arrow_schema::DataType::Int64, true),
        arrow_schema::Field::new("b", arrow_schema::DataType::Utf8, true),
    ];
    let valid = all().map(|row| !is_null(row, 30)).collect::<Vec<_>>();
    let parts = StructArray::new(fields.into(), vec![a, b], Some(valid.into()));
    let before_1970 = |value: u64| (value as i64 % 4_000_000_000_000_000) - 2_000_000_000_000_000;
    vec![
        Arc::new(BooleanArray::from_iter(all().map(|row| value(row, 1).map(|value| value % 3 == 0)))),
        Arc::new(Int32Array::from_iter(map(2, &|value| value as i64 % 70_000).into_iter().map(narrow))),
        Arc::new(Int64Array::from_iter_values(all().map(|row| row as i64 * 3))),
        Arc::new(Float32Array::from_iter(all().map(|row| value(row, 4).map(|value| value as f32 / 7.0)))),
        Arc::new(Float64Array::from_iter(all().map(|row| value(row, 5).map(|value| -(value as f64) / 7.0)))),
        Arc::new(
            Decimal128Array::from_iter(
                all().map(|row| value(row, 6).map(|value| i128::from(value) * (i128::from(row) - 5_000))),
            )
            .with_precision_and_scale(38, 3)
            .unwrap(),
        ),
        Arc::new(Date32Array::from_iter(
            map(7, &|value| value as i64 % 90_000 - 40_000).into_iter().map(narrow),
        )),
        Arc::new(Time64MicrosecondArray::from(map(8, &|value| value as i64 % 86_400_000_000))),
        Arc::new(TimestampMicrosecondArray::from(map(9, &before_1970))),
        Arc::new(TimestampNanosecondArray::from(map(10, &before_1970)).with_timezone("UTC")),
        texts(11, &|value| format!("text {value}")),
        texts(12, &|value| ["iron", "Zürich", "", "furious"][(value % 4) as usize].to_owned()),
        Arc::new(BinaryArray::from_iter(all().map(|row| value(row, 13).map(u64::to_le_bytes)))),
        Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                all().map(|row| value(row, 14).map(|value| value.to_le_bytes()[..3].to_vec())),
                3,
            )
            .unwrap(),
        ),
        arrow_array::new_null_array(&arrow_schema::DataType::Null, count as usize),
        Arc::new(list.finish()),
        Arc::new(parts),
    ]
}

fn narrow(value: Option<i64>) -> Option<i32> {
    value.map(|value| value as i32)
}

/// A codec.
pub(super) fn codec(compression: Compression) -> Codec {
    Codec { compression, is_thorough: false }
}

/// A file of stripes of so many rows, in pieces; and what its writer says of the columns.
pub(super) fn written(
    compression: Compression,
    bloom: &[i32],
    stripes: &[u64],
    piece: u64,
) -> (Vec<u8>, Vec<ColumnTotals>) {
    let bloom: BTreeSet<i32> = bloom.iter().copied().collect();
    let metadata = vec![("key".to_owned(), "value".to_owned())];
    let shape = OrcShape::new(&fields(), codec(compression), bloom, 0.05, metadata).unwrap();
    let shape = Arc::new(shape);
    let (mut writer, mut file) = OrcWriter::new(Arc::clone(&shape)).unwrap();
    let mut first = 0;
    for rows_of_stripe in stripes {
        let mut columns = shape.columns().unwrap();
        let mut start = 0;
        while start < *rows_of_stripe {
            let count = piece.min(rows_of_stripe - start);
            let arrays = rows(first + start, count);
            for column in &mut columns {
                column.encode(&arrays[column.place()]).unwrap();
            }
            start += count;
        }
        for column in &mut columns {
            column.end().unwrap();
        }
        for part in writer.stripe(*rows_of_stripe, columns).unwrap() {
            file.extend(part);
        }
        assert_eq!(writer.written(), file.len() as u64);
        first += rows_of_stripe;
    }
    let (end, totals) = writer.finish().unwrap();
    file.extend(end);
    (file, totals)
}

/// The file, open.
pub(super) fn open(bytes: &[u8]) -> OrcFile {
    let store = MemoryStore::new();
    let mut sink = store.create("memory://t/file.orc").unwrap();
    sink.write(bytes).unwrap();
    sink.finish().unwrap();
    OrcFile::open(store.open("memory://t/file.orc").unwrap()).unwrap()
}

/// All leaves of a file.
pub(super) fn leaves(file: &OrcFile) -> BTreeSet<usize> {
    // A list is one leaf, a struct has two.
    (0..=file.fields().len()).collect()
}

/// Batches are these rows of [`rows`].
pub(super) fn assert_rows(batches: &[RecordBatch], first: u64, count: u64) {
    let expected = rows(first, count);
    let stored = expected.iter().enumerate().filter(|(place, _)| *place != 14).map(|(_, array)| array);
    let mut start = 0;
    for batch in batches {
        for (found, expected) in batch.columns().iter().zip(stored.clone()) {
            let expected = expected.slice(start, batch.num_rows());
            assert_eq!(
                found.to_data().nulls().map(|nulls| nulls.iter().collect::<Vec<_>>()),
                expected.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| nulls.iter().collect())
            );
            assert_values(found, &expected);
        }
        start += batch.num_rows();
    }
    assert_eq!(start as u64, count);
}

fn assert_values(found: &ArrayRef, expected: &ArrayRef) {
    use arrow_array::cast::AsArray as _;
    if let (Some(found), Some(expected)) = (found.as_struct_opt(), expected.as_struct_opt()) {
        for row in (0..expected.len()).filter(|row| expected.is_valid(*row)) {
            for (found, expected) in found.columns().iter().zip(expected.columns()) {
                assert_values(&found.slice(row, 1), &expected.slice(row, 1));
            }
        }
    } else if let (Some(found), Some(expected)) = (found.as_list_opt::<i32>(), expected.as_list_opt::<i32>())
    {
        for row in (0..expected.len()).filter(|row| expected.is_valid(*row)) {
            assert_values(&found.value(row), &expected.value(row));
        }
    } else {
        assert_eq!(found, expected);
    }
}
