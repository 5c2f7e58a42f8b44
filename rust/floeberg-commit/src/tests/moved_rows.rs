//! Rows of files that others wrote again are followed by their lineage, and changed where they are now.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use floeberg_core::expr::parse;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::Scan;
use floeberg_iceberg::lookup::FoundRows;
use floeberg_iceberg::write::{Receipt, WriteRecipe, WriteTask, Writer, WrittenFile};
use floeberg_io::{MemoryStore, Store, StoreOptions};

use super::kit::Kit;
use super::row_commands::source;
use super::row_deletes::{MODES, delete, lineage};
use super::row_deltas::{append, data, delta, ids, keys, operation};
use super::row_positions::positions;
use crate::{DeleteMode, IsolationLevel, Operation, RowCommand, RowDelta};
use floeberg_io::random::random_uuid;

const COPY: Option<DeleteMode> = Some(DeleteMode::CopyOnWrite);
const MERGE: Option<DeleteMode> = Some(DeleteMode::MergeOnRead);

/// An id, a row id, and the sequence number of the last update.
pub(super) type Row = (i64, Option<i64>, Option<i64>);

/// A data file of rows that say which rows they were.
fn with_lineage(kit: &Kit, rows: &[Row]) -> Receipt {
    let recipe =
        WriteRecipe::new(kit.metadata(), &StoreOptions::new(), &BTreeMap::new(), &random_uuid()).unwrap();
    let recipe = recipe.with_lineage().unwrap();
    let task = WriteTask { partition: 0, name: "t" };
    let store: Arc<dyn Store> = Arc::new(MemoryStore::shared());
    let mut writer = Writer::new(&recipe, store, task, &Cancel::default()).unwrap();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| Some(row.0)).collect::<Int64Array>()),
        Arc::new(StringArray::from(vec!["x"; rows.len()])),
        Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()),
        Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>()),
    ];
    let schema = Arc::new(schema_to_arrow(recipe.schema()).unwrap());
    writer.write(&RecordBatch::try_new(schema, columns).unwrap()).unwrap();
    writer.finish().unwrap()
}

/// Puts these rows in the place of a file.
pub(super) fn rewrite(kit: &mut Kit, file: &WrittenFile, rows: &[Row]) {
    let replaced = [file.file.file_path.clone()].into_iter().collect();
    let made = RowDelta { replaced, ..delta(kit, with_lineage(kit, rows), Vec::new()) };
    kit.commit(vec![operation(made)]);
}

/// Changes the first row of a file, whose id becomes 10.
fn change(kit: &Kit, file: &WrittenFile, mode: Option<DeleteMode>) -> RowDelta {
    RowDelta {
        filter: Some(parse("id IN (1, 10)").unwrap()),
        command: RowCommand::Update,
        mode,
        ..positions(kit, data(kit, "x", &[10]), &[(file, &[0])])
    }
}

fn conflict(kit: &mut Kit, delta: RowDelta, message: &str) {
    let error = kit.refused(operation(delta));
    assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    let context = format!("{:?}", error.context());
    assert!(context.contains("file_path"), "{context}");
}

#[test]
fn rows_are_changed_where_they_are_now() {
    for mode in MODES {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        let two = append(&mut kit, "x", &[7, 8]);
        let changes = change(&kit, &one, Some(mode));
        let deletes = positions(&kit, Receipt::default(), &[(&one, &[1]), (&two, &[0])]);
        for filter in ["id = 3", "id = 4", "id = 8"] {
            kit.commit(vec![delete(filter, COPY)]);
        }
        let before = lineage(&kit);
        let commit = kit.begin(vec![operation(changes)], "k");
        let attempt = kit.attempt(&commit).unwrap();
        assert_eq!((attempt.counts().deleted_rows, attempt.is_rebased()), (1, true));
        kit.take(&attempt);
        commit.finished(&attempt);
        assert_eq!(ids(&kit), [2, 7, 10]);
        assert_eq!(lineage(&kit)[&2], before[&2]);
        kit.commit(vec![operation(deletes)]);
        assert_eq!(ids(&kit), [10]);
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn a_row_that_is_not_as_it_was_is_a_conflict() {
    let same: Vec<Row> = vec![(1, Some(0), Some(1)), (2, Some(1), Some(1))];
    let cases: [(&str, Vec<Row>); 5] = [
        ("changed", vec![(1, Some(0), None), same[1]]),
        ("changed later", vec![(1, Some(0), Some(2)), same[1]]),
        ("gone", vec![same[1]]),
        ("twice", vec![same[0], same[0], same[1]]),
        ("without its row id", vec![(1, None, None), same[1]]),
    ];
    for (what, rows) in cases {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1, 2]);
        let (changes, deletes) =
            (change(&kit, &one, MERGE), positions(&kit, Receipt::default(), &[(&one, &[0])]));
        rewrite(&mut kit, &one, &rows);
        let left = ids(&kit);
        conflict(&mut kit, changes, "not in the table any more");
        conflict(&mut kit, deletes, "not in the table any more");
        assert_eq!(ids(&kit), left, "{what}");
    }
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let changes = change(&kit, &one, MERGE);
    rewrite(&mut kit, &one, &same);
    kit.commit(vec![operation(changes)]);
    assert_eq!(ids(&kit), [2, 10], "as it was");
}

