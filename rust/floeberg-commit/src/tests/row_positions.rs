//! Rows that workers deleted by position, files that they replaced, and keys, in one commit.

use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_core::expr::parse;
use floeberg_iceberg::metadata::RefKind;
use floeberg_iceberg::write::{Receipt, WrittenFile};
use roaring::RoaringTreemap;

use super::kit::{Kit, create_ref};
use super::row_deletes::{delete, said_operation, stored};
use super::row_deltas::{append, data, delta, ids, keys, live_deletes, operation};
use crate::{Commit, CommitRequest, DeleteMode, IsolationLevel, Operation, RowDelta};
use floeberg_io::random::random_uuid;

fn rows(of: &[(&WrittenFile, &[u64])]) -> BTreeMap<String, RoaringTreemap> {
    of.iter().map(|(file, rows)| (file.file.file_path.clone(), rows.iter().copied().collect())).collect()
}

/// Deletes these rows, and adds a file.
pub(super) fn positions(kit: &Kit, added: Receipt, of: &[(&WrittenFile, &[u64])]) -> RowDelta {
    RowDelta { deleted_rows: rows(of), ..delta(kit, added, Vec::new()) }
}

/// Replaces these files by the rows of another.
fn replaced(kit: &Kit, added: Receipt, of: &[&WrittenFile]) -> RowDelta {
    let paths = of.iter().map(|file| file.file.file_path.clone());
    RowDelta { replaced: paths.collect(), ..delta(kit, added, Vec::new()) }
}

fn conflict(kit: &mut Kit, delta: RowDelta, message: &str) {
    let before = (kit.files(), stored(kit, "x"));
    let error = kit.refused(operation(delta));
    assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!((kit.files(), stored(kit, "x")), before, "what the attempt wrote is gone");
}

#[test]
fn rows_at_positions_are_deleted_by_vectors_or_position_deletes() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        let two = append(&mut kit, "y", &[5, 6]);
        let both = positions(&kit, Receipt::default(), &[(&one, &[1, 2]), (&two, &[0, 1])]);
        kit.commit(vec![operation(both)]);
        assert_eq!(ids(&kit), [1, 4]);
        assert_eq!(said_operation(&kit), "delete");
        let live = live_deletes(&kit);
        assert_eq!(live.len(), 1, "a file without other rows goes whole");
        assert_eq!(live[0].file.is_vector(), version == 3);
        assert_eq!(live[0].file.partition, one.file.partition);
        assert_eq!(kit.said("deleted-data-files"), Some("1"));
        let changed = positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])]);
        kit.commit(vec![operation(changed)]);
        assert_eq!((ids(&kit), said_operation(&kit)), (vec![4, 10], "overwrite".to_owned()));
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn positions_are_joined_with_what_others_deleted_meanwhile() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        let ours = positions(&kit, Receipt::default(), &[(&one, &[0, 1])]);
        let changes = positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])]);
        let changes_the_same = positions(&kit, data(&kit, "x", &[20]), &[(&one, &[1])]);
        kit.commit(vec![delete("id = 2", Some(DeleteMode::MergeOnRead))]);
        conflict(&mut kit, changes_the_same, "a row that the operation changes was deleted");
        kit.commit(vec![operation(changes)]);
        assert_eq!(ids(&kit), [3, 4, 10]);
        kit.commit(vec![operation(ours)]);
        assert_eq!(ids(&kit), [3, 4, 10], "to delete what is deleted changes nothing");
        let vectors = live_deletes(&kit).iter().filter(|written| written.file.is_vector()).count();
        assert_eq!(vectors, usize::from(version == 3), "one vector for a file");
    }
}

#[test]
fn a_file_that_is_gone_is_a_conflict_and_a_row_that_is_not_there_an_error() {
    // Rows of version 3 are followed.
    let mut kit = Kit::partitioned(2, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let beyond = positions(&kit, Receipt::default(), &[(&one, &[2])]);
    let error = kit.refused(operation(beyond));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("below 2, found 2"), "{error}");
    let twice =
        RowDelta { deleted_rows: rows(&[(&one, &[0])]), ..replaced(&kit, Receipt::default(), &[&one]) };
    let error = kit.refused(operation(twice));
    assert!(error.to_string().contains("deletes no rows of it by position"), "{error}");
    let ours = positions(&kit, Receipt::default(), &[(&one, &[0])]);
    let copies = replaced(&kit, data(&kit, "x", &[1]), &[&one]);
    kit.commit(vec![delete("id = 2", Some(DeleteMode::CopyOnWrite))]);
    conflict(&mut kit, ours, "not in the table any more");
    conflict(&mut kit, copies, "not in the table any more");
}

#[test]
fn positions_in_v1_are_refused_and_copies_are_not() {
    let mut kit = Kit::partitioned(1, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let error = kit.refused(operation(positions(&kit, Receipt::default(), &[(&one, &[0])])));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("format version 1 has no delete files"), "{error}");
    let copies = replaced(&kit, data(&kit, "x", &[2]), &[&one]);
    kit.commit(vec![operation(copies)]);
    assert_eq!(ids(&kit), [2]);
}

