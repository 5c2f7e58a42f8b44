use floeberg_core::ErrorKind;
use floeberg_iceberg::manifest::EntryStatus;
use serde_json::json;

use super::kit::{Kit, append, delete, file, overwrite, receipt};
use crate::Operation;

/// Files of two days, ids 0 to 9 and 100 to 109 in each.
fn two_days(format_version: u8) -> Kit {
    let mut kit = Kit::partitioned(format_version, &[]);
    let files = ["x", "y"].into_iter().flat_map(|day| {
        [file(&format!("{day}-low"), day, (0, 9)), file(&format!("{day}-high"), day, (100, 109))]
    });
    kit.commit(vec![Operation::Append { receipt: receipt(files.collect()), merge: None }]);
    kit
}

#[test]
fn rows_of_a_partition_are_deleted_with_its_files() {
    for version in 1..=3 {
        let mut kit = two_days(version);
        let added_by = kit.metadata().current_snapshot_id;
        kit.commit(vec![delete("day = 'x'")]);
        assert_eq!(kit.live_paths(), ["y-high", "y-low"]);
        let snapshot = kit.metadata().current_snapshot().unwrap();
        assert_eq!(snapshot.operation.as_deref(), Some("delete"));
        for (name, value) in [
            ("deleted-data-files", "2"),
            ("deleted-records", "20"),
            ("removed-files-size", "200"),
            ("total-data-files", "2"),
            ("total-records", "20"),
            ("changed-partition-count", "1"),
            ("manifests-created", "1"),
            ("manifests-replaced", "1"),
        ] {
            assert_eq!(kit.said(name), Some(value), "{name}");
        }
        let entries = kit.entries(&kit.manifests()[0]);
        for entry in entries {
            let is_gone = entry.data_file.file_path.starts_with('x');
            let expected = if is_gone { EntryStatus::Deleted } else { EntryStatus::Existing };
            assert_eq!(entry.status, expected);
            assert_eq!(entry.snapshot_id, if is_gone { Some(snapshot.snapshot_id) } else { added_by });
            assert_eq!(entry.sequence_number, Some(i64::from(version > 1)));
        }
        kit.commit(vec![delete("day = 'y'")]);
        assert!(kit.live().is_empty());
        assert_eq!(kit.said("total-records"), Some("0"));
        kit.commit(vec![append("z", "z")]);
        recorded(&mut kit, vec![delete("id = 77")]);
        assert_eq!(kit.manifests().len(), 1, "manifests without live files are left out");
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn files_whose_bounds_say_that_all_rows_match_go() {
    let mut kit = two_days(2);
    kit.commit(vec![delete("id < 50")]);
    assert_eq!(kit.live_paths(), ["x-high", "y-high"]);
    kit.commit(vec![delete("id >= 100 AND day = 'y'")]);
    assert_eq!(kit.live_paths(), ["x-high"]);
    kit.commit(vec![delete("true")]);
    assert!(kit.live().is_empty());
}

#[test]
fn a_filter_that_does_not_bind_changes_nothing() {
    let mut kit = two_days(2);
    for operation in [delete("nope = 5"), overwrite(vec![file("new", "x", (0, 9))], "nope = 5")] {
        let error = kit.refused(operation);
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("nope"), "{error}");
    }
    assert_eq!(kit.live().len(), 4);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let mut kit = two_days(2);
    for operation in [delete("id = 5"), overwrite(vec![file("new", "x", (0, 9))], "id = 5")] {
        let error = kit.refused(operation);
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains("-low"), "{error}");
    }
    assert_eq!(kit.live().len(), 4);
}

/// A commit that leaves a snapshot whatever it changes.
fn recorded(kit: &mut Kit, operations: Vec<Operation>) {
    let request = crate::CommitRequest { leaves_record: true, ..kit.request(operations) };
    let commit = crate::Commit::begin(request).unwrap();
    let attempt = kit.attempt(&commit).unwrap();
    assert!(attempt.changes());
    kit.take(&attempt);
    assert!(commit.finished(&attempt).is_empty());
}

