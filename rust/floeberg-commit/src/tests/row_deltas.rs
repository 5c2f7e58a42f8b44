use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use floeberg_core::expr::parse;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::{MemoryStore, Store, StoreOptions};
use proptest::prelude::*;

use super::kit::Kit;
use crate::{IsolationLevel, Operation, Previous, RowDelta, Update, apply};
use floeberg_iceberg::Scan;
use floeberg_iceberg::manifest::{EntryStatus, FileContent, ManifestContent};
use floeberg_iceberg::metadata::{PartitionField, PartitionSpec};
use floeberg_iceberg::write::{
    DeleteRecipe, DeletedPositions, EqualityWriter, Receipt, WriteRecipe, WriteTask, Writer, WrittenFile,
    write_positions, write_vectors,
};
use floeberg_io::random::random_uuid;

const TASK: WriteTask<'static> = WriteTask { partition: 0, name: "t" };

fn store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::shared())
}

/// A data file of a day with these ids, in this order.
pub(super) fn data(kit: &Kit, day: &str, ids: &[i64]) -> Receipt {
    let recipe =
        WriteRecipe::new(kit.metadata(), &StoreOptions::new(), &BTreeMap::new(), &random_uuid()).unwrap();
    let mut writer = Writer::new(&recipe, store(), TASK, &Cancel::default()).unwrap();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(ids.to_vec())), Arc::new(StringArray::from(vec![day; ids.len()]))];
    let schema = Arc::new(schema_to_arrow(recipe.schema()).unwrap());
    writer.write(&RecordBatch::try_new(schema, columns).unwrap()).unwrap();
    writer.finish().unwrap()
}

/// Appends such a file: what the table has of it.
pub(super) fn append(kit: &mut Kit, day: &str, ids: &[i64]) -> WrittenFile {
    let receipt = data(kit, day, ids);
    kit.commit(vec![Operation::Append { receipt: receipt.clone(), merge: Some(false) }]);
    receipt.files()[0].clone()
}

pub(super) fn deletes(kit: &Kit, rows: &[(&WrittenFile, &[u64])]) -> Receipt {
    let recipe =
        DeleteRecipe::new(kit.metadata(), &StoreOptions::new(), &BTreeMap::new(), &random_uuid()).unwrap();
    let rows: Vec<_> = rows
        .iter()
        .map(|(written, positions)| DeletedPositions {
            file_path: written.file.file_path.clone(),
            spec_id: written.spec_id,
            partition: written.file.partition.clone(),
            positions: positions.iter().copied().collect(),
        })
        .collect();
    let write = if kit.metadata().format_version >= 3 { write_vectors } else { write_positions };
    write(&recipe, store().as_ref(), TASK, &Cancel::default(), &rows).unwrap()
}

pub(super) fn keys(kit: &Kit, ids: &[Option<i64>], day: &str) -> Receipt {
    let recipe =
        DeleteRecipe::new(kit.metadata(), &StoreOptions::new(), &BTreeMap::new(), &random_uuid()).unwrap();
    let live = BTreeSet::from([0]);
    let mut writer =
        EqualityWriter::new(&recipe, &store(), TASK, &Cancel::default(), &[1, 2], &live).unwrap();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(ids.to_vec())), Arc::new(StringArray::from(vec![day; ids.len()]))];
    let schema = Arc::new(schema_to_arrow(writer.schema()).unwrap());
    writer.write(&RecordBatch::try_new(schema, columns).unwrap()).unwrap();
    writer.finish().unwrap()
}

pub(super) fn delta(kit: &Kit, added: Receipt, removed: Vec<WrittenFile>) -> RowDelta {
    RowDelta {
        added,
        removed: Receipt::new(removed).unwrap(),
        read_snapshot_id: kit.metadata().current_snapshot_id,
        case_sensitive: true,
        ..RowDelta::default()
    }
}

pub(super) fn operation(delta: RowDelta) -> Operation {
    Operation::RowDelta(Box::new(delta))
}