#[test]
fn rows_that_others_deleted_of_a_replaced_file_are_a_conflict() {
    for version in [2, 3] {
        for by_keys in [false, true] {
            let mut kit = Kit::partitioned(version, &[]);
            let one = append(&mut kit, "x", &[1, 2, 3]);
            append(&mut kit, "x", &[7, 8]);
            let copies = replaced(&kit, data(&kit, "x", &[1, 3]), &[&one]);
            let changes = positions(&kit, data(&kit, "x", &[10]), &[(&one, &[0])]);
            let changes_the_same = positions(&kit, data(&kit, "x", &[20]), &[(&one, &[2])]);
            let deletes_the_same = positions(&kit, Receipt::default(), &[(&one, &[1, 2])]);
            let theirs = if by_keys {
                operation(delta(&kit, keys(&kit, &[Some(3)], "x"), Vec::new()))
            } else {
                delete("id = 3", Some(DeleteMode::MergeOnRead))
            };
            kit.commit(vec![theirs]);
            conflict(&mut kit, copies, "had rows deleted that the operation writes again");
            conflict(&mut kit, changes_the_same, "a row that the operation changes was deleted");
            assert_eq!(ids(&kit), [1, 2, 7, 8]);
            if by_keys {
                // Rows that no key deleted are no conflict, and one that both deleted counts once.
                kit.commit(vec![operation(changes)]);
                let commit = kit.begin(vec![operation(deletes_the_same)], "k");
                let attempt = kit.attempt(&commit).unwrap();
                assert_eq!(attempt.counts().deleted_rows, 1);
                kit.take(&attempt);
                assert_eq!(ids(&kit), [7, 8, 10]);
            }
            // Deletes of another file are not, where it is known which file they are for.
            if !by_keys {
                let copies = replaced(&kit, data(&kit, "x", &[1]), &[&one]);
                kit.commit(vec![delete("id = 8", Some(DeleteMode::MergeOnRead))]);
                kit.commit(vec![operation(copies)]);
                assert_eq!(ids(&kit), [1, 7]);
            }
        }
    }
}

#[test]
fn rows_that_came_since_the_read_are_a_conflict_where_the_filter_matches() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let of = |filter: &str, isolation, kit: &Kit| RowDelta {
        filter: Some(parse(filter).unwrap()),
        isolation,
        ..positions(kit, Receipt::default(), &[(&one, &[0])])
    };
    let hit = of("id = 1", None, &kit);
    let missed = of("id = 4", None, &kit);
    let snapshot = of("id = 1", Some(IsolationLevel::Snapshot), &kit);
    append(&mut kit, "y", &[1, 9]);
    conflict(&mut kit, hit, "added a file that may hold rows");
    // 4 is within the bounds, and no row has it.
    for delta in [missed, snapshot] {
        let commit = kit.begin(vec![operation(delta)], &random_uuid());
        kit.attempt(&commit).unwrap();
        assert_eq!(commit.abandon(), [""; 0]);
    }
}

#[test]
fn receipts_of_several_workers_are_one_operation() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let none = Receipt::default;
    let both = RowDelta::concat(vec![
        positions(&kit, none(), &[(&one, &[0])]),
        positions(&kit, none(), &[(&one, &[0, 1])]),
    ]);
    let both = both.unwrap();
    assert_eq!(both.deleted_rows, rows(&[(&one, &[0, 1])]));
    let bytes = operation(both.clone()).to_bytes().unwrap();
    assert_eq!(Operation::from_bytes(&bytes).unwrap(), operation(both.clone()));
    for end in [bytes.len() - 1, bytes.len() - 20] {
        assert_eq!(Operation::from_bytes(&bytes[..end]).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    kit.commit(vec![operation(both)]);
    assert_eq!(ids(&kit), [3]);
    let changed_twice = RowDelta::concat(vec![
        positions(&kit, data(&kit, "x", &[7]), &[(&one, &[2])]),
        positions(&kit, none(), &[(&one, &[2])]),
    ]);
    let error = changed_twice.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("changed twice"), "{error}");
}

#[test]
fn rows_that_were_read_from_another_history_are_a_conflict() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let first = kit.metadata().current_snapshot_id.unwrap();
        kit.commit(vec![create_ref("b", first, RefKind::Branch)]);
        append(&mut kit, "x", &[4]);
        let head = kit.metadata().current_snapshot_id;
        for named in [
            replaced(&kit, data(&kit, "x", &[1, 3]), &[&one]),
            positions(&kit, Receipt::default(), &[(&one, &[1])]),
        ] {
            let of_main = RowDelta { read_snapshot_id: head, ..named };
            let request = CommitRequest { branch: "b".to_owned(), ..kit.request(vec![operation(of_main)]) };
            let error = kit.attempt(&Commit::begin(request).unwrap()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
            assert!(error.message().contains("not in the history of the branch"), "{error}");
        }
    }
}

#[test]
fn a_row_that_is_named_twice_is_not_changed_twice() {
    let path = "file:///w/one";
    let of = |path: &str, repeated| RowDelta {
        deleted_rows: BTreeMap::from([(path.to_owned(), RoaringTreemap::from([1_u64]))]),
        repeated,
        ..RowDelta::default()
    };
    let two_spellings = RowDelta::concat(vec![of(path, None), of("/w/one", None)]).unwrap();
    assert_eq!(two_spellings.deleted_rows.len(), 1);
    assert!(two_spellings.repeated.is_some(), "known to who adds rows later");
    let kit = Kit::partitioned(2, &[]);
    let adds = || RowDelta { added: data(&kit, "x", &[7]), ..RowDelta::default() };
    for deletes in [two_spellings, of(path, Some((path.to_owned(), 1)))] {
        let bytes = operation(deletes.clone()).to_bytes().unwrap();
        assert_eq!(Operation::from_bytes(&bytes).unwrap(), operation(deletes.clone()));
        assert!(RowDelta::concat(vec![deletes.clone()]).is_ok());
        let error = RowDelta::concat(vec![deletes, adds()]).unwrap_err();
        assert!(error.message().contains("changed twice"), "{error}");
    }
}
