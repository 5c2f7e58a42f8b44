//! Does a part of a scan reach another process whole?

use std::sync::Arc;

use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::plan::{FileScanTask, Plan, SplitOptions, TaskGroup};
use floeberg_iceberg::{GroupRecipe, ReadRecipe, Scan};

use crate::metadata::tables;
use crate::plans::{filters, open};

/// Every table of the corpus, whole and by each of its filters, with its name.
pub(crate) fn scans() -> Vec<(String, Scan)> {
    let mut scans = Vec::new();
    for case in tables() {
        scans.push((case.name.clone(), Scan::new(open(&case))));
        scans.extend(
            filters(&case)
                .into_iter()
                .map(|(filter, scan)| (format!("{}: {}", case.name, filter["sql"]), scan)),
        );
    }
    scans
}

/// The whole of a plan as one group; `None` where it has no file.
fn whole(plan: Plan) -> Option<TaskGroup> {
    let options = SplitOptions { target_size: u64::MAX, open_file_cost: 0, ..SplitOptions::default() };
    let mut groups = Arc::new(plan).split(options).unwrap();
    assert!(groups.len() < 2);
    groups.pop()
}

#[test]
fn tasks_come_back_from_bytes_as_they_were() {
    for (name, scan) in scans() {
        let plan = scan.plan(&Cancel::default()).unwrap();
        let tasks: Vec<FileScanTask> = plan.tasks().map(Result::unwrap).collect();
        let read = Arc::new(ReadRecipe::of(&scan).unwrap());
        let Some(group) = whole(plan) else {
            assert!(tasks.is_empty(), "{name}");
            continue;
        };
        let bytes = GroupRecipe::new(read, group).to_bytes().unwrap();
        let back = GroupRecipe::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back: Vec<FileScanTask> = back.tasks().map(Result::unwrap).collect();
        assert_eq!(back, tasks, "{name}");
        let again = GroupRecipe::from_bytes(&bytes).unwrap().to_bytes().unwrap();
        assert_eq!(again, bytes, "{name}");
    }
}

#[test]
fn groups_of_any_size_read_the_rows_that_the_scan_reads() {
    for (name, scan) in scans() {
        let cancel = Cancel::default();
        let whole = scan.stream(&cancel).unwrap().map(|batch| batch.map(|batch| batch.num_rows()));
        // What the scan refuses, the groups refuse; conformance says which tables may be refused.
        let Ok(whole) = whole.sum::<Result<usize, _>>() else { continue };
        let read = Arc::new(ReadRecipe::of(&scan).unwrap());
        let plan = Arc::new(scan.plan(&cancel).unwrap());
        for (target_size, most_groups) in [
            (300, None),
            (5_000, None),
            (1 << 30, None),
            (300, Some(1)),
            (1 << 30, Some(1)),
            (1 << 30, Some(3)),
        ] {
            let options =
                SplitOptions { target_size, open_file_cost: 1, lookback: 3, most_groups, least_size: 1 };
            let mut rows = 0;
            for group in plan.split(options).unwrap() {
                let bytes = GroupRecipe::new(Arc::clone(&read), group).to_bytes().unwrap();
                let group = GroupRecipe::from_bytes(&bytes).unwrap();
                rows += group
                    .stream(&cancel, None)
                    .unwrap()
                    .map(|batch| batch.unwrap().num_rows())
                    .sum::<usize>();
            }
            assert_eq!(rows, whole, "{name} in {most_groups:?} groups of {target_size} bytes");
        }
    }
}

#[test]
fn damaged_bytes_are_refused_and_never_panic() {
    let filled = |(_, scan): &(String, Scan)| !scan.plan(&Cancel::default()).unwrap().is_empty();
    let (_, scan) = scans().into_iter().find(filled).unwrap();
    let plan = scan.plan(&Cancel::default()).unwrap();
    let read = Arc::new(ReadRecipe::of(&scan).unwrap());
    let bytes = GroupRecipe::new(read, whole(plan).unwrap()).to_bytes().unwrap();
    for end in 0..bytes.len() {
        let error = GroupRecipe::from_bytes(&bytes[..end]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "cut at {end}");
    }
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] = damaged[position].wrapping_add(1);
        drop(GroupRecipe::from_bytes(&damaged));
    }
}