#[test]
fn a_row_that_is_in_two_files_is_a_conflict() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let changes = change(&kit, &one, MERGE);
    rewrite(&mut kit, &one, &[(1, Some(0), Some(1)), (2, Some(1), Some(1))]);
    let again = with_lineage(&kit, &[(30, Some(0), Some(1))]);
    kit.commit(vec![Operation::Append { receipt: again, merge: Some(false) }]);
    conflict(&mut kit, changes, "not in the table any more");
    assert_eq!(ids(&kit), [1, 2, 30]);
}

#[test]
fn a_row_that_was_deleted_where_it_is_now_is_a_conflict() {
    for by_keys in [false, true] {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let changes = change(&kit, &one, MERGE);
        kit.commit(vec![delete("id = 3", COPY)]);
        let theirs = if by_keys {
            operation(delta(&kit, keys(&kit, &[Some(1)], "x"), Vec::new()))
        } else {
            delete("id = 1", MERGE)
        };
        kit.commit(vec![theirs]);
        conflict(&mut kit, changes, "not in the table any more");
        assert_eq!(ids(&kit), [2]);
    }
}

#[test]
fn rows_without_row_ids_are_not_followed() {
    for is_upgraded in [false, true] {
        let mut kit = Kit::partitioned(2, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let changes = change(&kit, &one, MERGE);
        if is_upgraded {
            // They get row ids with the next snapshot, after they were read.
            kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
            append(&mut kit, "x", &[5]);
        }
        kit.commit(vec![delete("id = 3", COPY)]);
        if is_upgraded {
            let error = kit.refused(operation(changes));
            assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
            assert!(error.to_string().contains("gave ids to the rows that were changed"), "{error}");
        } else {
            conflict(&mut kit, changes, "not in the table any more");
        }
        assert_eq!(ids(&kit)[..2], [1, 2]);
    }
    let mut kit = Kit::partitioned(2, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
    append(&mut kit, "x", &[5]);
    let changes = change(&kit, &one, MERGE);
    kit.commit(vec![delete("id = 3", COPY)]);
    kit.commit(vec![operation(changes)]);
    assert_eq!(ids(&kit), [2, 5, 10], "those that were read after it have some");
}

#[test]
fn rows_that_were_left_as_they_were_are_followed_too() {
    for level in [IsolationLevel::Serializable, IsolationLevel::Snapshot] {
        for inserts_keys in [false, true] {
            for changes_read in [false, true] {
                let mut kit = Kit::partitioned(3, &[]);
                let one = append(&mut kit, "x", &[1, 2, 3]);
                let keys = source(&kit, &[1, 2]);
                let scan = Scan::new(kit.table.clone().unwrap());
                let found = FoundRows::find(&scan, Arc::clone(&keys), false, &Cancel::default()).unwrap();
                let ours = RowDelta {
                    command: RowCommand::Upsert,
                    mode: MERGE,
                    keys: Some(keys),
                    inserts_keys,
                    isolation: Some(level),
                    read_rows: Some(Arc::new(found)),
                    ..positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])])
                };
                let last = changes_read.then_some(2).or(Some(1));
                rewrite(&mut kit, &one, &[(1, Some(0), Some(1)), (2, Some(1), last)]);
                let is_conflict = changes_read && (inserts_keys || level == IsolationLevel::Serializable);
                let tried = kit.try_to_commit(vec![operation(ours)]);
                assert_eq!(tried.is_err(), is_conflict, "{level:?} {inserts_keys} {changes_read} {tried:?}");
                assert_eq!(ids(&kit), if is_conflict { vec![1, 2] } else { vec![2, 10] });
            }
        }
    }
}

#[test]
fn rows_that_others_added_to_the_new_file_are_a_conflict() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let changes = change(&kit, &one, MERGE);
    let all = RowDelta { filter: Some(parse("day = 'x'").unwrap()), ..changes.clone() };
    rewrite(&mut kit, &one, &[(1, Some(0), Some(1)), (10, None, None), (2, Some(1), Some(1))]);
    let error = kit.refused(operation(changes));
    assert!(error.to_string().contains("added a file that may hold rows matching"), "{error}");
    let error = kit.refused(operation(all));
    assert!(error.to_string().contains("added a file that may hold rows matching"), "{error}");
    assert_eq!(ids(&kit), [1, 2, 10]);
}

#[test]
fn files_of_other_row_ids_are_not_read() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let two = append(&mut kit, "x", &[7, 8]);
    let changes = positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])]);
    rewrite(&mut kit, &one, &[(1, Some(0), Some(1)), (2, Some(1), Some(1))]);
    let others = with_lineage(&kit, &[(7, Some(2), Some(2)), (8, Some(3), Some(2))]);
    let path = others.files()[0].file.file_path.clone();
    let replaced = [two.file.file_path.clone()].into_iter().collect();
    let made = RowDelta { replaced, ..delta(&kit, others, Vec::new()) };
    kit.commit(vec![operation(made)]);
    let whole = MemoryStore::shared().open(&path).unwrap().read_all(1 << 20).unwrap();
    assert!(MemoryStore::shared().remove(&path));
    kit.commit(vec![operation(changes)]);
    let mut sink = MemoryStore::shared().create(&path).unwrap();
    sink.write(&whole).unwrap();
    sink.finish().unwrap();
    assert_eq!(ids(&kit), [2, 7, 8, 10]);
}

#[test]
fn rows_of_a_file_that_nobody_can_read_any_more_are_not_followed() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let changes = change(&kit, &one, MERGE);
    rewrite(&mut kit, &one, &[(1, Some(0), Some(1)), (2, Some(1), Some(1))]);
    assert!(MemoryStore::shared().remove(&one.file.file_path));
    conflict(&mut kit, changes, "not in the table any more");
}
