//! Position delete files.

use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_io::testing::{Fault, FaultyStore};
use floeberg_io::{MemoryStore, Store};
use proptest::prelude::*;

use super::delete_fixture::{delete_recipe, deleted};
use super::fixture::{TASK, names, recipe, rows_of, schema_text};
use crate::manifest::FileContent;
use crate::write::{DeletedPositions, Receipt, WrittenFile, write_positions};

const PATH: i32 = 2_147_483_546;
const POS: i32 = 2_147_483_545;

fn write(store: &dyn Store, properties: &[(&str, &str)], deletes: &[DeletedPositions]) -> Result<Receipt> {
    write_positions(&delete_recipe(2, properties), store, TASK, &Cancel::default(), deletes)
}

fn rows(store: &MemoryStore, written: &WrittenFile) -> Vec<(String, i64)> {
    let columns = vec![
        Field::required(PATH, "file_path", PrimitiveType::String),
        Field::required(POS, "pos", PrimitiveType::Long),
    ];
    let rows = rows_of(store, &recipe(columns), written);
    rows.into_iter()
        .map(|row| match &row[..] {
            [Some(Value::String(path)), Some(Value::Long(position))] => (path.clone(), *position),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn bounds(written: &WrittenFile) -> [&str; 2] {
    [&written.file.lower_bounds, &written.file.upper_bounds]
        .map(|bounds| std::str::from_utf8(&bounds.as_ref().unwrap()[&PATH]).unwrap())
}

const A: &str = "memory://t/data/day=x/00000-1-a-long-name-that-no-bound-cuts-a.parquet";
const B: &str = "memory://t/data/day=x/00000-1-a-long-name-that-no-bound-cuts-b.parquet";
const C: &str = "memory://t/data/day=y/00000-1-a-long-name-that-no-bound-cuts-c.parquet";

#[test]
fn a_data_file_has_a_file_of_its_own_that_names_it() {
    for format in ["parquet", "avro", "orc"] {
        let store = MemoryStore::new();
        let deletes = [deleted(B, "x", [9, 2]), deleted(A, "x", [1]), deleted(C, "y", [1 << 40, 0])];
        let receipt = write(&store, &[("write.delete.format.default", format)], &deletes).unwrap();
        let expected = [(A, vec![1], "x"), (B, vec![2, 9], "x"), (C, vec![0, 1 << 40], "y")];
        assert_eq!(receipt.files().len(), 3);
        for ((path, positions, day), written) in expected.iter().zip(receipt.files()) {
            let file = &written.file;
            assert_eq!((file.content, file.sort_order_id), (FileContent::PositionDeletes, None));
            assert_eq!(
                (written.spec_id, &file.partition[..]),
                (0, &[Some(Value::String((*day).to_owned()))][..])
            );
            assert_eq!(file.file_format, format);
            let folder = format!("memory://t/data/day={day}/00003-7-w-");
            assert!(file.file_path.starts_with(&folder), "{}", file.file_path);
            assert!(file.file_path.ends_with(&format!("-deletes.{format}")), "{}", file.file_path);
            assert_eq!(file.referenced_data_file.as_deref(), Some(*path));
            assert_eq!(bounds(written), [*path; 2], "whole");
            assert_eq!(file.record_count, positions.len() as i64);
            let rows = rows(&store, written);
            assert_eq!(rows, positions.iter().map(|at| ((*path).to_owned(), *at)).collect::<Vec<_>>());
            assert_eq!((file.content_offset, file.equality_ids.as_ref()), (None, None));
        }
    }
}

#[test]
fn the_columns_are_required_and_have_the_reserved_ids() {
    let store = MemoryStore::new();
    let receipt = write(&store, &[], &[deleted(A, "x", [1])]).unwrap();
    let schema = schema_text(&store, &receipt.files()[0]);
    assert!(schema.contains("REQUIRED BYTE_ARRAY file_path [2147483546] (STRING)"), "{schema}");
    assert!(schema.contains("REQUIRED INT64 pos [2147483545]"), "{schema}");
    assert!(!schema.contains("row"), "{schema}");
}

#[test]
fn a_partition_may_have_one_file_sorted_by_path_and_position() {
    let store = MemoryStore::new();
    let deletes = [deleted(B, "x", [9, 2]), deleted(C, "y", [0]), deleted(A, "x", [7, 1])];
    let receipt = write(&store, &[("write.delete.granularity", "PARTITION")], &deletes).unwrap();
    let [of_x, of_y] = receipt.files() else { panic!("two files") };
    let of = |path: &str, position| (path.to_owned(), position);
    assert_eq!(rows(&store, of_x), [of(A, 1), of(A, 7), of(B, 2), of(B, 9)]);
    assert_eq!((of_x.file.referenced_data_file.as_deref(), bounds(of_x)), (None, [A, B]));
    assert_eq!((of_y.file.referenced_data_file.as_deref(), bounds(of_y)), (Some(C), [C, C]));
}

#[test]
fn partitions_of_several_specs_do_not_share_a_file() {
    let store = MemoryStore::new();
    let partition = vec![Some(Value::Int(1)), Some(Value::String("x".to_owned()))];
    let deletes = [deleted(A, "x", [1]), DeletedPositions { spec_id: 1, partition, ..deleted(B, "", [1]) }];
    let receipt = write(&store, &[("write.delete.granularity", "partition")], &deletes).unwrap();
    let specs: Vec<_> = receipt.files().iter().map(|written| written.spec_id).collect();
    assert_eq!(specs, [0, 1]);
    assert!(receipt.files()[1].file.file_path.starts_with("memory://t/data/of=1/day=x/"));
}

#[test]
fn large_files_end_and_each_says_its_own_paths() {
    let store = MemoryStore::new();
    let deletes: Vec<_> = (0..40)
        .map(|number| {
            deleted(
                &format!("memory://t/data/{number:03}.parquet"),
                "x",
                (0..20_000).map(|at| at * 7919 % 1_000_003),
            )
        })
        .collect();
    let properties = [
        ("write.delete.granularity", "partition"),
        ("write.delete.target-file-size-bytes", "200000"),
        ("write.delete.parquet.compression-codec", "uncompressed"),
    ];
    let receipt = write(&store, &properties, &deletes).unwrap();
    assert!(receipt.files().len() > 3, "{}", receipt.files().len());
    let mut all = Vec::new();
    for written in receipt.files() {
        let rows = rows(&store, written);
        assert_eq!(rows.len() as i64, written.file.record_count);
        assert_eq!(bounds(written), [rows[0].0.as_str(), rows[rows.len() - 1].0.as_str()]);
        all.extend(rows);
    }
    assert_eq!(all.len(), 40 * 20_000);
    assert!(all.is_sorted());
}

#[test]
fn properties_of_deletes_are_those_of_data_unless_set() {
    let codec = |properties: &[(&str, &str)]| {
        let store = MemoryStore::new();
        let receipt = write(&store, properties, &[deleted(A, "x", [1])]).unwrap();
        let footer = super::fixture::footer(&store, &receipt.files()[0]);
        format!("{:?}", footer.row_group(0).column(0).compression())
    };
    let of_data = ("write.parquet.compression-codec", "snappy");
    assert_eq!(codec(&[of_data]), "SNAPPY");
    assert_eq!(codec(&[of_data, ("write.delete.parquet.compression-codec", "lz4")]), "LZ4_RAW");
    // What is said of columns is said of the table's.
    assert_eq!(
        codec(&[
            of_data,
            ("write.metadata.metrics.default", "none"),
            ("write.metadata.metrics.column.pos", "none")
        ]),
        "SNAPPY"
    );
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let store = MemoryStore::new();
    let refused = |version: u8, properties: &[(&str, &str)], deletes: &[DeletedPositions]| {
        let recipe = delete_recipe(version, properties);
        let error = write_positions(&recipe, &store, TASK, &Cancel::default(), deletes).unwrap_err();
        assert_eq!(names(&store, "memory://t/data"), [""; 0]);
        error
    };
    let one = deleted(A, "x", [1]);
    assert!(refused(3, &[], std::slice::from_ref(&one)).message().contains("deletion vectors"));
    assert_eq!(refused(2, &[], &[deleted(A, "x", [])]).kind(), ErrorKind::InvalidInput);
    assert_eq!(refused(2, &[], &[one.clone(), one.clone()]).kind(), ErrorKind::InvalidInput);
    assert!(refused(2, &[], &[deleted(A, "x", [u64::MAX])]).message().contains("below 2^63"));
    assert_eq!(refused(2, &[("write.format.default", "csv")], &[one]).kind(), ErrorKind::Unsupported);
    let document = super::delete_fixture::document(2, &[("write.delete.format.default", "csv")], true);
    let error = super::delete_fixture::try_recipe(&document).unwrap_err();
    assert!(error.message().contains("write.delete.format.default"), "{error}");
}

#[test]
fn at_every_operation_of_the_store_that_fails_nothing_is_left() {
    let deletes: Vec<_> = ["/a", "/b", "/c"].map(|path| deleted(path, "x", [1])).into();
    let sound = FaultyStore::new(Arc::new(MemoryStore::new()), Vec::new());
    write(&sound, &[], &deletes).unwrap();
    for number in 0..sound.operations() {
        for fault in [Fault::Fail(ErrorKind::Storage), Fault::LoseRequest, Fault::LoseAnswer] {
            let files = MemoryStore::new();
            let faulty = FaultyStore::new(Arc::new(files.clone()), vec![(number, fault)]);
            let error = write(&faulty, &[], &deletes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
            assert_eq!(names(&files, "memory://t/data/day=x"), [""; 0], "{number} {fault:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_written_is_read_back(
        sets in prop::collection::vec((0..3_usize, prop::collection::btree_set(0_u64..1 << 62, 1..40)), 1..8),
        is_avro: bool,
        by_partition: bool,
    ) {
        let store = MemoryStore::new();
        let days = ["x", "y", "é"];
        let deletes: Vec<_> = sets.iter().enumerate()
            .map(|(number, (day, set))| deleted(&format!("/{}/{number}", "p".repeat(number)), days[*day], set.iter().copied()))
            .collect();
        let properties = [
            ("write.delete.format.default", if is_avro { "avro" } else { "parquet" }),
            ("write.delete.granularity", if by_partition { "partition" } else { "file" }),
        ];
        let receipt = write(&store, &properties, &deletes).unwrap();
        let mut found = Vec::new();
        for written in receipt.files() {
            let rows = rows(&store, written);
            prop_assert!(rows.is_sorted());
            let day = written.file.partition[0].clone();
            found.extend(rows.into_iter().map(|(path, position)| (path, position, day.clone())));
        }
        let mut expected: Vec<_> = deletes.iter()
            .flat_map(|deleted| deleted.positions.iter().map(|at| (deleted.file_path.clone(), at as i64, deleted.partition[0].clone())))
            .collect();
        let key = |row: &(String, i64, Option<Value>)| (row.0.clone(), row.1);
        found.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(found, expected);
    }
}
