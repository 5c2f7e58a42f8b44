use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_iceberg::manifest::EntryStatus;
use floeberg_iceberg::metadata::RefKind;

use super::kit::{Kit, append, create_ref, delete, file, map, merge_append, receipt, remove_branch};
use crate::{COMMIT_KEY, Commit, CommitRequest, Operation};

#[test]
fn an_append_says_what_it_added_and_what_there_is() {
    for version in 1..=3 {
        let mut kit = Kit::partitioned(version, &[]);
        kit.commit(vec![append("a", "x")]);
        kit.commit(vec![append("b", "y")]);
        let snapshot = kit.metadata().current_snapshot().unwrap();
        assert_eq!(snapshot.operation.as_deref(), Some("append"));
        assert_eq!(snapshot.schema_id, Some(0));
        assert_eq!(snapshot.sequence_number, if version == 1 { 0 } else { 2 });
        assert_eq!(snapshot.parent_snapshot_id, Some(kit.metadata().snapshots[0].snapshot_id));
        let mut said = BTreeMap::clone(&snapshot.summary);
        assert!(said.remove(COMMIT_KEY).is_some());
        assert_eq!(said.remove("floeberg.commit-branch").as_deref(), Some("main"));
        assert_eq!(said.remove("floeberg.commit-operation").as_deref(), Some("append"));
        assert_eq!(said.remove("engine-name").as_deref(), Some("floeberg"));
        assert!(said.remove("engine-version").is_some());
        let expected = [
            ("added-data-files", "1"),
            ("added-files-size", "100"),
            ("added-records", "10"),
            ("changed-partition-count", "1"),
            ("manifests-created", "1"),
            ("manifests-kept", "1"),
            ("manifests-replaced", "0"),
            ("total-data-files", "2"),
            ("total-delete-files", "0"),
            ("total-equality-deletes", "0"),
            ("total-files-size", "200"),
            ("total-position-deletes", "0"),
            ("total-records", "20"),
        ];
        let said: Vec<_> = said.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(said, expected);
        assert_eq!(kit.live_paths(), ["a", "b"]);
        assert_eq!(kit.metadata().snapshot_log.len(), 2);
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn rows_of_v3_have_ids_and_those_of_an_upgraded_table_get_them() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("a", "x")]);
    kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
    assert_eq!(kit.metadata().next_row_id, Some(0));
    kit.commit(vec![append("b", "x")]);
    let ids = |kit: &Kit| {
        let first = kit.metadata().current_snapshot().unwrap().first_row_id;
        (first, kit.metadata().current_snapshot().unwrap().added_rows, kit.metadata().next_row_id)
    };
    assert_eq!(ids(&kit), (Some(0), Some(20), Some(20)), "old rows get theirs with the first commit");
    kit.commit(vec![append("c", "x")]);
    assert_eq!(ids(&kit), (Some(20), Some(10), Some(30)));
    let mut first_ids: Vec<_> = kit.manifests().iter().map(|manifest| manifest.first_row_id).collect();
    first_ids.sort_unstable();
    assert_eq!(first_ids, [Some(0), Some(10), Some(20)]);
    let back = kit.refused(Operation::UpgradeFormatVersion(2));
    assert!(back.to_string().contains("cannot be downgraded"), "{back}");
    assert_eq!(kit.refused(Operation::UpgradeFormatVersion(4)).kind(), ErrorKind::Unsupported);
}

#[test]
fn a_file_is_added_once_and_of_a_spec_that_there_is() {
    let mut kit = Kit::partitioned(2, &[]);
    let twice = receipt(vec![file("a", "x", (0, 1)), file("a", "x", (0, 1))]);
    let error = kit.refused(Operation::Append { receipt: twice, merge: None });
    assert!(error.to_string().contains("adds the same file twice"), "{error}");
    let mut other = file("a", "x", (0, 1));
    other.spec_id = 7;
    let error = kit.refused(Operation::Append { receipt: receipt(vec![other]), merge: None });
    assert!(error.to_string().contains("no partition spec 7"), "{error}");
    let mut wrong = file("a", "x", (0, 1));
    wrong.file.partition = vec![];
    let error = kit.refused(Operation::Append { receipt: receipt(vec![wrong]), merge: None });
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn files_that_others_wrote_are_looked_for_in_the_table() {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "3")]);
    kit.commit(vec![append("/t/a", "x"), append("/t/b", "y")]);
    let received = |kit: &Kit, path: &str, operations: Vec<Operation>| {
        let operations = [operations, vec![append(path, "x")]].concat();
        Commit::begin(CommitRequest { files_are_new: false, ..kit.request(operations) }).unwrap()
    };
    for path in ["/t/a", "/t/b", "file:/t/b", "file:///t/a"] {
        let commit = received(&kit, path, Vec::new());
        let error = kit.attempt(&commit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
        assert!(error.to_string().contains("in the table already"), "{error}");
        commit.abandon();
    }
    let commit = received(&kit, "/t/a", vec![delete("day = 'x'")]);
    let error = kit.attempt(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "it went before, and is not there: {error}");
    commit.abandon();
    let commit = received(&kit, "/t/c", vec![append("/t/d", "x")]);
    assert_eq!(kit.attempt(&commit).unwrap_err().kind(), ErrorKind::NotFound);
    commit.abandon();
    let twice = vec![append("/t/a", "x")];
    let commit = Commit::begin(CommitRequest { files_are_new: false, ..kit.request(twice) }).unwrap();
    kit.commit(vec![merge_append("/t/e", "x")]);
    assert_eq!(kit.attempt(&commit).unwrap_err().kind(), ErrorKind::AlreadyExists, "merged manifests too");
    assert_eq!(kit.files(), kit.needed());
}

