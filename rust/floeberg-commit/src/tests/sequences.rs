//! Random operations, against a list of files.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::kit::{Kit, delete, file, map, overwrite, receipt};
use crate::Operation;

#[derive(Debug, Clone)]
enum Step {
    Append { files: usize, day: usize, merge: Option<bool> },
    Delete { day: usize },
    Overwrite { files: usize, day: usize },
    Dynamic { day: usize },
    Property,
    Upgrade,
}

const DAYS: [&str; 3] = ["x", "y", "z"];

fn steps() -> impl Strategy<Value = Vec<(Step, bool)>> {
    let merge = prop::sample::select(vec![None, Some(true), Some(false)]);
    let step = prop_oneof![
        4 => (1..3_usize, 0..3_usize, merge).prop_map(|(files, day, merge)| Step::Append { files, day, merge }),
        1 => (0..3_usize).prop_map(|day| Step::Delete { day }),
        1 => (0..3_usize, 0..3_usize).prop_map(|(files, day)| Step::Overwrite { files, day }),
        1 => (0..3_usize).prop_map(|day| Step::Dynamic { day }),
        1 => Just(Step::Property),
        1 => Just(Step::Upgrade),
    ];
    prop::collection::vec((step, any::<bool>()), 1..14)
}

/// Commits; where it is raced, after an attempt on a base that another commit then changes.
fn commit(kit: &mut Kit, operations: Vec<Operation>, raced: Option<String>) {
    let Some(path) = raced else { return kit.commit(operations) };
    let slow = kit.begin(operations, &path);
    kit.attempt(&slow).unwrap();
    kit.commit(vec![Operation::Append { receipt: receipt(vec![file(&path, "w", (0, 9))]), merge: None }]);
    let attempt = kit.attempt(&slow).unwrap();
    if attempt.changes() {
        kit.take(&attempt);
    }
    assert_eq!(slow.finished(&attempt), Vec::<String>::new());
}

/// A step as an operation, and what it does to the files and their days.
fn operation(step: &Step, number: usize, model: &mut BTreeMap<String, usize>, version: &mut u8) -> Operation {
    let names = |files: usize| (0..files).map(|file| format!("f{number:02}-{file}")).collect::<Vec<_>>();
    let written = |names: &[String], day: usize| {
        receipt(names.iter().map(|name| file(name, DAYS[day], (0, 9))).collect())
    };
    match *step {
        Step::Append { files, day, merge } => {
            let names = names(files);
            model.extend(names.iter().map(|name| (name.clone(), day)));
            Operation::Append { receipt: written(&names, day), merge }
        }
        Step::Delete { day } => {
            model.retain(|_, other| *other != day);
            delete(&format!("day = '{}'", DAYS[day]))
        }
        Step::Overwrite { files, day } => {
            model.retain(|_, other| *other != day);
            let names = names(files);
            model.extend(names.iter().map(|name| (name.clone(), (day + 1) % 3)));
            overwrite(written(&names, (day + 1) % 3).into_files(), &format!("day = '{}'", DAYS[day]))
        }
        Step::Dynamic { day } => {
            model.retain(|_, other| *other != day);
            let names = names(1);
            model.insert(names[0].clone(), day);
            Operation::DynamicOverwrite { receipt: written(&names, day), isolation: None }
        }
        Step::Property => Operation::SetProperties(map(&[("n", &number.to_string())])),
        Step::Upgrade => {
            *version = (*version + 1).min(3);
            Operation::UpgradeFormatVersion(*version)
        }
    }
}

/// Whatever was done: live files, totals, numbers and row ids are right.
fn check(kit: &Kit, model: &BTreeMap<String, usize>, ids: &mut BTreeMap<String, i64>) {
    if kit.metadata().current_snapshot_id.is_none() {
        return assert!(model.is_empty());
    }
    let live = kit.live();
    assert_eq!(live.keys().collect::<Vec<_>>(), model.keys().collect::<Vec<_>>());
    assert_eq!(kit.said("total-data-files"), Some(model.len().to_string().as_str()));
    assert_eq!(kit.said("total-records"), Some((model.len() * 10).to_string().as_str()));
    let mut first_ids = BTreeSet::new();
    for manifest in kit.manifests() {
        let entries = kit.entries(&manifest);
        let live =
            entries.iter().filter(|entry| entry.status != floeberg_iceberg::manifest::EntryStatus::Deleted);
        let least = live.clone().filter_map(|entry| entry.sequence_number).min();
        assert_eq!(least.unwrap_or(manifest.min_sequence_number), manifest.min_sequence_number);
        assert!(manifest.sequence_number <= kit.metadata().last_sequence_number);
        for entry in live {
            if let Some(id) = entry.data_file.first_row_id {
                let known = ids.entry(entry.data_file.file_path.clone()).or_insert(id);
                assert_eq!(*known, id, "the rows of a file keep their ids");
                assert!(id + 10 <= kit.metadata().next_row_id.unwrap());
                assert!(first_ids.insert(id / 10), "rows of two files have the same ids");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_done_the_table_holds_what_was_left(
        version in prop::sample::select(vec![1, 2, 3, 3]),
        least in prop::sample::select(vec!["2", "3"]),
        steps in steps(),
        raced in prop::collection::vec(any::<bool>(), 14),
    ) {
        let mut kit = Kit::partitioned(version, &[("commit.manifest.min-count-to-merge", least)]);
        let (mut model, mut version, mut ids) = (BTreeMap::new(), version, BTreeMap::new());
        let mut pending: Vec<Operation> = Vec::new();
        for (number, (step, ends_commit)) in steps.iter().enumerate() {
            pending.push(operation(step, number, &mut model, &mut version));
            if *ends_commit {
                let path = format!("raced{number:02}");
                if raced[number] {
                    model.insert(path.clone(), 3);
                }
                commit(&mut kit, std::mem::take(&mut pending), raced[number].then_some(path));
                check(&kit, &model, &mut ids);
            }
        }
        if !pending.is_empty() {
            kit.commit(pending);
        }
        check(&kit, &model, &mut ids);
        prop_assert_eq!(kit.files(), kit.needed());
    }

    #[test]
    fn an_operation_reads_as_it_was_written((step, _) in steps().prop_map(|mut steps| steps.remove(0))) {
        let operation = operation(&step, 1, &mut BTreeMap::new(), &mut 1);
        let bytes = operation.to_bytes().unwrap();
        prop_assert_eq!(Operation::from_bytes(&bytes).unwrap(), operation);
        for length in 0..bytes.len().min(80) {
            prop_assert!(Operation::from_bytes(&bytes[..length]).is_err());
        }
    }
}

#[test]
fn bytes_that_are_no_operation_are_refused() {
    for bytes in [&b""[..], b"\xff\xff\xff\xff{}", b"\x02\x00\x00\x00{}", b"\x02\x00\x00\x00[]"] {
        let error = Operation::from_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), floeberg_core::ErrorKind::InvalidInput, "{error}");
    }
}
