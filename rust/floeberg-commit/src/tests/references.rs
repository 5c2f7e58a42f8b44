use bytes::Bytes;
use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::{RefKind, SnapshotRef};
use floeberg_io::MemoryStore;
use floeberg_io::location::join;
use serde_json::json;

use super::kit::{Kit, append, create_ref, delete, file, receipt, remove_branch, set_current};
use crate::{Commit, CommitRequest, Operation, RefChange, Retention, SnapshotChoice};

/// Three appends, with a branch and a tag at the first.
fn three() -> (Kit, [i64; 3]) {
    let mut kit = Kit::partitioned(2, &[]);
    let ids = ["a", "b", "c"].map(|name| {
        kit.commit(vec![append(name, name)]);
        kit.metadata().current_snapshot_id.unwrap()
    });
    kit.commit(vec![create_ref("dev", ids[0], RefKind::Branch), create_ref("first", ids[0], RefKind::Tag)]);
    (kit, ids)
}

fn change(change: RefChange) -> Operation {
    Operation::ChangeRef(change)
}

fn name(name: &str) -> String {
    name.to_owned()
}

fn head(kit: &Kit, name: &str) -> i64 {
    kit.metadata().refs[name].snapshot_id
}

fn commit_to(kit: &mut Kit, branch: &str, operations: Vec<Operation>) {
    let request = CommitRequest { branch: name(branch), ..kit.request(operations) };
    let attempt = kit.attempt(&Commit::begin(request).unwrap()).unwrap();
    kit.take(&attempt);
}

/// A file that exists: its changes are applied again only then.
fn there(kit: &Kit, file: &str) -> String {
    let path = join(&kit.location, file);
    MemoryStore::shared().put(&path, Bytes::from(vec![0; 100]));
    path
}

/// The names of the live files.
fn live(kit: &Kit) -> Vec<String> {
    let paths = kit.live_paths();
    let mut names: Vec<String> = paths.iter().filter_map(|path| path.rsplit('/').next()).map(name).collect();
    names.sort();
    names
}

/// The error of an operation on a branch that was made before another writer committed.
fn after_another(
    kit: &mut Kit,
    operation: Operation,
    branch: &str,
    other: Operation,
) -> floeberg_core::Error {
    let commit = kit.begin(vec![operation], "mine");
    commit_to(kit, branch, vec![other]);
    kit.attempt(&commit).unwrap_err()
}

#[test]
fn rollbacks_move_the_branch_and_keep_its_retention() {
    let (mut kit, ids) = three();
    let retention = Retention { min_snapshots_to_keep: Some(3), ..Retention::default() };
    kit.commit(vec![change(RefChange::Retention { name: name("main"), retention })]);
    kit.commit(vec![change(RefChange::Rollback(ids[1]))]);
    assert_eq!(kit.metadata().current_snapshot_id, Some(ids[1]));
    assert_eq!(kit.metadata().refs["main"].min_snapshots_to_keep, Some(3));
    assert_eq!(kit.live_paths(), ["a", "b"]);
    let error = kit.refused(change(RefChange::Rollback(ids[2])));
    assert!(error.message().contains("not an ancestor"), "{error}");
    kit.commit(vec![set_current(ids[2])]);
    let time = kit.metadata().snapshot(ids[1]).unwrap().timestamp_ms;
    kit.commit(vec![change(RefChange::SetCurrent(SnapshotChoice::Ref(name("first"))))]);
    assert_eq!(kit.metadata().current_snapshot_id, Some(ids[0]));
    let error = kit.refused(change(RefChange::RollbackToTimestamp(time - 1_000_000)));
    assert!(error.message().contains("no snapshot older than"), "{error}");
    kit.commit(vec![set_current(ids[2])]);
    let newest = kit.metadata().snapshot(ids[2]).unwrap().timestamp_ms;
    kit.commit(vec![change(RefChange::RollbackToTimestamp(newest + 1))]);
    assert_eq!(kit.metadata().current_snapshot_id, Some(ids[2]), "older than the time, and the newest");
    assert_eq!(kit.metadata().snapshot_log.last().unwrap().snapshot_id, ids[2]);
}

