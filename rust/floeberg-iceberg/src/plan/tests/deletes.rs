use std::sync::{Arc, LazyLock};

use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{ErrorKind, Result};

use crate::manifest::PruneCounts;
use crate::plan::deletes::index::{DataFile, DeleteIndex};
use crate::plan::deletes::indexed_delete::IndexedDelete;
use crate::plan::deletes::key_stats::KeyColumn;
use crate::plan::explain::{Dropped, Stage};
use crate::plan::{DeleteFile, DeleteKind, FileFormat};

const VECTOR: DeleteKind = DeleteKind::Vector { content_offset: 4, content_size_in_bytes: 40 };

fn delete(kind: DeleteKind, sequence_number: i64, referenced: Option<&str>) -> IndexedDelete {
    let file = DeleteFile {
        file_path: format!("delete-{sequence_number}"),
        location: format!("delete-{sequence_number}"),
        file_format: FileFormat::Parquet,
        kind,
        record_count: 1,
        file_size_in_bytes: 100,
        data_sequence_number: sequence_number,
        referenced_data_file: referenced.map(str::to_owned),
        spec_id: 1,
        partition: Vec::new(),
    };
    IndexedDelete {
        file: Arc::new(file),
        partition: (1, key("p")),
        unpartitioned: false,
        lowest_path: None,
        highest_path: None,
        keys: Vec::new(),
    }
}

fn equality(sequence_number: i64) -> IndexedDelete {
    delete(DeleteKind::Equality { equality_ids: vec![1] }, sequence_number, None)
}

/// A column of longs between two bounds, and no other.
struct Longs(i64, i64);

static UNKNOWN: Longs = Longs(i64::MIN, i64::MAX);

impl Stats for Longs {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        assert_eq!(id, 1);
        let (lower, upper) = (Some(Value::Long(self.0)), Some(Value::Long(self.1)));
        ColumnStats { nulls: Share::None, nans: Share::None, lower, upper }
    }
}

fn key(text: &str) -> PartitionKey {
    PartitionKey::new([Some(&Value::String(text.to_owned()))])
}

/// A data file and its partition.
#[derive(Clone, Copy)]
struct Data<'a> {
    path: &'a str,
    sequence_number: i64,
    spec_id: i32,
    partition_key: &'a PartitionKey,
    stats: &'a dyn Stats,
}

fn data(path: &str, sequence_number: i64) -> Data<'_> {
    static PARTITION: LazyLock<PartitionKey> = LazyLock::new(|| key("p"));
    Data { path, sequence_number, spec_id: 1, partition_key: &PARTITION, stats: &UNKNOWN }
}

fn look_up(index: &DeleteIndex, data: Data<'_>, tally: &mut PruneCounts) -> Result<Vec<i32>> {
    let Data { path, sequence_number, stats, .. } = data;
    let named = if index.names_files() { index.named(path) } else { None };
    let partition = index.partition(data.spec_id, data.partition_key);
    let mut found = Vec::new();
    index.matching(DataFile { path, named, sequence_number, partition, stats }, &mut found, tally)?;
    found.sort_unstable();
    Ok(found)
}

fn matching(deletes: Vec<IndexedDelete>, data: Data<'_>) -> Vec<i32> {
    look_up(&DeleteIndex::new(deletes, Vec::new()), data, &mut PruneCounts::default()).unwrap()
}

#[test]
fn equality_deletes_reach_only_strictly_older_data() {
    let deletes = || vec![equality(4), equality(5), equality(6)];
    assert_eq!(matching(deletes(), data("a", 5)), [2]);
    assert_eq!(matching(deletes(), data("a", 3)), [0, 1, 2]);
}

#[test]
fn no_equality_delete_is_newer_than_the_last_sequence_number() {
    let deletes = || vec![equality(i64::MAX), delete(DeleteKind::Position, i64::MAX, None)];
    assert_eq!(matching(deletes(), data("a", i64::MAX)), [1]);
    assert_eq!(matching(deletes(), data("a", i64::MAX - 1)), [0, 1]);
}

#[test]
fn position_deletes_reach_data_of_their_own_commit() {
    let deletes = || vec![delete(DeleteKind::Position, 4, None), delete(DeleteKind::Position, 5, None)];
    assert_eq!(matching(deletes(), data("a", 5)), [1]);
    assert_eq!(matching(deletes(), data("a", 4)), [0, 1]);
}

#[test]
fn deletes_of_another_partition_or_spec_do_not_apply() {
    let deletes = || vec![delete(DeleteKind::Position, 9, None), equality(9)];
    assert!(matching(deletes(), Data { partition_key: &key("q"), ..data("a", 1) }).is_empty());
    assert!(matching(deletes(), Data { spec_id: 2, ..data("a", 1) }).is_empty());
}

#[test]
fn an_unpartitioned_equality_delete_reaches_every_partition_and_a_position_delete_does_not() {
    let global = IndexedDelete { unpartitioned: true, partition: (0, key("")), ..equality(9) };
    let position = IndexedDelete {
        unpartitioned: true,
        partition: (0, key("")),
        ..delete(DeleteKind::Position, 9, None)
    };
    assert_eq!(matching(vec![global, position], data("a", 1)), [0]);
}

#[test]
fn a_file_scoped_position_delete_reaches_its_file_alone() {
    let named = || delete(DeleteKind::Position, 9, Some("a"));
    assert_eq!(matching(vec![named()], data("a", 1)), [0]);
    assert!(matching(vec![named()], data("b", 1)).is_empty());
}