#[test]
fn what_matches_nothing_is_a_snapshot_where_a_record_is_wanted() {
    let mut kit = two_days(2);
    let commit = kit.begin(vec![delete("id = 50")], "nothing");
    assert!(!kit.attempt(&commit).unwrap().changes());
    recorded(&mut kit, vec![delete("id = 50")]);
    assert_eq!(kit.live().len(), 4);
    assert_eq!(kit.said("deleted-data-files"), None);
    assert_eq!(kit.said("manifests-kept"), Some("1"));
}

#[test]
fn an_overwrite_removes_and_adds_in_one_snapshot() {
    let mut kit = two_days(3);
    kit.commit(vec![overwrite(vec![file("new", "x", (0, 9))], "day = 'x'")]);
    assert_eq!(kit.live_paths(), ["new", "y-high", "y-low"]);
    let operation = |kit: &Kit| kit.metadata().current_snapshot().unwrap().operation.clone().unwrap();
    assert_eq!(operation(&kit), "overwrite");
    let said = ["added-data-files", "deleted-data-files", "total-data-files"].map(|name| kit.said(name));
    assert_eq!(said, [Some("1"), Some("2"), Some("3")]);
    let live_ids: Vec<_> = kit.manifests().iter().flat_map(|manifest| kit.entries(manifest)).collect();
    let of = |path: &str| {
        live_ids.iter().find(|entry| entry.data_file.file_path == path).unwrap().data_file.first_row_id
    };
    assert_eq!((of("y-low"), of("y-high")), (Some(20), Some(30)), "rows that stay keep their ids");
    kit.commit(vec![overwrite(vec![], "day = 'y'")]);
    assert_eq!(operation(&kit), "delete");
    kit.commit(vec![overwrite(vec![file("more", "x", (0, 9))], "false")]);
    assert_eq!(operation(&kit), "append");
    assert_eq!(kit.live_paths(), ["more", "new"]);
}

#[test]
fn rows_that_stay_keep_their_ids_where_manifests_are_filtered_and_merged_at_once() {
    for operation in [
        overwrite(vec![file("new", "z", (0, 9))], "day = 'x'"),
        Operation::DynamicOverwrite { receipt: receipt(vec![file("new", "x", (0, 9))]), isolation: None },
    ] {
        let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "2")]);
        // What was there before the upgrade gets its ids by the first commit after it.
        kit.commit(vec![append("x-old", "x"), append("y-old", "y")]);
        kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
        kit.commit(vec![append("x", "x"), append("y", "y")]);
        let ids = |kit: &Kit| -> Vec<(String, EntryStatus, Option<i64>)> {
            let entries =
                kit.manifests().iter().flat_map(|manifest| kit.entries(manifest)).collect::<Vec<_>>();
            let mut ids: Vec<_> = entries
                .into_iter()
                .map(|entry| (entry.data_file.file_path, entry.status, entry.data_file.first_row_id))
                .collect();
            ids.sort_by(|one, other| one.0.cmp(&other.0));
            ids
        };
        let before = ids(&kit);
        let next = kit.metadata().next_row_id.unwrap();
        let commit = kit.begin(vec![operation], "slow");
        kit.attempt(&commit).unwrap();
        kit.commit(vec![append("other", "w")]);
        let attempt = kit.attempt(&commit).unwrap();
        kit.take(&attempt);
        commit.finished(&attempt);
        assert_eq!(kit.manifests().len(), 1, "all were merged");
        let after = ids(&kit);
        for (path, _, id) in &before {
            let (_, status, now) = after.iter().find(|known| known.0 == *path).unwrap();
            let gone = path.starts_with('x');
            assert_eq!(*status, if gone { EntryStatus::Deleted } else { EntryStatus::Existing });
            assert_eq!(now, id, "{path}");
        }
        assert_eq!(after.iter().find(|known| known.0 == "new").unwrap().2, Some(next + 10));
        let snapshot = kit.metadata().current_snapshot().unwrap();
        assert_eq!((snapshot.first_row_id, snapshot.added_rows), (Some(next + 10), Some(10)));
        assert_eq!(kit.metadata().next_row_id, Some(next + 20), "only new rows take ids");
    }
}