#[test]
fn refs_are_made_replaced_renamed_and_removed() {
    let (mut kit, ids) = three();
    kit.commit(vec![change(RefChange::Replace {
        name: name("first"),
        kind: RefKind::Tag,
        snapshot_id: ids[1],
    })]);
    assert_eq!(head(&kit, "first"), ids[1]);
    kit.commit(vec![change(RefChange::Rename { name: name("dev"), new_name: name("audit") })]);
    assert_eq!((head(&kit, "audit"), kit.metadata().refs.contains_key("dev")), (ids[0], false));
    kit.commit(vec![change(RefChange::FastForward { name: name("audit"), to: name("main") })]);
    assert_eq!(head(&kit, "audit"), ids[2]);
    kit.commit(vec![change(RefChange::FastForward { name: name("new"), to: name("first") })]);
    assert_eq!((head(&kit, "new"), kit.metadata().refs["new"].kind), (ids[1], RefKind::Branch));
    let retention = Retention { max_ref_age_ms: Some(9), ..Retention::default() };
    kit.commit(vec![change(RefChange::Retention { name: name("first"), retention })]);
    assert_eq!(kit.metadata().refs["first"].max_ref_age_ms, Some(9));
    kit.commit(vec![change(RefChange::Remove { name: name("first"), kind: RefKind::Tag })]);
    assert!(!kit.metadata().refs.contains_key("first"));
}

#[test]
fn changes_of_refs_that_cannot_be_made_say_why() {
    let (mut kit, ids) = three();
    let reference = |kind| SnapshotRef::new(ids[0], kind);
    let create = |called: &str, reference| {
        change(RefChange::Create { name: name(called), reference, of_head: false, of: None })
    };
    let keep = |called: &str, retention| change(RefChange::Retention { name: name(called), retention });
    let age = |age| Retention { max_ref_age_ms: Some(age), ..Retention::default() };
    let snapshots = Retention { min_snapshots_to_keep: Some(1), ..Retention::default() };
    for (operation, kind, said) in [
        (create("dev", reference(RefKind::Branch)), ErrorKind::AlreadyExists, "the branch \"dev\" exists"),
        (create("first", reference(RefKind::Branch)), ErrorKind::AlreadyExists, "the tag \"first\" exists"),
        (create("", reference(RefKind::Tag)), ErrorKind::InvalidInput, "needs a name"),
        (create("t", SnapshotRef::new(7, RefKind::Tag)), ErrorKind::NotFound, "no snapshot 7"),
        (remove_branch("first"), ErrorKind::InvalidInput, "\"first\" is a tag"),
        (remove_branch("main"), ErrorKind::InvalidInput, "cannot be removed"),
        (remove_branch("gone"), ErrorKind::NotFound, "\"gone\""),
        (
            change(RefChange::Rename { name: name("main"), new_name: name("x") }),
            ErrorKind::InvalidInput,
            "cannot be renamed",
        ),
        (
            change(RefChange::Rename { name: name("dev"), new_name: name("first") }),
            ErrorKind::AlreadyExists,
            "exists already",
        ),
        (
            change(RefChange::Replace { name: name("first"), kind: RefKind::Branch, snapshot_id: ids[1] }),
            ErrorKind::InvalidInput,
            "is a tag",
        ),
        (
            change(RefChange::FastForward { name: name("main"), to: name("dev") }),
            ErrorKind::InvalidInput,
            "is not an ancestor of",
        ),
        (
            change(RefChange::FastForward { name: name("first"), to: name("main") }),
            ErrorKind::InvalidInput,
            "is a tag",
        ),
        (keep("first", snapshots), ErrorKind::InvalidInput, "only branches"),
        (keep("main", age(5)), ErrorKind::InvalidInput, "never expires"),
        (keep("dev", age(0)), ErrorKind::InvalidInput, "above 0"),
    ] {
        let error = kit.refused(operation);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(said), "{error}");
    }
}

