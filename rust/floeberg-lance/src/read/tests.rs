#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{
    Array as _, ArrayRef, Int64Array, RecordBatch, StructArray, cast::AsArray, types::Int64Type,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField, Fields};
use floeberg_core::expr::parse;
use floeberg_core::{ErrorKind, Result};
use floeberg_protobuf::Encoder;

use super::{FragmentRows, Rows};
use crate::metadata::NamingScheme;
use crate::tests::tables::{Tables, column, head, manifest};
use crate::wire::{DataFile, Fragment, SchemaField};
use crate::{Checkout, Scan};

const ROWS: u64 = 4;

/// `id`, and a struct `s` of `x` and `y`; all of `int64`.
fn fields() -> Vec<SchemaField> {
    let part = |id: i32, name: &str| SchemaField { parent_id: 1, ..column(id, name, "int64") };
    vec![column(0, "id", "int64"), column(1, "s", "struct"), part(2, "x"), part(3, "y")]
}

/// A data file without pages, whose ids and names are its own.
fn file(rows: u64, version: (u16, u16), columns: u32) -> Vec<u8> {
    let mut schema = Encoder::default();
    for mut field in fields() {
        field.id += 40;
        field.parent_id = if field.parent_id < 0 { -1 } else { field.parent_id + 40 };
        field.name = format!("{}.old", field.name);
        schema.message(1, &field);
    }
    let mut descriptor = Encoder::default();
    descriptor.some_bytes(1, schema.finish());
    descriptor.number(2, rows);
    let mut bytes = descriptor.finish();
    let length = bytes.len() as u64;
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    for number in [length, length, length] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(columns.to_le_bytes());
    bytes.extend(version.0.to_le_bytes());
    bytes.extend(version.1.to_le_bytes());
    bytes.extend(b"LANC");
    bytes
}

/// A table of one fragment, whose file says something of itself.
fn scan_of(bytes: Vec<u8>, fields_of_file: &[i32], column_indices: &[i32], minor: u32) -> Result<Scan> {
    let tables = Tables::default();
    let data_file = DataFile {
        path: "a.lance".to_owned(),
        fields: fields_of_file.to_vec(),
        column_indices: column_indices.to_vec(),
        major: 2,
        minor,
        ..DataFile::default()
    };
    let fragment = Fragment { id: 7, physical_rows: ROWS, files: vec![data_file], ..Fragment::default() };
    let mut head = head(1);
    head.fields = fields();
    head.data_format.as_mut().unwrap().version = format!("2.{minor}");
    tables.write("", NamingScheme::V2, manifest(head, &[fragment]));
    tables.put("data/a.lance", bytes);
    tables.open(Checkout::default()).map(Scan::new)
}

fn open(scan: &Scan) -> Result<FragmentRows> {
    FragmentRows::open(&scan.request()?, 0, Rows::Range(0..ROWS))
}

fn paths(scan: &Scan, names: &[&str]) -> Vec<String> {
    let scan = scan.clone().select(names.iter().map(|name| (*name).to_owned()).collect());
    open(&scan).unwrap().files().iter().flat_map(|file| file.paths.clone()).collect()
}

#[test]
fn columns_are_numbered_as_the_version_of_the_file_has_it() {
    // Before 2.1 a struct has a column of its own.
    let old = scan_of(file(ROWS, (0, 3), 4), &[0, 1, 2, 3], &[0, 1, 2, 3], 0).unwrap();
    let new = scan_of(file(ROWS, (2, 1), 3), &[0, 1, 2, 3], &[0, -1, 1, 2], 1).unwrap();
    for scan in [old, new] {
        assert_eq!(paths(&scan, &["*"]), ["`id.old`", "`s.old`"]);
        assert_eq!(paths(&scan, &["s.y"]), ["`s.old`.`y.old`"]);
        assert_eq!(paths(&scan, &["_rowid"]), [""; 0]);
    }
    // Fields that have changed places, and one that was dropped.
    let moved = scan_of(file(ROWS, (2, 1), 3), &[2, 9, 0], &[0, 1, 2], 1).unwrap();
    assert_eq!(paths(&moved, &["id"]), ["`s.old`.`y.old`"]);
}