#[test]
fn manifests_are_merged_when_there_are_as_many_as_the_table_says() {
    let properties = [("commit.manifest.min-count-to-merge", "3")];
    for version in 1..=3 {
        let mut kit = Kit::partitioned(version, &properties);
        kit.commit(vec![merge_append("a", "x")]);
        let first = kit.metadata().current_snapshot_id;
        kit.commit(vec![merge_append("b", "x")]);
        assert_eq!(kit.manifests().len(), 2);
        kit.commit(vec![merge_append("c", "y")]);
        let manifests = kit.manifests();
        assert_eq!(manifests.len(), 1);
        assert_eq!(kit.said("manifests-replaced"), Some("2"));
        assert_eq!((manifests[0].added_files_count, manifests[0].existing_files_count), (Some(1), Some(2)));
        let numbers: Vec<i64> = kit.live().into_values().collect();
        assert_eq!(numbers, if version == 1 { [0, 0, 0] } else { [1, 2, 3] });
        assert_eq!(manifests[0].min_sequence_number, i64::from(version > 1));
        let entries = kit.entries(&manifests[0]);
        let of_a = entries.iter().find(|entry| entry.data_file.file_path == "a").unwrap();
        assert_eq!((of_a.status, of_a.snapshot_id), (EntryStatus::Existing, first));
        let ids: Vec<_> = kit.manifests().iter().map(|manifest| manifest.first_row_id).collect();
        assert_eq!(
            ids,
            [(version == 3).then_some(20)],
            "rows that have ids keep them, and theirs are passed over"
        );
        if version == 3 {
            let ids: Vec<_> = entries.iter().map(|entry| entry.data_file.first_row_id).collect();
            assert_eq!(ids, [Some(20), Some(10), Some(0)]);
        }
        assert_eq!(kit.files(), kit.needed(), "what was merged away before it was committed is gone");
    }
}

#[test]
fn nothing_is_merged_by_a_fast_append_or_where_the_table_says_so() {
    let properties = [("commit.manifest.min-count-to-merge", "2")];
    let mut kit = Kit::partitioned(2, &properties);
    (0..4).for_each(|number| kit.commit(vec![append(&number.to_string(), "x")]));
    assert_eq!(kit.manifests().len(), 4);
    let mut kit = Kit::partitioned(2, &[properties[0], ("commit.manifest-merge.enabled", "false")]);
    (0..4).for_each(|number| kit.commit(vec![merge_append(&number.to_string(), "x")]));
    assert_eq!(kit.manifests().len(), 4);
}

#[test]
fn new_manifests_are_of_about_the_size_that_the_table_says() {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.target-size-bytes", "4000")]);
    let files = (0..500).map(|number| file(&format!("f{number:03}"), "x", (number, number + 1)));
    let append = Operation::Append { receipt: receipt(files.collect()), merge: Some(false) };
    kit.commit(vec![append]);
    assert!(kit.manifests().len() > 3, "{}", kit.manifests().len());
    assert_eq!(kit.live().len(), 500);
}

#[test]
fn a_branch_goes_its_own_way() {
    let mut kit = Kit::partitioned(3, &[]);
    kit.commit(vec![append("a", "x")]);
    let base = kit.metadata().current_snapshot_id.unwrap();
    kit.commit(vec![create_ref("tagged", base, RefKind::Tag)]);
    let on = |kit: &Kit, branch: &str| {
        let (properties, branch) = (map(&[("who", "me")]), branch.to_owned());
        Commit::begin(CommitRequest { properties, branch, ..kit.request(vec![append("b", "x")]) }).unwrap()
    };
    let error = kit.attempt(&on(&kit, "tagged")).unwrap_err();
    assert!(error.to_string().contains("is a tag"), "{error}");
    let commit = on(&kit, "audit");
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!(kit.metadata().current_snapshot_id, Some(base));
    assert_eq!(kit.metadata().snapshot_log.len(), 1);
    let audit = kit.metadata().snapshot_of_ref("audit").unwrap();
    assert_eq!(audit.parent_snapshot_id, Some(base));
    assert_eq!(audit.summary["total-data-files"], "2");
    assert_eq!(audit.summary["who"], "me");
    assert_eq!(kit.metadata().next_row_id, Some(20), "rows of branches have ids of their own");
    kit.commit(vec![append("c", "x")]);
    assert_eq!(kit.live_paths(), ["a", "c"]);
    kit.commit(vec![remove_branch("audit")]);
    assert!(!kit.metadata().refs.contains_key("audit"));
    assert_eq!(kit.refused(remove_branch("main")).kind(), ErrorKind::InvalidInput);
    assert_eq!(kit.refused(remove_branch("audit")).kind(), ErrorKind::NotFound);
}

#[test]
fn what_a_summary_says_itself_is_no_property_of_a_user() {
    let kit = Kit::partitioned(2, &[]);
    for name in ["total-records", "added-dvs", "operation", "partitions.x", "removed-equality-delete-files"] {
        let properties = map(&[(name, "1")]);
        let request = CommitRequest { properties, ..kit.request(vec![append("b", "x")]) };
        assert_eq!(Commit::begin(request).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    let request = |branch: &str, key: &str, operations| {
        let (branch, key) = (branch.to_owned(), key.to_owned());
        CommitRequest { branch, key, ..kit.request(operations) }
    };
    for wrong in [
        request("", "k", vec![append("b", "x")]),
        request("main", "", vec![append("b", "x")]),
        request("main", "k", vec![]),
    ] {
        assert_eq!(Commit::begin(wrong).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