#[test]
fn who_moves_a_ref_must_have_seen_where_it_was() {
    let publish = || change(RefChange::FastForward { name: name("main"), to: name("dev") });
    for (operation, branch) in [
        (change(RefChange::RollbackToTimestamp(i64::MAX)), "main"),
        (remove_branch("dev"), "dev"),
        (publish(), "dev"),
    ] {
        let (mut kit, ids) = three();
        kit.commit(vec![set_current(ids[0])]);
        let error = after_another(&mut kit, operation, branch, append("theirs", "x"));
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
        assert!(!error.is_retryable());
        assert!(error.message().contains(branch), "{error}");
    }
    let (mut kit, ids) = three();
    for operation in [
        change(RefChange::Rollback(ids[0])),
        set_current(ids[1]),
        change(RefChange::Replace { name: name("main"), kind: RefKind::Branch, snapshot_id: ids[0] }),
    ] {
        let error =
            after_another(&mut kit, operation, "main", append(&floeberg_io::random::random_uuid(), "x"));
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    }
    // What loses nothing is made on the newer table.
    let commit = kit.begin(vec![create_ref("t", ids[0], RefKind::Tag)], "mine");
    kit.commit(vec![append("more", "x")]);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert!(kit.live_paths().contains(&name("more")));
    assert_eq!(head(&kit, "t"), ids[0]);
}

#[test]
fn an_append_of_a_branch_is_applied_once() {
    let (mut kit, ids) = three();
    let file = there(&kit, "d");
    commit_to(&mut kit, "dev", vec![append(&file, "x")]);
    let picked = head(&kit, "dev");
    kit.commit(vec![Operation::Cherrypick(picked)]);
    assert_eq!(live(&kit), ["a", "b", "c", "d"]);
    assert_eq!(kit.said("source-snapshot-id"), Some(picked.to_string().as_str()));
    assert_eq!(kit.said("added-data-files"), Some("1"));
    let current = kit.metadata().current_snapshot().unwrap();
    assert_eq!((current.operation.as_deref(), current.parent_snapshot_id), (Some("append"), Some(ids[2])));
    for again in [picked, ids[1]] {
        let error = kit.refused(Operation::Cherrypick(again));
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
    }
    assert_eq!(kit.refused(Operation::Cherrypick(7)).kind(), ErrorKind::NotFound);
}

#[test]
fn a_snapshot_of_the_newest_one_becomes_the_newest_itself() {
    let (mut kit, ids) = three();
    commit_to(&mut kit, "next", vec![delete("day = 'a'")]);
    let picked = head(&kit, "next");
    kit.commit(vec![Operation::Cherrypick(picked)]);
    assert_eq!(kit.metadata().current_snapshot_id, Some(picked));
    assert_eq!(live(&kit), ["b", "c"]);
    // A delete does not apply elsewhere.
    kit.commit(vec![set_current(ids[1])]);
    let error = kit.refused(Operation::Cherrypick(picked));
    assert!(error.message().contains("(delete) cannot be applied"), "{error}");
}

#[test]
fn staged_work_is_published_once_by_its_id() {
    let (mut kit, _) = three();
    for file in ["d", "e"] {
        let properties = super::kit::map(&[("wap.id", "w1")]);
        let request = CommitRequest {
            properties,
            branch: name(if file == "d" { "dev" } else { "dev2" }),
            ..kit.request(vec![append(&there(&kit, file), "x")])
        };
        let attempt = kit.attempt(&Commit::begin(request).unwrap()).unwrap();
        kit.take(&attempt);
    }
    kit.commit(vec![append("more", "x")]);
    kit.commit(vec![Operation::Cherrypick(head(&kit, "dev"))]);
    assert_eq!(kit.said("published-wap-id"), Some("w1"));
    let error = kit.refused(Operation::Cherrypick(head(&kit, "dev2")));
    assert!(error.message().contains("\"w1\" was published already"), "{error}");
}