#[test]
fn a_part_that_no_file_has_takes_its_shape_from_another() {
    let scan = scan_of(file(ROWS, (2, 1), 3), &[0, 2], &[0, 1], 1).unwrap();
    assert_eq!(paths(&scan, &["s.y"]), ["`s.old`.`x.old`"]);
}

#[test]
fn files_that_are_not_what_the_manifest_says_are_refused() {
    let refused = |bytes: Vec<u8>, indices: &[i32]| {
        let error = scan_of(bytes, &[0, 1, 2, 3], indices, 1).and_then(|scan| open(&scan)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        assert!(error.to_string().contains("data/a.lance"), "{error}");
        error.message().to_owned()
    };
    let indices = [0, -1, 1, 2];
    assert!(refused(file(ROWS + 1, (2, 1), 3), &indices).contains("expected a data file of 4 rows"));
    assert!(
        refused(file(ROWS, (2, 2), 3), &indices).contains("version 2.1, as the manifest says, found 2.2")
    );
    assert!(refused(file(ROWS, (2, 1), 5), &indices).contains("expected 3 columns"));
    assert!(refused(file(ROWS, (2, 1), 3), &[0, -1, 1, 3]).contains("expected a column below 3"));
    // A field would be taken for another, or be null.
    assert!(refused(file(ROWS, (2, 1), 3), &[0, 1, -1, 2]).contains("no column for the field 1"));
    assert!(refused(file(ROWS, (2, 1), 3), &[0, -1, -1, 2]).contains("a column for the field 2"));
    let whole = file(ROWS, (2, 1), 3);
    for end in [0, 1, 39, 60, whole.len() - 1] {
        refused(whole[..end].to_vec(), &indices);
    }
}

/// What a decoder gives: `id.old`, and `s.old` of `y.old`, null in the second row.
fn decoded() -> RecordBatch {
    let numbers = |values: [i64; 4]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
    let part = ArrowField::new("y.old", DataType::Int64, true);
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    let parts = StructArray::new(Fields::from(vec![part]), vec![numbers([10, 20, 30, 40])], Some(nulls));
    RecordBatch::try_from_iter([("id.old", numbers([1, 2, 3, 4])), ("s.old", Arc::new(parts) as ArrayRef)])
        .unwrap()
}

#[test]
fn rows_that_match_come_out_under_the_names_of_the_table() {
    let scan = scan_of(file(ROWS, (2, 1), 3), &[0, 1, 3], &[0, -1, 2], 1).unwrap();
    let names = ["id", "s.x", "s.y", "_rowaddr"].map(str::to_owned).to_vec();
    let scan = scan.filter(parse("s.y > 10 OR s.y IS NULL").unwrap()).select(names);
    assert!(open(&scan).unwrap().batch(&[], 4).is_err());
    let mut rows = open(&scan).unwrap();
    let batch = rows.batch(&[decoded()], 4).unwrap();
    assert_eq!(rows.left(), 0);
    assert_eq!(batch["id"].as_primitive::<Int64Type>().values(), &[2, 3, 4]);
    let parts = batch["s"].as_struct();
    assert_eq!((parts.is_null(0), parts.is_null(1)), (true, false));
    assert_eq!(parts.column_by_name("x").unwrap().null_count(), 3);
    assert_eq!(parts.column_by_name("y").unwrap().as_primitive::<Int64Type>().value(2), 40);
    let addresses = batch["_rowaddr"].as_primitive::<arrow_array::types::UInt64Type>();
    assert_eq!(addresses.values(), &[7 << 32 | 1, 7 << 32 | 2, 7 << 32 | 3]);
}

#[test]
fn batches_of_other_rows_or_types_are_refused() {
    let scan = scan_of(file(ROWS, (2, 1), 3), &[0, 1, 3], &[0, -1, 2], 1).unwrap();
    let error = open(&scan).unwrap().batch(&[decoded()], 3).unwrap_err();
    assert!(error.message().contains("expected 3 of 4 rows"), "{error}");
    let texts: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["a"; 4]));
    let wrong = RecordBatch::try_from_iter([("id.old", texts)]).unwrap();
    let error = open(&scan.select(vec!["id".to_owned()])).unwrap().batch(&[wrong], 4).unwrap_err();
    assert!(error.message().contains("expected values of the type int64"), "{error}");
}
