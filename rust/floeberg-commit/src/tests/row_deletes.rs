//! Rows deleted by a filter, from files of which others stay.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::parse;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::Scan;
use floeberg_iceberg::manifest::EntryStatus;
use floeberg_io::location::join;
use floeberg_io::{MemoryStore, Store};
use proptest::prelude::*;

use super::kit::Kit;
use super::row_deltas::{append, data, deletes, delta, ids, keys, live_deletes, operation};
use crate::{DeleteMode, IsolationLevel, Operation};
use floeberg_io::random::random_uuid;

pub(super) const MODES: [DeleteMode; 2] = [DeleteMode::CopyOnWrite, DeleteMode::MergeOnRead];

pub(super) fn delete(filter: &str, mode: Option<DeleteMode>) -> Operation {
    Operation::Delete {
        filter: parse(filter).unwrap(),
        case_sensitive: true,
        isolation: None,
        mode,
        finds_again: false,
    }
}

pub(super) fn cases() -> impl Iterator<Item = (u8, DeleteMode)> {
    let all = (1..4).flat_map(|version| MODES.map(|mode| (version, mode)));
    all.filter(|(version, mode)| *version > 1 || *mode == DeleteMode::CopyOnWrite)
}

pub(super) fn said_operation(kit: &Kit) -> String {
    kit.metadata().current_snapshot().unwrap().operation.clone().unwrap()
}

/// The files of a day's folder.
pub(super) fn stored(kit: &Kit, day: &str) -> BTreeSet<String> {
    let folder = join(&kit.location, &format!("data/day={day}"));
    let entries = MemoryStore::shared().list(&folder).unwrap_or_default();
    entries.into_iter().map(|entry| entry.name).collect()
}

/// The live files of a snapshot's manifests, by name.
fn live(kit: &Kit) -> BTreeSet<String> {
    let entries = kit.manifests().into_iter().flat_map(|manifest| kit.entries(&manifest));
    let live = entries.filter(|entry| entry.status != EntryStatus::Deleted);
    live.map(|entry| entry.data_file.file_path.rsplit('/').next().unwrap().to_owned()).collect()
}

/// Row ids and last updates by id.
pub(super) fn lineage(kit: &Kit) -> BTreeMap<i64, (Option<i64>, Option<i64>)> {
    let names = ["id", "_row_id", "_last_updated_sequence_number"].map(str::to_owned);
    let scan = Scan::new(kit.table.clone().unwrap()).select(names.to_vec());
    let mut found = BTreeMap::new();
    for batch in scan.stream(&Cancel::default()).unwrap() {
        let batch = batch.unwrap();
        let columns = [0, 1, 2].map(|column| batch.column(column).as_primitive::<Int64Type>().clone());
        for row in 0..batch.num_rows() {
            let [id, row_id, number] = [0, 1, 2].map(|column| columns[column].iter().nth(row).unwrap());
            found.insert(id.unwrap(), (row_id, number));
        }
    }
    found
}

#[test]
fn rows_that_match_go_and_all_others_stay() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3, 4]);
        append(&mut kit, "x", &[5, 6]);
        append(&mut kit, "y", &[2]);
        kit.commit(vec![delete("day = 'x' AND id IN (2, 3)", Some(mode))]);
        assert_eq!(ids(&kit), [1, 2, 4, 5, 6], "v{version} {mode:?}");
        let is_copy = mode == DeleteMode::CopyOnWrite;
        assert_eq!(said_operation(&kit), if is_copy { "overwrite" } else { "delete" });
        assert_eq!(kit.live().contains_key(&one.file.file_path), !is_copy);
        assert_eq!(live_deletes(&kit).len(), usize::from(!is_copy));
        let said = |name| kit.said(name).map(str::to_owned);
        let counts = [
            "added-data-files",
            "deleted-data-files",
            "added-records",
            "deleted-records",
            "added-position-deletes",
        ]
        .map(said);
        let expected = if is_copy {
            [Some("1"), Some("1"), Some("2"), Some("4"), None]
        } else {
            [None, None, None, None, Some("2")]
        };
        assert_eq!(counts, expected.map(|count| count.map(str::to_owned)), "v{version} {mode:?}");
    }
}