/// The ids of all rows, sorted.
pub(super) fn ids(kit: &Kit) -> Vec<i64> {
    let scan = Scan::new(kit.table.clone().unwrap()).select(vec!["id".to_owned()]);
    let batches: Vec<_> = scan.stream(&Cancel::default()).unwrap().collect::<Result<_, _>>().unwrap();
    let mut ids: Vec<i64> = batches
        .iter()
        .flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().iter().map(|id| id.unwrap_or(-1)))
        .collect();
    ids.sort_unstable();
    ids
}

/// The live delete files, as the table has them.
pub(super) fn live_deletes(kit: &Kit) -> Vec<WrittenFile> {
    let mut live = Vec::new();
    for manifest in kit.manifests().iter().filter(|manifest| manifest.content == ManifestContent::Deletes) {
        for entry in kit.entries(manifest).into_iter().filter(|entry| entry.status != EntryStatus::Deleted) {
            let spec_id = manifest.partition_spec_id;
            live.push(WrittenFile { spec_id, file: entry.data_file, purpose: None });
        }
    }
    live
}

fn conflict(kit: &mut Kit, operation: Operation, message: &str) {
    let error = kit.refused(operation);
    assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn rows_deleted_by_position_are_gone_and_counted_as_java_counts_them() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        let two = append(&mut kit, "y", &[5, 6]);
        let added = deletes(&kit, &[(&one, &[0, 2]), (&two, &[1])]);
        kit.commit(vec![operation(delta(&kit, added, Vec::new()))]);
        assert_eq!(ids(&kit), [2, 4, 5]);
        let snapshot = kit.metadata().current_snapshot().unwrap();
        assert_eq!(snapshot.operation.as_deref(), Some("delete"));
        let (files, vectors) = if version == 3 { (None, Some("2")) } else { (Some("2"), None) };
        for (name, value) in [
            ("added-delete-files", Some("2")),
            ("added-position-deletes", Some("3")),
            ("added-position-delete-files", files),
            ("added-dvs", vectors),
            ("total-delete-files", Some("2")),
            ("total-position-deletes", Some("3")),
            ("total-data-files", Some("2")),
            ("total-records", Some("6")),
            ("added-data-files", None),
            ("changed-partition-count", Some("2")),
        ] {
            assert_eq!(kit.said(name), value, "{name} of v{version}");
        }
        let contents: Vec<_> = kit.manifests().iter().map(|manifest| manifest.content).collect();
        assert_eq!(contents, [ManifestContent::Data, ManifestContent::Data, ManifestContent::Deletes]);
        let sizes: i64 = live_deletes(&kit)
            .iter()
            .map(|written| written.file.content_size_in_bytes.unwrap_or(written.file.file_size_in_bytes))
            .sum();
        assert_eq!(kit.said("added-files-size"), Some(sizes.to_string().as_str()));
    }
}

#[test]
fn a_new_vector_takes_the_place_of_the_older_one() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3, 4]);
    let two = append(&mut kit, "x", &[5, 6]);
    let added = deletes(&kit, &[(&one, &[0]), (&two, &[0])]);
    kit.commit(vec![operation(delta(&kit, added, Vec::new()))]);
    let older = live_deletes(&kit)
        .into_iter()
        .find(|written| written.file.referenced_data_file.as_ref() == Some(&one.file.file_path))
        .unwrap();
    let next = deletes(&kit, &[(&one, &[0, 3])]);
    let both = operation(delta(&kit, next.clone(), Vec::new()));
    conflict(&mut kit, both, "a deletion vector that the operation does not replace");
    kit.commit(vec![operation(delta(&kit, next, vec![older.clone()]))]);
    assert_eq!(ids(&kit), [2, 3, 6], "and the vector in the same file stays");
    for (name, value) in [
        ("added-dvs", "1"),
        ("removed-dvs", "1"),
        ("removed-position-deletes", "1"),
        ("total-position-deletes", "3"),
    ] {
        assert_eq!(kit.said(name), Some(value), "{name}");
    }
    let again = deletes(&kit, &[(&one, &[0, 3])]);
    let stale = operation(delta(&kit, again, vec![older]));
    conflict(&mut kit, stale, "a deletion vector that the operation does not replace");
}

