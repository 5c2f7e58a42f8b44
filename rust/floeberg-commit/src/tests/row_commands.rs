//! Rows that updates, upserts and merges change: by copies or by deletes, and what conflicts with them.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::lookup::{NullKeys, SourceKeys};
use floeberg_iceberg::write::{Receipt, WrittenFile};

use super::kit::{Kit, map};
use super::row_deletes::{delete, said_operation};
use super::row_deltas::{append, data, delta, ids, keys, live_deletes, operation};
use crate::{DeleteMode, IsolationLevel, Operation, RowCommand, RowDelta};

/// Changes the first row of a file, whose id becomes 10.
fn change(kit: &Kit, file: &WrittenFile, command: RowCommand, mode: Option<DeleteMode>) -> RowDelta {
    let rows = [(file.file.file_path.clone(), [0].into_iter().collect())];
    RowDelta {
        deleted_rows: rows.into_iter().collect(),
        command,
        mode,
        ..delta(kit, data(kit, "x", &[10]), Vec::new())
    }
}

/// The keys of a source.
pub(super) fn source(kit: &Kit, values: &[i64]) -> Arc<SourceKeys> {
    let mut keys = SourceKeys::new(kit.metadata().current_schema(), &[1], NullKeys::Refused, false).unwrap();
    let schema = Arc::new(schema_to_arrow(keys.schema()).unwrap());
    let column: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
    keys.insert(&RecordBatch::try_new(schema, vec![column]).unwrap()).unwrap();
    Arc::new(keys)
}

#[test]
fn rows_change_by_copies_or_by_deletes() {
    for version in [1, 2, 3] {
        for mode in [DeleteMode::CopyOnWrite, DeleteMode::MergeOnRead] {
            let mut kit = Kit::partitioned(version, &[]);
            let one = append(&mut kit, "x", &[1, 2, 3]);
            let update = change(&kit, &one, RowCommand::Update, Some(mode));
            if version == 1 && mode == DeleteMode::MergeOnRead {
                let error = kit.refused(operation(update));
                assert_eq!(error.kind(), ErrorKind::InvalidInput);
                assert!(error.to_string().contains("format version 1"), "{error}");
                continue;
            }
            kit.commit(vec![operation(update)]);
            assert_eq!(ids(&kit), [2, 3, 10]);
            assert_eq!(said_operation(&kit), "overwrite");
            assert_eq!(live_deletes(&kit).len(), usize::from(mode == DeleteMode::MergeOnRead));
            assert_eq!(kit.files(), kit.needed());
        }
    }
}

#[test]
fn each_command_has_its_own_properties() {
    let of = [
        (RowCommand::Update, "write.update.mode"),
        (RowCommand::Upsert, "write.merge.mode"),
        (RowCommand::Merge, "write.merge.mode"),
        (RowCommand::ApplyChanges, "write.merge.mode"),
    ];
    for (command, property) in of {
        let mut kit = Kit::partitioned(3, &[(property, "merge-on-read")]);
        let one = append(&mut kit, "x", &[1, 2]);
        let changed = change(&kit, &one, command, None);
        kit.commit(vec![operation(changed)]);
        assert_eq!(live_deletes(&kit).len(), 1, "{}", command.name());
    }
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let changed = change(&kit, &one, RowCommand::Update, None);
    kit.commit(vec![operation(changed)]);
    assert_eq!(live_deletes(&kit).len(), 0, "copies are the default");
}

#[test]
fn copies_bring_back_no_row_that_others_deleted_meanwhile() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let update = change(&kit, &one, RowCommand::Update, Some(DeleteMode::CopyOnWrite));
        kit.commit(vec![delete("id = 2", Some(DeleteMode::MergeOnRead))]);
        kit.commit(vec![operation(update)]);
        assert_eq!(ids(&kit), [3, 10], "the copy is made of what there is");
    }
}

#[test]
fn keys_that_others_deleted_meanwhile_are_a_conflict_with_changed_rows() {
    for mode in [DeleteMode::CopyOnWrite, DeleteMode::MergeOnRead] {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        let update = change(&kit, &one, RowCommand::Update, Some(mode));
        let gone = delta(&kit, keys(&kit, &[Some(1)], "x"), Vec::new());
        kit.commit(vec![operation(gone)]);
        let error = kit.refused(operation(update));
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
        assert_eq!(ids(&kit), [2, 3]);
    }
}

#[test]
fn a_key_is_not_inserted_twice() {
    for level in [IsolationLevel::Serializable, IsolationLevel::Snapshot] {
        let mut kit = Kit::partitioned(3, &[]);
        append(&mut kit, "x", &[1]);
        let upsert = |kit: &Kit, values: &[i64]| RowDelta {
            command: RowCommand::Upsert,
            keys: Some(source(kit, values)),
            inserts_keys: true,
            isolation: Some(level),
            ..delta(kit, data(kit, "x", values), Vec::new())
        };
        let (same, other) = (upsert(&kit, &[5, 9]), upsert(&kit, &[6, 7]));
        // The bounds of this file hold both, and it has one of them.
        append(&mut kit, "y", &[4, 5, 8]);
        let error = kit.refused(operation(same));
        assert_eq!(error.kind(), ErrorKind::CommitConflict);
        assert!(error.to_string().contains("with a key of the source"), "{error}");
        kit.commit(vec![operation(other)]);
        assert_eq!(ids(&kit), [1, 4, 5, 6, 7, 8]);
    }
}

#[test]
fn an_operation_without_inserts_may_miss_keys_under_snapshot_isolation() {
    for (level, is_conflict) in [(IsolationLevel::Serializable, true), (IsolationLevel::Snapshot, false)] {
        let mut kit = Kit::partitioned(3, &[]);
        let one = append(&mut kit, "x", &[1]);
        let merge = RowDelta {
            keys: Some(source(&kit, &[1])),
            isolation: Some(level),
            ..change(&kit, &one, RowCommand::Merge, None)
        };
        append(&mut kit, "y", &[1]);
        let tried = kit.try_to_commit(vec![operation(merge)]);
        assert_eq!(tried.is_err(), is_conflict);
    }
}

#[test]
fn what_would_change_is_counted() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2, 3]);
    let before = kit.files();
    let count = |mode| {
        let commit = kit.begin(vec![operation(change(&kit, &one, RowCommand::Update, Some(mode)))], "k");
        commit.count(kit.table.as_ref().unwrap(), &Cancel::default()).unwrap()
    };
    let (copies, deletes) = (count(DeleteMode::CopyOnWrite), count(DeleteMode::MergeOnRead));
    assert_eq!((copies.deleted_rows, copies.rewritten_files, copies.copied_rows), (1, 1, 2));
    assert_eq!((deletes.deleted_rows, deletes.files_with_new_deletes), (1, 1));
    assert_eq!(kit.files(), before, "nothing was written");
}

#[test]
fn an_operation_of_a_command_crosses_to_other_processes_without_keys() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    let update = change(&kit, &one, RowCommand::Update, Some(DeleteMode::CopyOnWrite));
    let same = Operation::from_bytes(&operation(update.clone()).to_bytes().unwrap()).unwrap();
    assert_eq!(same, operation(update.clone()));
    assert_eq!(same.name(), "update");
    let with_keys = RowDelta { keys: Some(source(&kit, &[1])), added: Receipt::default(), ..update };
    let error = operation(with_keys).to_bytes().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!("upserts".parse::<RowCommand>().is_err());
    let wrong = kit.refused(Operation::SetProperties(map(&[("write.merge.mode", "loose")])));
    assert_eq!(wrong.kind(), ErrorKind::InvalidInput);
}
