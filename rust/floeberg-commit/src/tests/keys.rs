//! Keys of work: where they are found, and where they are not.

use floeberg_core::ErrorKind;

use super::kit::{Kit, append, delete, set_current};
use crate::{Commit, CommitKey, CommitRequest, Operation};

fn on(kit: &mut Kit, branch: &str, key: &str, operations: Vec<Operation>) -> i64 {
    let request = kit.request(operations);
    let commit =
        Commit::begin(CommitRequest { branch: branch.to_owned(), key: key.to_owned(), ..request }).unwrap();
    assert_eq!(commit.find_own(kit.table.as_ref().unwrap()), None);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!(commit.find_own(kit.table.as_ref().unwrap()), attempt.snapshot_id());
    attempt.snapshot_id().unwrap()
}

fn found(kit: &Kit, branch: &str, key: &str, operations: &[&str]) -> floeberg_core::Result<Option<i64>> {
    CommitKey::new(key, branch, operations.iter().copied()).find(kit.metadata())
}

#[test]
fn a_key_belongs_to_a_branch_its_ancestry_and_operations() {
    let mut kit = Kit::partitioned(2, &[]);
    let first = on(&mut kit, "main", "k", vec![append("a", "x")]);
    let second = on(&mut kit, "main", "later", vec![append("b", "x"), delete("day = 'y'")]);
    assert_eq!(found(&kit, "main", "k", &["append"]).unwrap(), Some(first));
    assert_eq!(found(&kit, "main", "later", &["append", "delete"]).unwrap(), Some(second));
    assert_eq!(found(&kit, "main", "none", &["append"]).unwrap(), None);
    assert_eq!(CommitKey::begun("k", "main").find(kit.metadata()).unwrap(), Some(first));
    for operations in [&["delete"][..], &["append", "append"], &[]] {
        let error = found(&kit, "main", "k", operations).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("found append"), "{error}");
    }
    assert_eq!(found(&kit, "dev", "k", &["append"]).unwrap(), None, "there is no such branch");
    let third = on(&mut kit, "dev", "k", vec![append("c", "x")]);
    assert_eq!(found(&kit, "dev", "k", &["append"]).unwrap(), Some(third));
    assert_eq!(found(&kit, "dev", "later", &["append", "delete"]).unwrap(), None, "it was done to main");
    kit.commit(vec![set_current(first)]);
    assert_eq!(found(&kit, "main", "later", &["append", "delete"]).unwrap(), None, "it was rolled back");
    assert_eq!(found(&kit, "main", "k", &["append"]).unwrap(), Some(first));
}

#[test]
fn a_commit_finds_its_own_attempts_wherever_branches_are() {
    let mut kit = Kit::partitioned(2, &[]);
    let first = on(&mut kit, "main", "k", vec![append("a", "x")]);
    let commit = kit.begin(vec![append("b", "x")], "mine");
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    kit.commit(vec![set_current(first)]);
    let table = kit.table.as_ref().unwrap();
    assert_eq!(commit.find_own(table), attempt.snapshot_id(), "it was through, and was rolled back");
    assert_eq!(commit.find_earlier(table).unwrap(), None);
    assert_eq!(kit.begin(vec![append("c", "x")], "k").find_earlier(table).unwrap(), Some(first));
}
