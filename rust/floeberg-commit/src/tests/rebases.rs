//! Rows that were found on an old base, and are changed on a newer one without being looked for again.

use std::sync::Arc;

use floeberg_core::expr::parse;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::Scan;
use floeberg_iceberg::lookup::FoundRows;
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_io::{MemoryStore, Store};

use super::kit::{Kit, set_current};
use super::row_commands::source;
use super::row_deletes::{delete, stored};
use super::row_deltas::{append, data, delta, ids, keys, operation};
use super::row_positions::positions;
use crate::{Attempt, Commit, DeleteMode, IsolationLevel, Operation, RowCommand, RowDelta};

const MERGE: Option<DeleteMode> = Some(DeleteMode::MergeOnRead);

/// A delete that finds its rows again.
fn slow(filter: &str, mode: Option<DeleteMode>) -> Operation {
    Operation::Delete {
        filter: parse(filter).unwrap(),
        case_sensitive: true,
        isolation: None,
        mode,
        finds_again: true,
    }
}

fn retried(kit: &mut Kit, commit: &Commit) -> Attempt {
    let attempt = kit.attempt(commit).unwrap();
    kit.take(&attempt);
    assert_eq!(commit.finished(&attempt), Vec::<String>::new());
    assert_eq!(kit.files(), kit.needed());
    attempt
}

/// Nobody can read it any more.
fn remove(file: &WrittenFile) {
    assert!(MemoryStore::shared().remove(&file.file.file_path));
}

#[test]
fn a_delete_on_a_newer_base_reads_no_file_again_and_counts_rows_of_others_no_more() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4, 5]);
        let commit = kit.begin(vec![slow("id IN (2, 3)", MERGE)], "k");
        let first = kit.attempt(&commit).unwrap();
        assert_eq!((first.counts().deleted_rows, first.is_rebased()), (2, false));
        kit.commit(vec![delete("id IN (3, 4)", MERGE)]);
        append(&mut kit, "x", &[2, 9]);
        let whole = MemoryStore::shared().open(&one.file.file_path).unwrap().read_all(1 << 20).unwrap();
        remove(&one);
        let again = kit.attempt(&commit).unwrap();
        assert_eq!((again.counts().deleted_rows, again.is_rebased()), (2, true), "one of each file");
        let mut sink = MemoryStore::shared().create(&one.file.file_path).unwrap();
        sink.write(&whole).unwrap();
        sink.finish().unwrap();
        retried(&mut kit, &commit);
        assert_eq!(ids(&kit), [1, 5, 9], "v{version}");
    }
}

#[test]
fn copies_are_made_again_of_what_others_left() {
    for version in [1, 2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        let commit = kit.begin(vec![slow("id = 2", Some(DeleteMode::CopyOnWrite))], "k");
        kit.attempt(&commit).unwrap();
        kit.commit(vec![delete("id = 3", Some(DeleteMode::CopyOnWrite))]);
        if version > 1 {
            kit.commit(vec![delete("id = 4", MERGE)]);
        }
        let before = stored(&kit, "x").len();
        retried(&mut kit, &commit);
        assert_eq!(ids(&kit), if version > 1 { vec![1] } else { vec![1, 4] });
        assert_eq!(stored(&kit, "x").len(), before, "the copies of the first attempt are gone");
    }
}

#[test]
fn rows_that_keys_deleted_are_looked_for_again() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        let commit = kit.begin(vec![slow("id IN (2, 3)", MERGE)], "k");
        kit.attempt(&commit).unwrap();
        let deleted = delta(&kit, keys(&kit, &[Some(3)], "x"), Vec::new());
        kit.commit(vec![operation(deleted)]);
        let attempt = retried(&mut kit, &commit);
        assert_eq!((attempt.counts().deleted_rows, attempt.is_rebased()), (1, false));
        assert_eq!(ids(&kit), [1, 4]);
    }
}

#[test]
fn rows_that_a_rollback_brought_back_are_looked_for_again() {
    let mut kit = Kit::partitioned(3, &[]);
    append(&mut kit, "x", &[1, 2, 3, 4]);
    let before = kit.metadata().current_snapshot_id.unwrap();
    kit.commit(vec![delete("id = 2", MERGE)]);
    let commit = kit.begin(vec![slow("id IN (2, 3)", MERGE)], "k");
    kit.attempt(&commit).unwrap();
    kit.commit(vec![set_current(before)]);
    retried(&mut kit, &commit);
    assert_eq!(ids(&kit), [1, 4]);
}

