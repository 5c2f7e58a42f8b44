//! Rows replaced by a filter, from files of which others stay, in one snapshot.

use floeberg_core::expr::parse;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::MemoryStore;

use super::kit::Kit;
use super::row_deletes::{cases, delete, lineage, said_operation, stored};
use super::row_deltas::{append, data, deletes, delta, ids, keys, live_deletes, operation};
use crate::{Commit, CommitRequest, DeleteMode, IsolationLevel, Operation, RowCounts, Step};
use floeberg_io::random::random_uuid;

fn overwrite(kit: &Kit, new: &[i64], filter: &str, mode: Option<DeleteMode>) -> Operation {
    Operation::Overwrite {
        receipt: data(kit, "x", new),
        filter: parse(filter).unwrap(),
        case_sensitive: true,
        isolation: None,
        mode,
    }
}

fn isolated(operation: Operation, level: IsolationLevel) -> Operation {
    match operation {
        Operation::Overwrite { receipt, filter, case_sensitive, mode, .. } => {
            Operation::Overwrite { receipt, filter, case_sensitive, isolation: Some(level), mode }
        }
        Operation::Delete { filter, case_sensitive, mode, finds_again, .. } => {
            Operation::Delete { filter, case_sensitive, isolation: Some(level), mode, finds_again }
        }
        other => other,
    }
}

#[test]
fn rows_go_and_come_in_one_snapshot() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        append(&mut kit, "x", &[5, 6]);
        append(&mut kit, "y", &[2]);
        let before = kit.metadata().snapshots.len();
        let replace = overwrite(&kit, &[20, 2], "day = 'x' AND id IN (2, 3)", Some(mode));
        kit.commit(vec![replace]);
        // A new row stays although it matches.
        assert_eq!(ids(&kit), [1, 2, 2, 4, 5, 6, 20], "v{version} {mode:?}");
        assert_eq!(kit.metadata().snapshots.len(), before + 1, "one snapshot");
        assert_eq!(said_operation(&kit), "overwrite");
        let is_copy = mode == DeleteMode::CopyOnWrite;
        assert_eq!(kit.live().contains_key(&one.file.file_path), !is_copy);
        assert_eq!(live_deletes(&kit).len(), usize::from(!is_copy));
        assert_eq!(kit.said("added-data-files"), Some(if is_copy { "2" } else { "1" }));
        assert_eq!(kit.said("added-position-deletes"), (!is_copy).then_some("2"));
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn the_mode_is_the_property_of_the_table_unless_told() {
    let mut kit = Kit::partitioned(3, &[("write.delete.mode", "merge-on-read")]);
    append(&mut kit, "x", &[1, 2, 3, 4]);
    let replace = overwrite(&kit, &[10], "id = 1", None);
    kit.commit(vec![replace]);
    assert_eq!(kit.said("added-dvs"), Some("1"));
    let replace = overwrite(&kit, &[20], "id = 2", Some(DeleteMode::CopyOnWrite));
    kit.commit(vec![replace]);
    assert_eq!((kit.said("added-dvs"), kit.said("removed-dvs")), (None, Some("1")));
    assert_eq!(ids(&kit), [3, 4, 10, 20]);
}

#[test]
fn a_table_of_v1_has_copies_alone() {
    let mut kit = Kit::partitioned(1, &[]);
    append(&mut kit, "x", &[1, 2]);
    let error = kit.refused(overwrite(&kit, &[9], "id = 1", Some(DeleteMode::MergeOnRead)));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("copy-on-write"), "{error}");
}

#[test]
fn copied_rows_keep_their_lineage_and_new_ones_get_their_own() {
    let mut kit = Kit::partitioned(3, &[]);
    append(&mut kit, "x", &[10, 11, 12, 13]);
    let before = lineage(&kit);
    let replace = overwrite(&kit, &[20, 21], "id IN (11, 12)", Some(DeleteMode::CopyOnWrite));
    kit.commit(vec![replace]);
    let after = lineage(&kit);
    assert_eq!([after[&10], after[&13]], [before[&10], before[&13]]);
    let sequence = kit.metadata().last_sequence_number;
    let ids: std::collections::BTreeSet<_> = after.values().map(|(id, _)| id.unwrap()).collect();
    assert_eq!(ids.len(), 4, "each row has an id of its own");
    assert_eq!([after[&20].1, after[&21].1], [Some(sequence); 2]);
}