#[test]
fn a_file_goes_whole_where_reading_finds_that_all_rows_match() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 3]);
        append(&mut kit, "x", &[1, 2, 3]);
        // Bounds cannot tell.
        kit.commit(vec![delete("id IN (1, 3)", Some(mode))]);
        assert_eq!(ids(&kit), [2]);
        assert_eq!(
            kit.said("deleted-data-files"),
            Some(if mode == DeleteMode::CopyOnWrite { "2" } else { "1" })
        );
        kit.commit(vec![delete("id IN (0, 2, 9)", Some(mode))]);
        assert_eq!(kit.said("total-data-files"), Some("0"), "with what was deleted before it is whole");
        assert_eq!(ids(&kit), [0; 0]);
        assert_eq!(said_operation(&kit), "delete");
    }
}

#[test]
fn a_file_without_such_rows_stays_as_it_is() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 3]);
        let before = stored(&kit, "x");
        kit.commit(vec![delete("id = 2", Some(mode))]);
        assert_eq!((ids(&kit), stored(&kit, "x")), (vec![1, 3], before));
        assert_eq!((kit.said("deleted-data-files"), kit.said("added-delete-files")), (None, None));
    }
}

#[test]
fn copied_rows_keep_their_row_ids_and_their_last_updates() {
    let mut kit = Kit::partitioned(3, &[]);
    append(&mut kit, "x", &[10, 11, 12, 13]);
    append(&mut kit, "x", &[20, 21]);
    let before = lineage(&kit);
    for filter in ["id IN (11, 20)", "id = 12"] {
        kit.commit(vec![delete(filter, Some(DeleteMode::CopyOnWrite))]);
    }
    let after = lineage(&kit);
    assert_eq!(after.keys().copied().collect::<Vec<_>>(), [10, 13, 21]);
    for (id, lineage) in after {
        assert_eq!(lineage, before[&id], "{id}");
    }
}

#[test]
fn the_mode_is_the_property_of_the_table_unless_told() {
    let mut kit = Kit::partitioned(3, &[("write.delete.mode", "merge-on-read")]);
    append(&mut kit, "x", &[1, 2, 3, 4]);
    kit.commit(vec![delete("id = 1", None)]);
    assert_eq!(kit.said("added-dvs"), Some("1"));
    kit.commit(vec![delete("id = 2", Some(DeleteMode::CopyOnWrite))]);
    assert_eq!((kit.said("added-dvs"), kit.said("removed-dvs")), (None, Some("1")));
    assert_eq!(ids(&kit), [3, 4]);
    let mut plain = Kit::partitioned(2, &[]);
    append(&mut plain, "x", &[1, 2]);
    plain.commit(vec![delete("id = 1", None)]);
    assert_eq!(plain.said("added-data-files"), Some("1"));
}

#[test]
fn a_table_of_v1_has_copies_alone() {
    let mut kit = Kit::partitioned(1, &[]);
    append(&mut kit, "x", &[1, 2]);
    let error = kit.refused(delete("id = 1", Some(DeleteMode::MergeOnRead)));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("copy-on-write"), "{error}");
    kit.commit(vec![delete("id = 1", None)]);
    assert_eq!(ids(&kit), [2]);
}