#[test]
fn of_two_that_delete_rows_of_one_file_the_later_one_conflicts_where_there_are_vectors() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let operations =
            [0, 1].map(|row| operation(delta(&kit, deletes(&kit, &[(&one, &[row])]), Vec::new())));
        let [first, second] = operations.map(|operation| kit.begin(vec![operation], &random_uuid()));
        let attempt = kit.attempt(&first).unwrap();
        kit.take(&attempt);
        match kit.attempt(&second) {
            Ok(attempt) => {
                assert_eq!(version, 2);
                kit.take(&attempt);
                assert_eq!(ids(&kit), [3]);
            }
            Err(error) => {
                assert_eq!((version, error.kind()), (3, ErrorKind::CommitConflict));
                assert_eq!(ids(&kit), [2, 3]);
            }
        }
    }
}

#[test]
fn keys_delete_older_rows_and_no_newer_ones() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3]);
        append(&mut kit, "y", &[1]);
        let (added, rows) = (keys(&kit, &[Some(1), Some(3), None], "x"), data(&kit, "x", &[3]));
        let both = Receipt::concat([added, rows]).unwrap();
        kit.commit(vec![operation(delta(&kit, both, Vec::new()))]);
        assert_eq!(ids(&kit), [1, 2, 3], "the row of the same commit stays, and that of the other day");
        assert_eq!(kit.metadata().current_snapshot().unwrap().operation.as_deref(), Some("overwrite"));
        assert_eq!(kit.said("added-equality-deletes"), Some("3"));
        assert_eq!(kit.said("added-equality-delete-files"), Some("1"));
        append(&mut kit, "x", &[1]);
        assert_eq!(ids(&kit), [1, 1, 2, 3]);
    }
}

#[test]
fn deletes_of_a_data_file_that_is_gone_are_a_conflict() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2]);
        append(&mut kit, "y", &[3]);
        let late = delta(&kit, deletes(&kit, &[(&one, &[0])]), Vec::new());
        let unnamed = RowDelta {
            added: keys(&kit, &[Some(9)], "x"),
            referenced_data_files: vec![one.file.file_path.clone()],
            ..late.clone()
        };
        kit.commit(vec![operation(delta(&kit, Receipt::default(), vec![one.clone()]))]);
        assert_eq!(ids(&kit), [3]);
        assert_eq!(kit.said("deleted-data-files"), Some("1"));
        conflict(&mut kit, operation(late), &one.file.file_path);
        conflict(&mut kit, operation(unnamed), &one.file.file_path);
        let again = operation(delta(&kit, Receipt::default(), vec![one]));
        conflict(&mut kit, again, "not in the table any more");
    }
}

#[test]
fn rows_that_are_written_again_do_not_bring_back_what_others_deleted() {
    for version in [2, 3] {
        for (others, is_hit) in [("position", true), ("key", true), ("key of another day", false)] {
            let mut kit = Kit::partitioned(version, &[]);
            let one = append(&mut kit, "x", &[1, 2, 3]);
            append(&mut kit, "y", &[4]);
            // Rows 2 and 3 are copied, row 1 is deleted so.
            let copy = delta(&kit, data(&kit, "x", &[2, 3]), vec![one.clone()]);
            let drop = delta(&kit, Receipt::default(), vec![one.clone()]);
            let added = match others {
                "position" => deletes(&kit, &[(&one, &[2])]),
                "key" => keys(&kit, &[Some(3)], "x"),
                _ => keys(&kit, &[Some(4)], "y"),
            };
            kit.commit(vec![operation(delta(&kit, added, Vec::new()))]);
            let (copy, drop) = (operation(copy), operation(drop));
            if is_hit {
                conflict(&mut kit, copy, "that the operation writes again");
                kit.commit(vec![drop]);
                assert_eq!(ids(&kit), [4], "what only goes needs no such test");
            } else {
                kit.commit(vec![copy]);
                assert_eq!(ids(&kit), [2, 3]);
                assert_eq!(
                    kit.metadata().current_snapshot().unwrap().operation.as_deref(),
                    Some("overwrite")
                );
            }
        }
    }
}