#[test]
fn rows_that_are_only_copied_are_an_overwrite_too() {
    let mut kit = Kit::partitioned(2, &[]);
    append(&mut kit, "x", &[1, 2]);
    let empty = Operation::Overwrite {
        receipt: floeberg_iceberg::write::Receipt::default(),
        filter: parse("id = 1").unwrap(),
        case_sensitive: true,
        isolation: None,
        mode: Some(DeleteMode::CopyOnWrite),
    };
    kit.commit(vec![empty.clone()]);
    assert_eq!((ids(&kit), said_operation(&kit)), (vec![2], "overwrite".to_owned()));
    let bytes = empty.to_bytes().unwrap();
    assert_eq!(Operation::from_bytes(&bytes).unwrap(), empty, "the mode crosses processes");
}

#[test]
fn rows_of_an_overwrite_that_others_deleted_are_a_conflict_under_both_levels() {
    for (version, mode) in cases() {
        for level in [IsolationLevel::Snapshot, IsolationLevel::Serializable] {
            let mut kit = Kit::partitioned(version, &[]);
            append(&mut kit, "x", &[1, 2, 3]);
            let slow = isolated(overwrite(&kit, &[20], "id = 2", Some(mode)), level);
            let commit = kit.begin(vec![slow], &random_uuid());
            kit.commit(vec![delete("id = 2", Some(mode))]);
            let error = kit.attempt(&commit).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CommitConflict, "v{version} {mode:?} {error}");
            assert_eq!(commit.abandon(), Vec::<String>::new());
            assert_eq!(ids(&kit), [1, 3]);
        }
    }
}

/// What happens to an operation that began before another commit.
fn after(kit: &mut Kit, slow: Operation, fast: Vec<Operation>) -> floeberg_core::Result<Vec<i64>> {
    let commit = kit.begin(vec![slow], &random_uuid());
    for fast in fast {
        kit.commit(vec![fast]);
    }
    let attempt = kit.attempt(&commit).inspect_err(|_| drop(commit.abandon()))?;
    kit.take(&attempt);
    commit.finished(&attempt);
    assert_eq!(kit.files(), kit.needed());
    Ok(ids(kit))
}