#[test]
fn a_vector_takes_up_the_position_deletes_of_an_upgraded_table() {
    let mut kit = Kit::partitioned(2, &[("write.delete.granularity", "partition")]);
    let one = append(&mut kit, "x", &[1, 2, 3, 4]);
    let two = append(&mut kit, "x", &[5, 6, 7]);
    kit.commit(vec![operation(delta(&kit, deletes(&kit, &[(&one, &[0]), (&two, &[0])]), Vec::new()))]);
    kit.commit(vec![operation(delta(&kit, deletes(&kit, &[(&one, &[1])]), Vec::new()))]);
    kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
    kit.commit(vec![delete("id = 3", Some(DeleteMode::MergeOnRead))]);
    assert_eq!(ids(&kit), [4, 6, 7]);
    let live = live_deletes(&kit);
    let vector = live.iter().find(|written| written.file.is_vector()).unwrap();
    assert_eq!(vector.file.record_count, 3);
    assert_eq!(live.len(), 2, "the file for one data file went, that for two is needed by the other");
    kit.commit(vec![delete("id = 6", Some(DeleteMode::MergeOnRead))]);
    assert_eq!(ids(&kit), [4, 7]);
}

#[test]
fn rows_deleted_by_keys_stay_deleted() {
    for (version, mode) in cases().filter(|(version, _)| *version > 1) {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        kit.commit(vec![operation(delta(&kit, keys(&kit, &[Some(2)], "x"), Vec::new()))]);
        kit.commit(vec![delete("id = 3", Some(mode))]);
        assert_eq!(ids(&kit), [1, 4], "v{version} {mode:?}");
        kit.commit(vec![delete("id < 9", Some(mode))]);
        assert_eq!(ids(&kit), [0; 0]);
    }
}

#[test]
fn an_operation_sees_what_its_transaction_did_before() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        let added = Operation::Append { receipt: data(&kit, "x", &[5, 6]), merge: None };
        let more = Operation::Append { receipt: data(&kit, "x", &[1]), merge: None };
        kit.commit(vec![delete("id = 1", Some(mode)), added, delete("id IN (2, 6)", Some(mode)), more]);
        assert_eq!(ids(&kit), [1, 3, 4, 5], "v{version} {mode:?}");
        assert_eq!(kit.files(), kit.needed());
    }
}

#[test]
fn a_retry_looks_at_the_new_base_and_leaves_nothing_of_the_first_attempt() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3, 4]);
        append(&mut kit, "y", &[7, 8]);
        let slow = Operation::Delete {
            filter: parse("id = 2").unwrap(),
            case_sensitive: true,
            isolation: Some(IsolationLevel::Snapshot),
            mode: Some(mode),
            finds_again: false,
        };
        let commit = kit.begin(vec![slow], &random_uuid());
        kit.attempt(&commit).unwrap();
        // Another is faster: the same file in merge-on-read, another one for copies, where it would conflict.
        let other = if mode == DeleteMode::MergeOnRead { "id = 3" } else { "id = 8" };
        append(&mut kit, "y", &[2, 9]);
        let before: BTreeSet<String> = match mode {
            DeleteMode::MergeOnRead => {
                kit.commit(vec![delete(other, Some(mode))]);
                stored(&kit, "x")
            }
            DeleteMode::CopyOnWrite => stored(&kit, "x"),
        };
        let attempt = kit.attempt(&commit).unwrap();
        kit.take(&attempt);
        assert_eq!(commit.finished(&attempt), Vec::<String>::new());
        let expected: &[i64] =
            if mode == DeleteMode::MergeOnRead { &[1, 4, 7, 8, 9] } else { &[1, 3, 4, 7, 8, 9] };
        assert_eq!(ids(&kit), expected, "v{version} {mode:?}");
        assert_eq!(kit.files(), kit.needed());
        let live = live(&kit);
        let left: Vec<_> = stored(&kit, "x").difference(&live).cloned().collect();
        let unneeded: Vec<_> = left.iter().filter(|name| !before.contains(*name)).collect();
        assert_eq!(unneeded, Vec::<&String>::new(), "v{version} {mode:?}");
    }
}

#[test]
fn an_attempt_that_fails_leaves_no_file() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3]);
        let before = (kit.files(), stored(&kit, "x"));
        let commit = kit.begin(vec![delete("id = 1", Some(mode))], "k");
        kit.attempt(&commit).unwrap();
        assert_ne!(kit.files(), before.0);
        assert_eq!(commit.abandon(), Vec::<String>::new());
        assert_eq!((kit.files(), stored(&kit, "x")), before, "v{version} {mode:?}");
    }
}

