//! Does every filter of every case plan the files, and read as many rows, as its oracle says?
//!
//! The rows themselves are compared in Python; here their number is.

use std::collections::BTreeSet;

use corpus::{Case, known_failures};
use floeberg_core::expr::json::from_json;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::plan::Plan;
use floeberg_iceberg::{OpenOptions, Scan, Table};
use serde_json::Value as Json;

use crate::metadata::tables;

/// Opens a case where it lies now.
pub(crate) fn open(case: &Case) -> Table {
    let now = case.folder.join("table").to_str().unwrap().to_owned();
    let options =
        OpenOptions { relocate: vec![(case.text("original_dir").to_owned(), now)], ..OpenOptions::default() };
    Table::open(case.metadata_file().to_str().unwrap(), options)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// A filter with its scan; filters that Iceberg has no words for are left out.
pub(crate) fn filters(case: &Case) -> Vec<(&Json, Scan)> {
    let table = open(case);
    let all = case.expected["filters"].as_array().unwrap().iter();
    all.filter(|filter| filter["expression"].is_object())
        .map(|filter| (filter, Scan::new(table.clone()).filter(from_json(&filter["expression"]).unwrap())))
        .collect()
}

fn number(facts: &Json, key: &str) -> u64 {
    facts[key].as_u64().unwrap_or_else(|| panic!("{key} of {facts}"))
}

#[test]
fn every_filter_plans_as_sharply_as_its_oracle_and_leaves_no_match_out() {
    let mut plans = 0;
    for case in tables() {
        let everything = number(&case.expected["live_files"], "data");
        let whole = Scan::new(open(&case)).plan(&Cancel::default());
        assert_eq!(whole.unwrap_or_else(|error| panic!("{}: {error}", case.name)).len() as u64, everything);
        for (filter, scan) in filters(&case) {
            let plan = scan.plan(&Cancel::default());
            check(&case, filter, &plan.unwrap_or_else(|error| panic!("{}: {error}", case.name)), everything);
            plans += 1;
        }
    }
    assert!(plans > 300, "{plans} plans");
}

fn check(case: &Case, filter: &Json, plan: &Plan, everything: u64) {
    let (name, sql, planned) = (&case.name, &filter["sql"], plan.len() as u64);
    let ieee = filter.get("ieee").is_some();
    // Where NaN matters the oracle counts matches that IEEE comparison does not have.
    let least = if ieee { 0 } else { number(filter, "files_with_matches") };
    assert!((least..=everything).contains(&planned), "{name}: {sql}: {planned} files");
    let oracle = number(filter, "planned_files");
    if !ieee && oracle >= least {
        assert_eq!(planned, oracle, "{name}: {sql}: files\n{:?}", plan.explain());
        let deletes: BTreeSet<String> = plan
            .tasks()
            .flat_map(|task| task.unwrap().deletes)
            .map(|delete| delete.file_path.clone())
            .collect();
        let (found, oracle) = (deletes.len() as u64, number(filter, "planned_delete_files"));
        assert_eq!(found, oracle, "{name}: {sql}: delete files\n{:?}", plan.explain());
    }
    for stage in &plan.explain().stages {
        let dropped: u64 = stage.dropped.iter().map(|dropped| dropped.count).sum();
        assert_eq!(stage.entered, stage.kept + dropped, "{name}: {sql}: {stage:?}");
    }
}

#[test]
fn every_filter_reads_as_many_rows_as_its_oracle_says() {
    let failing: BTreeSet<String> = known_failures()
        .into_iter()
        .filter(|failure| failure.parts.iter().any(|part| part == "filters"))
        .map(|failure| failure.case)
        .collect();
    for case in tables() {
        for (filter, scan) in filters(&case) {
            let expected = number(filter.get("ieee").unwrap_or(filter), "row_count");
            let cancel = Cancel::default();
            let read = scan.stream(&cancel).and_then(|batches| {
                batches.map(|batch| batch.map(|batch| batch.num_rows() as u64)).sum::<Result<u64, _>>()
            });
            match read {
                Ok(rows) => assert_eq!(rows, expected, "{}: {}", case.name, filter["sql"]),
                // That a listed case fails at all is asserted in Python, where a part is run as a whole.
                Err(error) => assert!(
                    failing.contains(&case.name) && error.kind() == ErrorKind::Unsupported,
                    "{}: {}: {error}",
                    case.name,
                    filter["sql"]
                ),
            }
        }
    }
}