#[test]
fn added_rows_are_read_where_bounds_cannot_tell() {
    for (version, mode) in cases() {
        for overwrites in [false, true] {
            let make = |kit: &Kit| {
                if overwrites {
                    overwrite(kit, &[50], "id IN (2, 3)", Some(mode))
                } else {
                    delete("id IN (2, 3)", Some(mode))
                }
            };
            // Bounds 1 to 9 hold 2 and 3, and no row is one of them.
            let mut kit = Kit::partitioned(version, &[]);
            append(&mut kit, "x", &[1, 2, 3]);
            let added = Operation::Append { receipt: data(&kit, "y", &[1, 9]), merge: None };
            let slow = make(&kit);
            let found = after(&mut kit, slow, vec![added]).unwrap();
            assert_eq!(found, if overwrites { vec![1, 1, 9, 50] } else { vec![1, 1, 9] });
            // One of them is.
            let mut kit = Kit::partitioned(version, &[]);
            append(&mut kit, "x", &[1, 2, 3]);
            let added = Operation::Append { receipt: data(&kit, "y", &[1, 3, 9]), merge: None };
            let slow = make(&kit);
            let error = after(&mut kit, slow.clone(), vec![added.clone()]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
            assert!(
                error.to_string().contains("added a file") && error.to_string().contains("day=y"),
                "{error}"
            );
            // Under snapshot isolation it goes too.
            let mut kit = Kit::partitioned(version, &[]);
            append(&mut kit, "x", &[1, 2, 3]);
            let added = Operation::Append { receipt: data(&kit, "y", &[1, 3, 9]), merge: None };
            let slow = isolated(make(&kit), IsolationLevel::Snapshot);
            let found = after(&mut kit, slow, vec![added]).unwrap();
            assert_eq!(found, if overwrites { vec![1, 1, 9, 50] } else { vec![1, 1, 9] });
        }
    }
}

#[test]
fn an_added_row_that_was_deleted_again_is_not_a_conflict_and_one_in_a_file_that_is_gone_is() {
    let slow = || delete("id = 2", Some(DeleteMode::MergeOnRead));
    let mut kit = Kit::partitioned(3, &[]);
    append(&mut kit, "x", &[1, 2]);
    let added = Operation::Append { receipt: data(&kit, "y", &[1, 2, 3]), merge: None };
    let others = vec![added.clone(), delete("day = 'y' AND id = 2", Some(DeleteMode::MergeOnRead))];
    assert_eq!(after(&mut kit, slow(), others).unwrap(), [1, 1, 3]);
    // Copies of its rows are in another file, whose rows were added by nobody.
    let mut kit = Kit::partitioned(3, &[]);
    append(&mut kit, "x", &[1, 2]);
    let added = Operation::Append { receipt: data(&kit, "y", &[1, 2, 3]), merge: None };
    let others = vec![added, delete("day = 'y' AND id = 3", Some(DeleteMode::CopyOnWrite))];
    let error = after(&mut kit, slow(), others).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
}

#[test]
fn deletes_of_every_kind_are_not_undone_by_copies() {
    // What others delete is looked for again, so that a copy never brings it back: the files that an attempt copies are its base's.
    for (name, version) in [("vector", 3), ("positions", 2), ("keys", 2), ("keys", 3)] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        let slow = isolated(delete("id = 2", Some(DeleteMode::CopyOnWrite)), IsolationLevel::Snapshot);
        let theirs = match name {
            "keys" => keys(&kit, &[Some(3)], "x"),
            _ => deletes(&kit, &[(&one, &[2])]),
        };
        let theirs = operation(delta(&kit, theirs, Vec::new()));
        match after(&mut kit, slow, vec![theirs]) {
            // Bounds of keys say that no row of the filter has one.
            Ok(found) => assert_eq!((name, found), ("keys", vec![1, 4])),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::CommitConflict, "{name} {error}");
                assert_eq!(ids(&kit), [1, 2, 4]);
                // Begun after them, it copies without them.
                kit.commit(vec![delete("id = 2", Some(DeleteMode::CopyOnWrite))]);
            }
        }
        assert_eq!(ids(&kit), [1, 4], "{name}");
    }
}

