use floeberg_core::ErrorKind;

use super::kit::{Kit, append, delete, file, map, overwrite, receipt};
use crate::{Commit, CommitRequest, IsolationLevel, Operation};

fn of_day(day: &str, isolation: Option<IsolationLevel>) -> Operation {
    let filter = floeberg_core::expr::parse(&format!("day = '{day}'")).unwrap();
    Operation::Delete { filter, case_sensitive: true, isolation, mode: None, finds_again: false }
}

/// What happens to an operation that began before another commit.
fn after(kit: &mut Kit, slow: Operation, fast: Operation) -> floeberg_core::Result<Vec<String>> {
    let commit = kit.begin(vec![slow], "slow");
    kit.commit(vec![fast]);
    let attempt = kit.attempt(&commit).inspect_err(|_| drop(commit.abandon()))?;
    kit.take(&attempt);
    commit.finished(&attempt);
    Ok(kit.live_paths())
}

fn one_day() -> Kit {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("a", "x")]);
    kit
}

#[test]
fn rows_that_others_added_meanwhile_are_a_conflict_when_serializable() {
    let replace =
        Operation::DynamicOverwrite { receipt: receipt(vec![file("n", "x", (0, 1))]), isolation: None };
    for slow in [of_day("x", None), overwrite(vec![file("n", "x", (0, 1))], "day = 'x'"), replace] {
        let mut kit = one_day();
        let error = after(&mut kit, slow, append("b", "x")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CommitConflict);
        assert!(!error.is_retryable());
        let told = error.to_string();
        let snapshot = kit.metadata().current_snapshot_id.unwrap();
        for part in ["file_path: b", &format!("snapshot: {snapshot}"), "operation: append", "added a file"] {
            assert!(told.contains(part), "{told}");
        }
        assert_eq!(kit.live_paths(), ["a", "b"]);
        assert_eq!(kit.files(), kit.needed());
    }
}

/// What happens to an overwrite that began when others had committed, with rows that were made from a snapshot before.
fn overwritten_from(
    kit: &mut Kit,
    others: Vec<Operation>,
    from: Option<i64>,
) -> floeberg_core::Result<Vec<String>> {
    for other in others {
        kit.commit(vec![other]);
    }
    let replace = overwrite(vec![file("n", "x", (0, 1))], "day = 'x'");
    let request = CommitRequest { validate_from_snapshot_ids: vec![from], ..kit.request(vec![replace]) };
    let commit = Commit::begin(request).unwrap();
    let attempt = kit.attempt(&commit).inspect_err(|_| drop(commit.abandon()))?;
    kit.take(&attempt);
    commit.finished(&attempt);
    Ok(kit.live_paths())
}

#[test]
fn what_others_did_since_the_new_rows_were_read_is_a_conflict() {
    let read = |kit: &Kit| kit.metadata().current_snapshot_id;
    let mut kit = one_day();
    let from = read(&kit);
    let others = vec![append("b", "x"), append("c", "y")];
    let error = overwritten_from(&mut kit, others, from).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("file_path: b"), "{error}");
    // What they did elsewhere, or before, is none.
    let mut kit = one_day();
    let from = read(&kit);
    assert_eq!(overwritten_from(&mut kit, vec![append("b", "y")], from).unwrap(), ["b", "n"]);
    let mut kit = one_day();
    kit.commit(vec![append("b", "x")]);
    let from = read(&kit);
    assert_eq!(overwritten_from(&mut kit, Vec::new(), from).unwrap(), ["n"]);
    // Read when there was nothing.
    let mut kit = Kit::partitioned(2, &[]);
    let error = overwritten_from(&mut kit, vec![append("b", "x")], None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    // A snapshot that is not of the branch.
    let error = overwritten_from(&mut one_day(), Vec::new(), Some(7)).unwrap_err();
    assert!(error.to_string().contains("cannot be ruled out"), "{error}");
}

#[test]
fn rows_of_other_partitions_are_none() {
    assert_eq!(after(&mut one_day(), of_day("x", None), append("b", "y")).unwrap(), ["b"]);
    let far = Operation::Append { receipt: receipt(vec![file("b", "x", (50, 60))]), merge: None };
    assert_eq!(after(&mut one_day(), delete("day = 'x' AND id < 10"), far).unwrap(), ["b"]);
}

#[test]
fn under_snapshot_isolation_rows_that_came_meanwhile_are_replaced_too() {
    let snapshot = Some(IsolationLevel::Snapshot);
    assert!(after(&mut one_day(), of_day("x", snapshot), append("b", "x")).unwrap().is_empty());
    let mut kit = one_day();
    kit.commit(vec![Operation::SetProperties(map(&[("write.delete.isolation-level", "snapshot")]))]);
    assert!(after(&mut kit, of_day("x", None), append("b", "x")).unwrap().is_empty());
    let mut kit = one_day();
    kit.commit(vec![Operation::SetProperties(map(&[("write.update.isolation-level", "SNAPSHOT")]))]);
    let slow = overwrite(vec![file("n", "x", (0, 1))], "day = 'x'");
    assert_eq!(after(&mut kit, slow, append("b", "x")).unwrap(), ["n"]);
    let error =
        one_day().refused(Operation::SetProperties(map(&[("write.delete.isolation-level", "loose")])));
    assert!(error.to_string().contains("property: write.delete.isolation-level"), "{error}");
}

#[test]
fn rows_that_others_removed_meanwhile_are_a_conflict_under_both() {
    for level in [IsolationLevel::Snapshot, IsolationLevel::Serializable] {
        let error = after(&mut one_day(), of_day("x", Some(level)), of_day("x", None)).unwrap_err();
        assert!(error.to_string().contains("removed a file"), "{error}");
        assert!(error.to_string().contains("operation: delete"), "{error}");
    }
}

#[test]
fn an_append_conflicts_with_nothing() {
    assert_eq!(after(&mut one_day(), append("b", "x"), of_day("x", None)).unwrap(), ["b"]);
}

#[test]
fn history_that_is_gone_is_a_conflict() {
    let mut kit = one_day();
    let commit = kit.begin(vec![of_day("x", None)], "k");
    let old = kit.metadata().current_snapshot_id.unwrap();
    kit.commit(vec![append("b", "y")]);
    kit.commit(vec![append("c", "y")]);
    let middle = kit.metadata().snapshots[1].snapshot_id;
    let gone = crate::Update::RemoveSnapshots(vec![old, middle]);
    let table = kit.table.clone().unwrap();
    let previous =
        crate::Previous { metadata: table.metadata(), metadata_location: table.metadata_location() };
    let metadata = crate::apply(Some(previous), &[], &[gone], 5).unwrap();
    kit.table = Some(
        table.moved_on(std::sync::Arc::new(metadata), "memory://x/v9.metadata.json".to_owned()).unwrap(),
    );
    let error = kit.attempt(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("snapshots expired"), "{error}");
}