#[test]
fn with_a_data_file_that_is_written_again_its_vector_goes() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let added = deletes(&kit, &[(&one, &[0])]);
    kit.commit(vec![operation(delta(&kit, added, Vec::new()))]);
    let copied = data(&kit, "x", &[3]);
    kit.commit(vec![operation(delta(&kit, copied, vec![one]))]);
    assert_eq!((ids(&kit), live_deletes(&kit).len()), (vec![3], 0));
    assert_eq!(kit.said("total-position-deletes"), Some("0"));
}

#[test]
fn rows_that_an_operation_missed_are_a_conflict_if_it_is_serializable() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let missed = |isolation, filter: &str, kit: &Kit| RowDelta {
            filter: Some(parse(filter).unwrap()),
            isolation,
            ..delta(kit, deletes(kit, &[(&one, &[0])]), Vec::new())
        };
        let serializable = operation(missed(None, "id < 2", &kit));
        let elsewhere = operation(missed(None, "id < 2 AND day = 'z'", &kit));
        let snapshot = operation(missed(Some(IsolationLevel::Snapshot), "id < 2", &kit));
        append(&mut kit, "y", &[1]);
        conflict(&mut kit, serializable, "added a file that may hold rows");
        let commits =
            [&elsewhere, &snapshot].map(|operation| kit.begin(vec![operation.clone()], &random_uuid()));
        for commit in commits {
            kit.attempt(&commit).unwrap();
            assert_eq!(commit.abandon(), [""; 0]);
        }
        kit.commit(vec![elsewhere]);
        assert_eq!(ids(&kit), [1, 2, 3]);
    }
}

#[test]
fn deletes_that_a_new_vector_would_hide_are_a_conflict() {
    // Position deletes of a table that another writer raised to v3 after it was read.
    let mut kit = Kit::partitioned(2, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let read = kit.metadata().current_snapshot_id;
    let of_v2 = operation(delta(&kit, deletes(&kit, &[(&one, &[0])]), Vec::new()));
    let begun = kit.begin(vec![of_v2.clone()], "k2");
    let by_other = deletes(&kit, &[(&one, &[1])]);
    kit.commit(vec![operation(delta(&kit, by_other, Vec::new()))]);
    kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
    let error = kit.attempt(&begun).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("upgraded to version 3"), "{error}");
    assert_eq!(begun.abandon(), [""; 0]);
    assert_eq!(kit.refused(of_v2).kind(), ErrorKind::InvalidInput);
    let vector = deletes(&kit, &[(&one, &[0])]);
    let hides = RowDelta { read_snapshot_id: read, ..delta(&kit, vector.clone(), Vec::new()) };
    conflict(&mut kit, operation(hides), "a new deletion vector does not hold");
    let whole = deletes(&kit, &[(&one, &[0, 1])]);
    let old = live_deletes(&kit);
    assert_eq!(old.len(), 1);
    kit.commit(vec![operation(delta(&kit, whole, old))]);
    assert_eq!(ids(&kit), [3]);
    assert_eq!(kit.said("removed-position-delete-files"), Some("1"));
}