#[test]
fn equal_path_bounds_name_one_file() {
    let bounded = || IndexedDelete {
        lowest_path: Some("file:/t/a".to_owned()),
        highest_path: Some("file:/t/a".to_owned()),
        ..delete(DeleteKind::Position, 9, None)
    };
    assert_eq!(matching(vec![bounded()], data("file:///t/a", 1)), [0], "spellings of one local file");
    assert!(matching(vec![bounded()], data("file:/t/b", 1)).is_empty());
}

#[test]
fn path_bounds_leave_away_files_outside_them() {
    let bounded = || IndexedDelete {
        lowest_path: Some("s3://b/f".to_owned()),
        highest_path: Some("s3://b/m".to_owned()),
        ..delete(DeleteKind::Position, 9, None)
    };
    assert_eq!(matching(vec![bounded()], data("s3://b/g", 1)), [0]);
    assert!(matching(vec![bounded()], data("s3://b/a", 1)).is_empty());
    assert!(matching(vec![bounded()], data("s3://b/x", 1)).is_empty());
}

#[test]
fn a_vector_hides_position_deletes_and_not_equality_deletes() {
    let deletes = vec![
        delete(VECTOR, 9, Some("a")),
        delete(DeleteKind::Position, 8, None),
        delete(DeleteKind::Position, 8, Some("a")),
        equality(8),
    ];
    assert_eq!(matching(deletes, data("a", 1)), [0, 3]);
}

#[test]
fn a_vector_older_than_its_data_file_is_an_error_that_names_both() {
    let index = DeleteIndex::new(vec![delete(VECTOR, 3, Some("a"))], Vec::new());
    let error = look_up(&index, data("a", 4), &mut PruneCounts::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let text = error.to_string();
    assert!(text.contains("delete-3") && text.contains("number 3 names a data file of 4"), "{text}");
    assert_eq!(matching(vec![delete(VECTOR, 4, Some("a"))], data("a", 4)), [0], "of the same commit");
}

#[test]
fn two_vectors_for_one_file_are_an_error_that_names_both() {
    let index =
        DeleteIndex::new(vec![delete(VECTOR, 8, Some("a")), delete(VECTOR, 9, Some("a"))], Vec::new());
    let error = look_up(&index, data("a", 1), &mut PruneCounts::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("delete-8") && error.to_string().contains("delete-9"), "{error}");
}

#[test]
fn a_vector_of_another_partition_is_an_error_and_is_not_ignored() {
    let index = DeleteIndex::new(vec![delete(VECTOR, 8, Some("a"))], Vec::new());
    let other = key("q");
    let elsewhere = Data { partition_key: &other, ..data("a", 1) };
    assert_eq!(
        look_up(&index, elsewhere, &mut PruneCounts::default()).unwrap_err().kind(),
        ErrorKind::InvalidData
    );
}

/// An equality delete of keys between two bounds.
fn bounded(sequence_number: i64, lower: i64, upper: i64) -> IndexedDelete {
    let stats = Longs(lower, upper).column(1, &PrimitiveType::Long.into());
    IndexedDelete { keys: vec![(1, stats)], ..equality(sequence_number) }
}

#[test]
fn equality_deletes_whose_keys_a_file_cannot_have_are_left_away_and_counted() {
    let global = IndexedDelete { unpartitioned: true, partition: (0, key("")), ..bounded(9, 30, 39) };
    let deletes = vec![bounded(9, 0, 9), global, bounded(9, 20, 29), bounded(3, 30, 39), equality(9)];
    let columns = vec![KeyColumn { id: 1, name: "id".to_owned(), field_type: PrimitiveType::Long.into() }];
    let index = DeleteIndex::new(deletes, columns);
    assert_eq!(index.key_columns().collect::<Vec<_>>(), [1]);
    let mut tally = PruneCounts::new(true);
    let data = Data { stats: &Longs(25, 35), ..data("a", 5) };
    let found = look_up(&index, data, &mut tally).unwrap();
    assert_eq!(found, [1, 2, 4], "0 is of other keys, 3 of older rows, of 4 nothing is known");
    let stage = Stage::of("equality deletes", &tally, &index.key_tests());
    assert_eq!((stage.entered, stage.kept), (4, 3));
    assert_eq!(
        stage.dropped,
        [Dropped {
            by: "id".to_owned(),
            reason: "bounds",
            columns: vec!["id".to_owned()],
            count: 1,
            files: vec!["delete-9".to_owned()],
        }]
    );
}

#[test]
fn deletes_of_columns_without_statistics_are_kept() {
    let index = DeleteIndex::new(vec![bounded(9, 0, 9)], Vec::new());
    let data = Data { stats: &Longs(25, 35), ..data("a", 5) };
    assert_eq!(look_up(&index, data, &mut PruneCounts::default()).unwrap(), [0]);
}

#[test]
fn only_equality_deletes_are_equalities() {
    let index = |deletes| DeleteIndex::new(deletes, Vec::new());
    assert!(!index(vec![delete(DeleteKind::Position, 9, None)]).has_equalities());
    assert!(index(vec![equality(9)]).has_equalities());
    assert!(index(vec![IndexedDelete { unpartitioned: true, ..equality(9) }]).has_equalities());
}
