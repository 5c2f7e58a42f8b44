use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use floeberg_core::{ErrorKind, Result};

use super::fixture::{
    DATA, File, INT, LENGTH, LIST, LONG, MAP, PRESENT, STRING, STRUCT, Type, bits, of, row, signed, unsigned,
};

fn read(file: &File, leaves: &[usize]) -> Result<RecordBatch> {
    let leaves = leaves.iter().copied().collect();
    file.open()?.read(0, &leaves, 100)?.next().unwrap()
}

/// Rows `{1, [1, 2]}`, null, `{null, []}`, `{4, null}`, and a column after them.
fn structs() -> File {
    File {
        types: vec![
            row(&["s", "after"], &[1, 5]),
            row(&["i", "l"], &[2, 3]),
            of(LONG),
            Type { parts: vec![4], ..of(LIST) },
            of(INT),
            of(LONG),
        ],
        rows: 4,
        streams: vec![
            (1, PRESENT, bits(&[1, 0, 1, 1])),
            (2, PRESENT, bits(&[1, 0, 1])),
            (2, DATA, signed(&[1, 4])),
            (3, PRESENT, bits(&[1, 1, 0])),
            (3, LENGTH, unsigned(&[2, 0])),
            (4, DATA, signed(&[1, 2])),
            (5, DATA, signed(&[10, 20, 30, 40])),
        ],
        ..File::default()
    }
}

#[test]
fn parts_of_a_null_take_no_place_in_streams() {
    let batch = read(&structs(), &[0, 1, 2]).unwrap();
    let parent = batch.column(0).as_struct();
    assert_eq!(parent.nulls().unwrap().iter().collect::<Vec<_>>(), [true, false, true, true]);
    let longs: Vec<_> = parent.column(0).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(longs, [Some(1), None, None, Some(4)]);
    let lists: Vec<_> = parent.column(1).as_list::<i32>().iter().collect();
    let lists: Vec<_> = lists
        .iter()
        .map(|list| list.as_ref().map(|list| list.as_primitive::<Int32Type>().values().to_vec()))
        .collect();
    assert_eq!(lists, [Some(vec![1, 2]), None, Some(vec![]), None]);
    assert_eq!(batch.column(1).as_primitive::<Int64Type>().values(), &[10, 20, 30, 40]);
}

#[test]
fn only_the_wanted_parts_are_read() {
    // What is not wanted is not even looked at.
    let mut file = structs();
    file.streams[2].2 = vec![0xff];
    let batch = read(&file, &[1]).unwrap();
    assert_eq!(batch.num_columns(), 1);
    let DataType::Struct(fields) = batch.column(0).data_type() else { panic!("a struct") };
    assert_eq!(fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["l"]);
    assert_eq!(batch.column(0).null_count(), 1);
    let batch = read(&file, &[2]).unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[10, 20, 30, 40]);
    let error = read(&file, &[0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let text = error.to_string();
    assert!(text.contains("column: i") && text.contains("file.orc"), "{text}");
}

fn maps(keys: Vec<(u64, u64, Vec<u8>)>) -> File {
    let mut streams = vec![(1, PRESENT, bits(&[1, 0, 1])), (1, LENGTH, unsigned(&[1, 2]))];
    streams.extend(keys);
    streams.extend([(3, PRESENT, bits(&[1, 0, 1])), (3, DATA, signed(&[7, 8]))]);
    let map = Type { parts: vec![2, 3], ..of(MAP) };
    File { types: vec![row(&["m"], &[1]), map, of(STRING), of(INT)], rows: 3, streams, ..File::default() }
}

#[test]
fn maps_have_keys_and_values() {
    let keys = vec![(2, LENGTH, unsigned(&[1, 2, 0])), (2, DATA, b"abc".to_vec())];
    let batch = read(&maps(keys), &[0, 1]).unwrap();
    let map = batch.column(0).as_map();
    assert_eq!(map.offsets().as_ref(), &[0, 1, 1, 3]);
    assert!(map.is_null(1));
    assert_eq!(map.keys().as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a"), Some("bc"), Some("")]);
    let values: Vec<_> = map.values().as_primitive::<Int32Type>().iter().collect();
    assert_eq!(values, [Some(7), None, Some(8)]);
}

#[test]
fn a_map_with_a_null_key_is_an_error() {
    let keys =
        vec![(2, PRESENT, bits(&[1, 0, 1])), (2, LENGTH, unsigned(&[1, 2])), (2, DATA, b"abc".to_vec())];
    assert_eq!(read(&maps(keys), &[0, 1]).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_struct_of_nothing_is_a_leaf() {
    let file = File {
        types: vec![row(&["s", "i"], &[1, 2]), of(STRUCT), of(LONG)],
        rows: 2,
        streams: vec![(1, PRESENT, bits(&[0, 1])), (2, DATA, signed(&[1, 2]))],
        ..File::default()
    };
    let batch = read(&file, &[0]).unwrap();
    assert_eq!(batch.num_columns(), 1);
    assert!(batch.column(0).is_null(0) && batch.column(0).is_valid(1));
    assert_eq!(read(&file, &[1]).unwrap().column(0).as_primitive::<Int64Type>().values(), &[1, 2]);
}

#[test]
fn lengths_that_no_list_has_are_errors() {
    for (lengths, kind) in
        [([1_u64 << 40, 0], ErrorKind::LimitExceeded), ([u64::MAX, 0], ErrorKind::InvalidData)]
    {
        let mut file = structs();
        file.streams[4].2 = unsigned(&lengths);
        assert_eq!(read(&file, &[1]).unwrap_err().kind(), kind);
    }
}