#[test]
fn what_contradicts_itself_is_refused() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let vector = deletes(&kit, &[(&one, &[0])]);
    let twice = Receipt::concat([vector.clone(), deletes(&kit, &[(&one, &[1])])]).unwrap();
    for (delta, message) in [
        (delta(&kit, Receipt::default(), Vec::new()), "neither adds nor removes"),
        (delta(&kit, vector, vec![one]), "adds no deletes for it"),
        (delta(&kit, twice, Vec::new()), "two deletion vectors for one data file"),
    ] {
        let error = kit.refused(operation(delta));
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let mut old = Kit::partitioned(2, &[]);
    let other = append(&mut old, "x", &[1, 2]);
    let added = deletes(&old, &[(&other, &[0])]);
    let mut copies = Kit::partitioned(1, &[]);
    copies.commit(vec![super::kit::append("a", "x")]);
    let of_another: Vec<_> =
        added.files().iter().map(|written| WrittenFile { purpose: None, ..written.clone() }).collect();
    let deletes = RowDelta {
        read_snapshot_id: copies.metadata().current_snapshot_id,
        ..delta(&copies, Receipt::new(of_another).unwrap(), Vec::new())
    };
    let error = copies.refused(operation(deletes));
    assert!(error.to_string().contains("format version 1 has no delete files"), "{error}");
    let error = kit.refused(operation(delta(&kit, added, Vec::new())));
    assert!(
        error.to_string().contains("another table") || error.kind() == ErrorKind::CommitConflict,
        "{error}"
    );
}

#[test]
fn a_retry_uses_the_manifests_of_the_first_attempt_and_leaves_no_file() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let commit = kit.begin(vec![operation(delta(&kit, deletes(&kit, &[(&one, &[0])]), Vec::new()))], "k");
    kit.attempt(&commit).unwrap();
    let first = kit.files();
    append(&mut kit, "y", &[9]);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!(commit.finished(&attempt), Vec::<String>::new());
    assert_eq!(ids(&kit), [2, 3, 9]);
    assert_eq!(kit.files(), kit.needed(), "no file is left over");
    let of_deletes =
        kit.manifests().into_iter().find(|manifest| manifest.content == ManifestContent::Deletes).unwrap();
    let name = of_deletes.manifest_path.rsplit('/').next().unwrap();
    assert!(first.contains(name), "the manifest of the first attempt");
}