#[test]
fn a_delete_is_the_same_in_another_process() {
    for operation in [slow("id = 2", None), delete("id = 2", MERGE)] {
        assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    }
}

/// A merge that looked for keys, and deletes the first row of a file.
fn merge(kit: &Kit, file: &WrittenFile, of_keys: &[i64], added: Receipt) -> RowDelta {
    let keys = source(kit, of_keys);
    let scan = Scan::new(kit.table.clone().unwrap());
    let found = FoundRows::find(&scan, Arc::clone(&keys), false, &Cancel::default()).unwrap();
    RowDelta {
        command: RowCommand::Merge,
        mode: MERGE,
        keys: Some(keys),
        read_rows: Some(Arc::new(found)),
        ..positions(kit, added, &[(file, &[0])])
    }
}

#[test]
fn a_row_that_was_left_as_it_was_must_still_be_there_if_serializable() {
    for (version, level) in [2, 3].into_iter().flat_map(|version| {
        [IsolationLevel::Serializable, IsolationLevel::Snapshot].map(|level| (version, level))
    }) {
        for by_keys in [false, true] {
            let mut kit = Kit::partitioned(version, &[]);
            let one = append(&mut kit, "x", &[1, 2, 3]);
            let ours = |kit: &Kit| RowDelta {
                isolation: Some(level),
                ..merge(kit, &one, &[1, 2], data(kit, "x", &[10]))
            };
            let (of_read, of_other) = (ours(&kit), ours(&kit));
            if !by_keys {
                kit.commit(vec![delete("id = 3", MERGE)]);
                kit.commit(vec![operation(of_other)]);
                assert_eq!(ids(&kit), [2, 10], "a row that was not read is no conflict");
                continue;
            }
            kit.commit(vec![delete("id = 2", MERGE)]);
            if level == IsolationLevel::Snapshot {
                kit.commit(vec![operation(of_read)]);
                assert_eq!(ids(&kit), [3, 10]);
                continue;
            }
            let error = kit.refused(operation(of_read));
            assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
            assert!(error.to_string().contains("left as it was"), "{error}");
            let context = format!("{:?}", error.context());
            assert!(context.contains(&one.file.file_path) && context.contains("position"), "{context}");
        }
    }
}

#[test]
fn a_row_that_others_changed_is_not_deleted_by_one_that_saw_it_before() {
    for level in [IsolationLevel::Serializable, IsolationLevel::Snapshot] {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let ours = RowDelta { isolation: Some(level), ..merge(&kit, &one, &[1], Receipt::default()) };
        let same = ours.clone();
        let gone = merge(&kit, &one, &[1], Receipt::default());
        // Another writes row 1 again.
        let theirs = positions(&kit, data(&kit, "x", &[1]), &[(&one, &[0])]);
        kit.commit(vec![operation(theirs)]);
        let error = kit.refused(operation(ours));
        assert!(error.to_string().contains("with a key of the source"), "{error}");
        kit.commit(vec![delete("id = 1", MERGE)]);
        kit.commit(vec![operation(same)]);
        kit.commit(vec![operation(gone)]);
        assert_eq!(ids(&kit), [2, 3], "two deletes of a row are no conflict");
    }
}

#[test]
fn added_rows_that_went_again_are_no_conflict() {
    for (version, by_keys) in [(2, false), (2, true), (3, false), (3, true)] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let ours = if by_keys {
            merge(&kit, &one, &[1, 7], data(&kit, "x", &[10]))
        } else {
            RowDelta {
                filter: Some(parse("id IN (1, 7)").unwrap()),
                ..positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])])
            }
        };
        // Bounds do not tell that row 7 is not there.
        append(&mut kit, "x", &[6, 8]);
        kit.commit(vec![delete("id > 5", MERGE)]);
        kit.commit(vec![operation(ours)]);
        assert_eq!(ids(&kit), [2, 3, 10]);
    }
}
