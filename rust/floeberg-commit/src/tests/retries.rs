use std::collections::BTreeSet;

use super::kit::{Kit, append, map, merge_append};
use crate::{Commit, CommitRequest, Operation, Previous, Requirement, Update, apply};

/// What has come into a folder.
fn news(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    after.difference(before).cloned().collect()
}

#[test]
fn a_retry_writes_the_manifest_list_alone_and_takes_new_numbers() {
    let mut kit = Kit::partitioned(3, &[]);
    let slow = kit.begin(vec![append("slow", "x")], "slow");
    let before = kit.files();
    let first = kit.attempt(&slow).unwrap();
    let written = kit.files();
    assert_eq!(news(&before, &written).len(), 2, "a manifest and a manifest list");
    kit.commit(vec![append("fast", "x")]);
    assert!(first.requirements().iter().any(|requirement| {
        requirement.check(Some(kit.metadata())).is_err_and(|error| error.is_retryable())
    }));
    let before = kit.files();
    let second = kit.attempt(&slow).unwrap();
    let new = news(&before, &kit.files());
    assert!(new.len() == 1 && new[0].starts_with("snap-"), "{new:?}");
    assert_eq!(first.snapshot_id(), second.snapshot_id());
    kit.take(&second);
    let snapshot = kit.metadata().current_snapshot().unwrap();
    assert_eq!((snapshot.sequence_number, snapshot.first_row_id), (2, Some(10)));
    assert_eq!(kit.live(), [("fast".to_owned(), 1), ("slow".to_owned(), 2)].into());
    assert_eq!(slow.finished(&second), Vec::<String>::new());
    assert_eq!(kit.files(), kit.needed(), "the first manifest list is gone");
    assert_eq!(slow.find_own(kit.table.as_ref().unwrap()), second.snapshot_id());
    assert_eq!(kit.begin(vec![append("a", "x")], "slow").find_own(kit.table.as_ref().unwrap()), None);
}

#[test]
fn a_retry_merges_anew_only_what_came_between() {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "2")]);
    kit.commit(vec![append("a", "x")]);
    let slow = kit.begin(vec![merge_append("slow", "x")], "slow");
    kit.attempt(&slow).unwrap();
    let before = kit.files();
    kit.attempt(&slow).unwrap();
    assert_eq!(news(&before, &kit.files()).len(), 1, "the list alone: the merged manifest serves again");
    kit.commit(vec![append("fast", "x")]);
    let attempt = kit.attempt(&slow).unwrap();
    kit.take(&attempt);
    assert_eq!(slow.finished(&attempt), Vec::<String>::new());
    assert_eq!(kit.live(), [("a".to_owned(), 1), ("fast".to_owned(), 2), ("slow".to_owned(), 3)].into());
    assert_eq!(kit.manifests().len(), 1);
    assert_eq!(kit.files(), kit.needed());
}

#[test]
fn operations_of_one_commit_are_merged_and_tried_again_with_right_numbers() {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "2")]);
    let several = kit.begin(vec![append("a", "x"), merge_append("b", "x")], "k");
    kit.attempt(&several).unwrap();
    kit.commit(vec![append("fast", "x")]);
    let attempt = kit.attempt(&several).unwrap();
    kit.take(&attempt);
    several.finished(&attempt);
    assert_eq!(kit.live(), [("a".to_owned(), 2), ("b".to_owned(), 3), ("fast".to_owned(), 1)].into());
    assert_eq!(kit.files(), kit.needed());
    // A commit to another branch takes a number, and leaves the merged manifest as it is.
    let merged = kit.begin(vec![merge_append("c", "x")], "m");
    kit.attempt(&merged).unwrap();
    let elsewhere = CommitRequest { branch: "other".to_owned(), ..kit.request(vec![append("d", "x")]) };
    let elsewhere = kit.attempt(&Commit::begin(elsewhere).unwrap()).unwrap();
    kit.take(&elsewhere);
    let attempt = kit.attempt(&merged).unwrap();
    kit.take(&attempt);
    assert_eq!(kit.live()["c"], 5);
}

#[test]
fn a_commit_that_is_given_up_leaves_nothing() {
    let kit = Kit::partitioned(2, &[]);
    let before = kit.files();
    let commit = kit.begin(vec![append("a", "x"), append("b", "y")], "k");
    for _ in 0..3 {
        kit.attempt(&commit).unwrap();
    }
    assert_eq!(commit.abandon(), Vec::<String>::new());
    assert_eq!(kit.files(), before);
}

#[test]
fn an_attempt_says_the_same_as_its_updates() {
    let mut kit = Kit::partitioned(3, &[]);
    kit.commit(vec![append("a", "x")]);
    let operations = vec![
        append("b", "x"),
        Operation::SetProperties(map(&[("p", "q")])),
        merge_append("c", "y"),
        Operation::RemoveProperties(vec!["p".to_owned()]),
    ];
    let commit = kit.begin(operations, "k");
    let attempt = kit.attempt(&commit).unwrap();
    let read = |json: &serde_json::Value| {
        let list = json.as_array().unwrap().iter().cloned();
        list.map(|update| Update::from_json(update).unwrap()).collect::<Vec<_>>()
    };
    let updates = read(&attempt.updates_json().unwrap());
    assert_eq!(updates, attempt.updates());
    let requirements = attempt.requirements_json();
    let requirements = requirements.as_array().unwrap().iter().cloned();
    let requirements: Vec<_> = requirements.map(|json| Requirement::from_json(json).unwrap()).collect();
    assert_eq!(requirements, attempt.requirements());
    let table = kit.table.as_ref().unwrap();
    let previous = Previous { metadata: table.metadata(), metadata_location: table.metadata_location() };
    let applied = apply(Some(previous), &requirements, &updates, attempt.metadata().last_updated_ms).unwrap();
    assert_eq!(&applied, attempt.metadata().as_ref());
}

#[test]
fn a_table_that_was_replaced_is_a_conflict_that_trying_again_does_not_help() {
    let kit = Kit::partitioned(2, &[]);
    let commit = kit.begin(vec![append("a", "x")], "k");
    let other = Kit::partitioned(2, &[]);
    let error = other.attempt(&commit).unwrap_err();
    assert!(error.to_string().contains("another was made in its place") && !error.is_retryable(), "{error}");
}