#[test]
fn a_dynamic_overwrite_replaces_the_partitions_of_its_files() {
    let mut kit = two_days(2);
    let replace = |files| Operation::DynamicOverwrite { receipt: receipt(files), isolation: None };
    kit.commit(vec![replace(vec![file("new", "y", (0, 9)), file("newer", "z", (0, 9))])]);
    assert_eq!(kit.live_paths(), ["new", "newer", "x-high", "x-low"]);
    assert_eq!(kit.said("replace-partitions"), Some("true"));
    assert_eq!(kit.metadata().current_snapshot().unwrap().operation.as_deref(), Some("overwrite"));
    let mut whole = Kit::empty();
    let create = whole.create(2, &json!([]), &[]);
    whole.commit(vec![create]);
    let plain = |path: &str| {
        let mut written = file(path, "x", (0, 9));
        written.file.partition = vec![];
        written
    };
    whole.commit(vec![Operation::Append { receipt: receipt(vec![plain("a"), plain("b")]), merge: None }]);
    whole.commit(vec![replace(vec![plain("c")])]);
    assert_eq!(whole.live_paths(), ["c"]);
}

#[test]
fn a_retry_of_a_removal_rewrites_only_manifests_that_are_new_to_it() {
    let mut kit = two_days(2);
    let slow = kit.begin(vec![delete("day = 'x'")], "slow");
    kit.attempt(&slow).unwrap();
    kit.commit(vec![append("fast", "y")]);
    let before = kit.files();
    let attempt = kit.attempt(&slow).unwrap();
    let new: Vec<_> = kit.files().difference(&before).cloned().collect();
    assert!(new.len() == 1 && new[0].starts_with("snap-"), "{new:?}");
    kit.take(&attempt);
    slow.finished(&attempt);
    assert_eq!(kit.live_paths(), ["fast", "y-high", "y-low"]);
    assert_eq!(kit.files(), kit.needed());
}

#[test]
fn changed_partitions_are_described_where_the_table_wants_so_many() {
    let mut kit = Kit::partitioned(2, &[("write.summary.partition-limit", "2")]);
    let files = vec![file("a", "x", (0, 9)), file("b", "x", (0, 9)), file("c", "y/z", (0, 9))];
    kit.commit(vec![Operation::Append { receipt: receipt(files), merge: None }]);
    assert_eq!(kit.said("partition-summaries-included"), Some("true"));
    let of_x = "added-data-files=2,added-records=20,added-files-size=200";
    assert_eq!(kit.said("partitions.day=x"), Some(of_x));
    let of_y = "added-data-files=1,added-records=10,added-files-size=100";
    assert_eq!(kit.said("partitions.day=y%2Fz"), Some(of_y));
    kit.commit(vec![overwrite(vec![file("d", "x", (0, 9))], "day = 'x'")]);
    let of_x = "added-data-files=1,deleted-data-files=2,added-records=10,deleted-records=20,\
                added-files-size=100,removed-files-size=200";
    assert_eq!(kit.said("partitions.day=x"), Some(of_x));
    let files = vec![file("e", "x", (0, 9)), file("f", "y", (0, 9)), file("g", "z", (0, 9))];
    kit.commit(vec![Operation::Append { receipt: receipt(files), merge: None }]);
    assert_eq!(kit.said("partition-summaries-included"), None);
    assert_eq!(kit.said("partitions.day=x"), None);
    assert_eq!(kit.said("changed-partition-count"), Some("3"));
}