#[test]
fn after_contended_commits_no_file_is_unreferenced() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &(0..40).collect::<Vec<_>>());
        append(&mut kit, "y", &(0..40).collect::<Vec<_>>());
        let mut left: Vec<i64> = (0..40).chain(0..40).collect();
        for round in 0..12_i64 {
            // Two begin on one base; the second conflicts or looks again.
            let by = |id: i64, kit: &Kit, overwrites: bool| {
                let filter = format!("id = {id} AND day = 'x'");
                let made = if overwrites {
                    overwrite(kit, &[100 + id], &filter, Some(mode))
                } else {
                    delete(&filter, Some(mode))
                };
                isolated(made, IsolationLevel::Snapshot)
            };
            let (one, other) = (2 * round, 2 * round + 1);
            let first = kit.begin(vec![by(one, &kit, false)], &random_uuid());
            let second = kit.begin(vec![by(other, &kit, round % 3 == 0)], &random_uuid());
            let early = kit.attempt(&second).unwrap();
            drop(early);
            let attempt = kit.attempt(&first).unwrap();
            kit.take(&attempt);
            first.finished(&attempt);
            left.remove(left.iter().position(|id| *id == one).unwrap());
            match kit.attempt(&second) {
                Ok(attempt) => {
                    kit.take(&attempt);
                    second.finished(&attempt);
                    left.remove(left.iter().position(|id| *id == other).unwrap());
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
                    second.abandon();
                }
            }
        }
        let mut found = ids(&kit);
        found.retain(|id| *id < 100);
        left.sort_unstable();
        assert_eq!(found, left, "v{version} {mode:?}");
        assert_eq!(kit.files(), kit.needed());
        let mut named = std::collections::BTreeSet::new();
        for snapshot in &kit.metadata().snapshots {
            for manifest in kit.manifests_of(snapshot.snapshot_id) {
                let paths = kit.entries(&manifest).into_iter().map(|entry| entry.data_file.file_path);
                named.extend(paths.map(|path| path.rsplit('/').next().unwrap().to_owned()));
            }
        }
        // Files of new rows are the caller's: those of overwrites that conflicted stay here.
        let unnamed: Vec<_> = stored(&kit, "x").difference(&named).cloned().collect();
        let of_callers = unnamed.iter().filter(|name| name.contains("-t-")).count();
        assert_eq!(unnamed.len(), of_callers, "v{version} {mode:?} {unnamed:?}");
    }
}

#[test]
fn what_would_change_is_counted_without_writing() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        append(&mut kit, "x", &[1, 3]);
        append(&mut kit, "y", &[1, 9]);
        append(&mut kit, "z", &[5, 6]);
        let filter = "id IN (1, 3) AND day != 'y' OR day = 'z'";
        let before = (kit.files(), stored(&kit, "x"));
        let commit = kit.begin(vec![delete(filter, Some(mode))], "k");
        let counted = commit.count(kit.table.as_ref().unwrap(), &Cancel::default()).unwrap();
        assert_eq!((kit.files(), stored(&kit, "x")), before, "nothing is written");
        let is_copy = mode == DeleteMode::CopyOnWrite;
        let expected = RowCounts {
            deleted_rows: 6,
            deleted_files: 2,
            deleted_bytes: counted.deleted_bytes,
            rewritten_files: u64::from(is_copy),
            rewritten_bytes: counted.rewritten_bytes,
            copied_rows: if is_copy { 2 } else { 0 },
            files_with_new_deletes: u64::from(!is_copy),
            ..RowCounts::default()
        };
        assert_eq!(counted, expected, "v{version} {mode:?}");
        assert!(counted.deleted_bytes > 0 && (counted.rewritten_bytes > 0) == is_copy);
        // The commit does what was counted.
        let attempt = kit.attempt(&commit).unwrap();
        assert_eq!(attempt.counts(), counted);
        assert_eq!(commit.progress().step(), Step::Committing);
        kit.take(&attempt);
        commit.finished(&attempt);
        assert_eq!(ids(&kit), [1, 2, 4, 9]);
    }
}

#[test]
fn only_one_delete_or_overwrite_can_be_counted() {
    let mut kit = Kit::partitioned(2, &[]);
    append(&mut kit, "x", &[1]);
    let added = Operation::Append { receipt: data(&kit, "x", &[5, 6]), merge: None };
    for operations in [vec![added], vec![delete("id = 1", None), delete("id = 2", None)]] {
        let commit = kit.begin(operations, "k");
        let error = commit.count(kit.table.as_ref().unwrap(), &Cancel::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("a dry run"), "{error}");
    }
}

#[test]
fn a_data_file_that_is_gone_is_named_and_nothing_is_left() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2]);
        assert!(MemoryStore::shared().remove(&one.file.file_path));
        let before = (kit.files(), stored(&kit, "x"));
        let request = kit.request(vec![delete("id = 1", Some(mode))]);
        let commit = Commit::begin(CommitRequest { key: random_uuid(), ..request }).unwrap();
        let error = kit.attempt(&commit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains(&one.file.file_path), "{error}");
        commit.abandon();
        assert_eq!((kit.files(), stored(&kit, "x")), before);
    }
}