#[test]
fn a_dynamic_overwrite_is_applied_where_its_partitions_are_as_they_were() {
    let overwrite = |path: &str| Operation::DynamicOverwrite {
        receipt: receipt(vec![file(path, "a", (0, 9))]),
        isolation: None,
    };
    let (mut kit, ids) = three();
    kit.commit(vec![create_ref("fix", ids[2], RefKind::Branch)]);
    let file = there(&kit, "new a");
    commit_to(&mut kit, "fix", vec![overwrite(&file)]);
    let picked = head(&kit, "fix");
    kit.commit(vec![append("more", "b")]);
    kit.commit(vec![Operation::Cherrypick(picked)]);
    assert_eq!(live(&kit), ["b", "c", "more", "new a"]);
    assert_eq!(kit.said("replace-partitions"), Some("true"));
    // A new file of the partition, and then a removed one.
    for meanwhile in [append("another a", "a"), delete("day = 'a'")] {
        let (mut kit, ids) = three();
        kit.commit(vec![create_ref("fix", ids[2], RefKind::Branch)]);
        let file = there(&kit, "new a");
        commit_to(&mut kit, "fix", vec![overwrite(&file)]);
        kit.commit(vec![meanwhile]);
        let error = kit.refused(Operation::Cherrypick(head(&kit, "fix")));
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    }
}

#[test]
fn row_ids_of_applied_rows_are_new() {
    let mut kit = Kit::partitioned(3, &[]);
    kit.commit(vec![append("a", "x")]);
    let first = kit.metadata().current_snapshot_id.unwrap();
    kit.commit(vec![create_ref("dev", first, RefKind::Branch)]);
    let file = there(&kit, "d");
    commit_to(&mut kit, "dev", vec![append(&file, "x")]);
    kit.commit(vec![append("b", "x")]);
    kit.commit(vec![Operation::Cherrypick(head(&kit, "dev"))]);
    assert_eq!(kit.metadata().next_row_id, Some(40));
    let current = kit.metadata().current_snapshot().unwrap();
    assert_eq!((current.first_row_id, current.added_rows), (Some(30), Some(10)));
}

#[test]
fn changes_cross_processes() {
    let (_, ids) = three();
    let retention = Retention { max_snapshot_age_ms: Some(4), ..Retention::default() };
    for operation in [
        create_ref("x", ids[0], RefKind::Tag),
        remove_branch("x"),
        set_current(3),
        change(RefChange::SetCurrent(SnapshotChoice::Ref(name("x")))),
        change(RefChange::Replace { name: name("x"), kind: RefKind::Tag, snapshot_id: 4 }),
        change(RefChange::Rename { name: name("x"), new_name: name("y") }),
        change(RefChange::Retention { name: name("x"), retention }),
        change(RefChange::FastForward { name: name("x"), to: name("y") }),
        change(RefChange::Rollback(3)),
        change(RefChange::RollbackToTimestamp(3)),
        Operation::Cherrypick(3),
        Operation::SetLocation(name("memory://x")),
        Operation::UpdateSpec(json!({"changes": [{"change": "remove-field", "name": "x"}]})),
        Operation::ReplaceSortOrder(json!({"fields": ["id desc"]})),
    ] {
        assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    }
    assert!(RefChange::from_json(json!({"change": "explode"})).is_err());
}

#[test]
fn a_staged_snapshot_is_in_no_branch_until_it_is_published() {
    let (mut kit, ids) = three();
    let stage = |kit: &Kit, operations: Vec<Operation>| {
        let properties = super::kit::map(&[("wap.id", "w1")]);
        Commit::begin(CommitRequest { stage_only: true, properties, ..kit.request(operations) })
    };
    for wrong in [vec![append("x", "x"), append("y", "x")], vec![create_ref("t", ids[0], RefKind::Tag)]] {
        assert_eq!(stage(&kit, wrong).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    let refs = kit.metadata().refs.clone();
    let attempt = kit.attempt(&stage(&kit, vec![append(&there(&kit, "d"), "x")]).unwrap()).unwrap();
    kit.take(&attempt);
    let staged = attempt.snapshot_id().unwrap();
    assert_eq!(kit.metadata().refs, refs);
    assert_eq!(live(&kit), ["a", "b", "c"]);
    assert_eq!(kit.metadata().snapshot(staged).unwrap().parent_snapshot_id, Some(ids[2]));
    kit.commit(vec![append("more", "x")]);
    kit.commit(vec![Operation::Cherrypick(staged)]);
    assert_eq!(live(&kit), ["a", "b", "c", "d", "more"]);
    assert_eq!(kit.said("published-wap-id"), Some("w1"));
}