#[test]
fn rows_that_came_meanwhile_are_a_conflict_if_the_delete_is_serializable() {
    for (version, mode) in cases() {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3]);
        let commit = kit.begin(vec![delete("id = 2", Some(mode))], "k");
        append(&mut kit, "y", &[1, 2, 3]);
        let error = kit.attempt(&commit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
        assert_eq!(commit.abandon(), Vec::<String>::new());
    }
}

#[test]
fn in_other_processes_a_delete_has_the_same_mode() {
    for mode in [None, Some(DeleteMode::CopyOnWrite), Some(DeleteMode::MergeOnRead)] {
        let operation = delete("id = 2", mode);
        assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    }
    assert_eq!("Merge-On-Read".parse::<DeleteMode>().unwrap(), DeleteMode::MergeOnRead);
    assert_eq!("never".parse::<DeleteMode>().unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[derive(Debug, Clone)]
enum Step {
    Append(bool, usize),
    Delete(i64, i64, bool, bool),
    Keys(i64),
    Upgrade,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (any::<bool>(), 1_usize..9).prop_map(|(day, rows)| Step::Append(day, rows)),
        6 => (0_i64..60, 1_i64..12, any::<bool>(), any::<bool>())
            .prop_map(|(from, step, mode, day)| Step::Delete(from, step, mode, day)),
        1 => (0_i64..60).prop_map(Step::Keys),
        1 => Just(Step::Upgrade),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Random deletes in both modes, in all versions and over upgrades, beside a model; lineage and old snapshots too.
    #[test]
    fn histories_of_deletes_leave_the_rows_of_the_model(version in 1_u8..4, steps in prop::collection::vec(step(), 1..12)) {
        let mut kit = Kit::partitioned(version, &[("commit.manifest.min-count-to-merge", "3")]);
        let mut model: BTreeSet<(i64, &str)> = BTreeSet::new();
        let mut next = 0;
        let mut lineages: BTreeMap<i64, (Option<i64>, Option<i64>)> = BTreeMap::new();
        for step in steps {
            let format_version = kit.metadata().format_version;
            match step {
                Step::Append(day, rows) => {
                    let day = if day { "x" } else { "y" };
                    let new: Vec<i64> = (next..next + rows as i64).collect();
                    next += rows as i64;
                    append(&mut kit, day, &new);
                    model.extend(new.into_iter().map(|id| (id, day)));
                }
                Step::Delete(from, step, mode, by_day) => {
                    let mode = MODES[usize::from(mode && format_version > 1)];
                    let gone: Vec<i64> = (from..from + 40).step_by(step as usize).collect();
                    let list = gone.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                    let by_day = if by_day { " AND day = 'x'" } else { "" };
                    kit.commit(vec![delete(&format!("id IN ({list}){by_day}"), Some(mode))]);
                    model.retain(|(id, day)| !gone.contains(id) || (!by_day.is_empty() && *day != "x"));
                }
                Step::Keys(id) if format_version > 1 && !model.is_empty() => {
                    for day in ["x", "y"] {
                        kit.commit(vec![operation(delta(&kit, keys(&kit, &[Some(id)], day), Vec::new()))]);
                    }
                    model.retain(|(other, _)| *other != id);
                }
                Step::Keys(_) => {}
                Step::Upgrade => kit.commit(vec![Operation::UpgradeFormatVersion((format_version + 1).min(3))]),
            }
            if kit.metadata().current_snapshot_id.is_some() {
                let expected: Vec<i64> = model.iter().map(|(id, _)| *id).collect();
                prop_assert_eq!(ids(&kit), expected);
                prop_assert_eq!(kit.files(), kit.needed());
                if format_version == 3 {
                    let now = lineage(&kit);
                    for (id, found) in &now {
                        if let Some(known) = lineages.get(id).filter(|known| known.0.is_some()) {
                            prop_assert_eq!(found, known, "{}", id);
                        }
                    }
                    lineages = now;
                }
            }
        }
    }
}