#[test]
fn an_operation_is_the_same_in_another_process() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let whole = RowDelta {
        referenced_data_files: vec!["a".to_owned(), "b".to_owned()],
        filter: Some(parse("id > 1 OR day IS NULL").unwrap()),
        isolation: Some(IsolationLevel::Snapshot),
        ..delta(&kit, deletes(&kit, &[(&one, &[0])]), vec![one.clone()])
    };
    let least = RowDelta {
        read_snapshot_id: None,
        case_sensitive: false,
        ..delta(&kit, Receipt::default(), vec![one])
    };
    for delta in [whole, least, RowDelta::default()] {
        let operation = operation(delta);
        let bytes = operation.to_bytes().unwrap();
        assert_eq!(Operation::from_bytes(&bytes).unwrap(), operation);
        for length in 0..bytes.len() {
            assert_eq!(Operation::from_bytes(&bytes[..length]).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }
}

/// Another writer adds spec 1, by a bucket of `id`.
fn add_spec(kit: &mut Kit) {
    let table = kit.table.take().unwrap();
    let field = PartitionField {
        field_id: 1001,
        source_ids: vec![1],
        name: "of".to_owned(),
        transform: Transform::Bucket(4),
        unknown_keys: serde_json::Map::new(),
    };
    let spec = PartitionSpec { spec_id: 1, fields: vec![field], unknown_keys: serde_json::Map::new() };
    let previous = Previous { metadata: table.metadata(), metadata_location: table.metadata_location() };
    let updates = [Update::AddSpec(Arc::new(spec))];
    let after = apply(Some(previous), &[], &updates, table.metadata().last_updated_ms).unwrap();
    let location = format!("{}/metadata/other.metadata.json", kit.location);
    kit.table = Some(table.moved_on(Arc::new(after), location).unwrap());
}

#[test]
fn data_files_of_a_spec_that_keys_are_not_written_for_are_a_conflict() {
    let mut kit = Kit::partitioned(2, &[]);
    append(&mut kit, "x", &[1, 2]);
    let receipt = keys(&kit, &[Some(1)], "x");
    let elsewhere: Vec<_> = receipt
        .files()
        .iter()
        .map(|written| WrittenFile {
            spec_id: 1,
            file: floeberg_iceberg::manifest::DataFile {
                partition: vec![Some(Value::Int(0))],
                ..written.file.clone()
            },
            purpose: None,
        })
        .collect();
    add_spec(&mut kit);
    let other = delta(&kit, Receipt::new(elsewhere).unwrap(), Vec::new());
    conflict(&mut kit, operation(other), "data files of it");
    kit.commit(vec![operation(delta(&kit, receipt, Vec::new()))]);
    assert_eq!(ids(&kit), [2]);
}

/// Positions in a file.
type Gone = BTreeSet<u64>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Random deletes by position and key, appends, copies and drops, beside a model of the rows.
    #[test]
    fn histories_of_row_changes_leave_the_rows_of_the_model(
        version in 2_u8..4,
        steps in prop::collection::vec((0_u8..5, any::<u64>()), 1..14),
    ) {
        let mut kit = Kit::partitioned(version, &[("commit.manifest.min-count-to-merge", "3")]);
        // Each data file with its rows, and which of them are there by position, and at all.
        let mut files: Vec<(WrittenFile, Vec<i64>, Gone, Gone)> = Vec::new();
        let mut next = 0_i64;
        for (kind, seed) in steps {
            let day = ["x", "y"][(seed % 2) as usize];
            if kind == 0 || files.is_empty() {
                let rows: Vec<i64> = (next..next + 6).collect();
                next += 6;
                let written = append(&mut kit, day, &rows);
                files.push((written, rows, BTreeSet::new(), BTreeSet::new()));
                continue;
            }
            let place = (seed / 2) as usize % files.len();
            let position = (seed / 64) % 6;
            match kind {
                1 | 2 => {
                    let (written, _, by_position, gone) = &mut files[place];
                    gone.insert(position);
                    by_position.insert(position);
                    let all: Vec<u64> = by_position.iter().copied().collect();
                    let old: Vec<_> = live_deletes(&kit).into_iter().filter(|delete| {
                        delete.file.content == FileContent::PositionDeletes
                            && delete.file.referenced_data_file.as_ref() == Some(&written.file.file_path)
                    }).collect();
                    let (rows, removed) = if version == 3 { (all, old) } else { (vec![position], Vec::new()) };
                    let added = deletes(&kit, &[(written, &rows)]);
                    kit.commit(vec![operation(delta(&kit, added, removed))]);
                }
                3 => {
                    let id = (seed % next as u64) as i64;
                    let added = Receipt::concat(["x", "y"].map(|day| keys(&kit, &[Some(id)], day))).unwrap();
                    kit.commit(vec![operation(delta(&kit, added, Vec::new()))]);
                    for (_, rows, _, gone) in &mut files {
                        gone.extend(rows.iter().position(|row| *row == id).map(|row| row as u64));
                    }
                }
                _ => {
                    let (written, rows, _, gone) = files.remove(place);
                    let left: Vec<i64> = rows.iter().enumerate().filter(|(row, _)| !gone.contains(&(*row as u64))).map(|(_, id)| *id).collect();
                    let day = match &written.file.partition[0] {
                        Some(Value::String(day)) => day.clone(),
                        other => panic!("{other:?}"),
                    };
                    let added = if left.is_empty() { Receipt::default() } else { data(&kit, &day, &left) };
                    let copy = added.files().first().cloned();
                    kit.commit(vec![operation(delta(&kit, added, vec![written]))]);
                    files.extend(copy.map(|copy| (copy, left, BTreeSet::new(), BTreeSet::new())));
                }
            }
            let mut expected: Vec<i64> = files.iter().flat_map(|(_, rows, _, gone)| {
                rows.iter().enumerate().filter(|(row, _)| !gone.contains(&(*row as u64))).map(|(_, id)| *id)
            }).collect();
            expected.sort_unstable();
            prop_assert_eq!(ids(&kit), expected);
        }
    }
}
