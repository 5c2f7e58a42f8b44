//! What is mended of a table, for Python?

use std::collections::BTreeMap;

use floeberg_commit::Operation as IcebergOperation;
use floeberg_core::finding::Finding;
use floeberg_core::{Error, Result};
use floeberg_io::open_store;
use floeberg_maintain::{
    GoneFile, RepairChoice, RepairPlan, iceberg_rules, plan_folder_repair, plan_repair as planned,
};
use pyo3::prelude::*;

use super::check::FindingOfPython;
use crate::commit::operation::Operation;
use crate::runtime;
use crate::table::table::Table;

/// A finding as Python has it: the name of its rule, location, part, message and snapshot.
type GivenFinding = (String, String, String, String, Option<i64>);

/// A file that is given up: location, content, files, lost rows and returned rows.
type GoneFileOfPython = (String, &'static str, i64, i64, Option<i64>);

/// What is committed, what it mends, what it does not and why, what is given up, and whether the hint is written.
type Plan = (
    Option<Operation>,
    Vec<(FindingOfPython, String)>,
    Vec<(FindingOfPython, String)>,
    Vec<GoneFileOfPython>,
    bool,
);

/// Plans to mend what findings say of a table. Nothing is written.
#[pyfunction]
#[pyo3(signature = (
    table, findings, *, branch, drop_missing_data_files, drop_missing_delete_files, drop_missing_manifests, allow_changed_rows, writes_metadata,
    owns_folder
))]
#[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords of Python")]
pub fn plan_repair(
    py: Python<'_>,
    table: &Table,
    findings: Vec<GivenFinding>,
    branch: String,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    drop_missing_manifests: bool,
    allow_changed_rows: bool,
    writes_metadata: bool,
    owns_folder: bool,
) -> PyResult<Plan> {
    let choice = RepairChoice {
        drops_missing_data_files: drop_missing_data_files,
        drops_missing_delete_files: drop_missing_delete_files,
        drops_missing_manifests: drop_missing_manifests,
        allows_changed_rows: allow_changed_rows,
        writes_metadata,
        owns_folder,
    };
    let table = table.table.clone();
    let plan = runtime::run(py, &floeberg_core::Cancel::default(), move |cancel| {
        let findings = findings.into_iter().map(finding).collect::<Result<Vec<_>>>()?;
        planned(&table, findings, &branch, choice, cancel)
    })?;
    let RepairPlan { repair, repaired, skipped, gone, writes_hint } = plan;
    let operation = (!repair.is_empty()).then(|| Operation(IcebergOperation::Repair(Box::new(repair))));
    let noted = |list: Vec<(Finding, String)>| {
        list.into_iter().map(|(finding, note)| (shown(finding), note)).collect()
    };
    let gone = gone.into_iter().map(|file| {
        let GoneFile { location, content, files, lost_rows, returned_rows } = file;
        (location, content, files, lost_rows, returned_rows)
    });
    Ok((operation, noted(repaired), noted(skipped), gone.collect(), writes_hint))
}

fn finding((rule, location, part, message, snapshot_id): GivenFinding) -> Result<Finding> {
    let known = iceberg_rules().find(|known| known.id == rule);
    let rule = known.ok_or_else(|| {
        Error::invalid_input(format!("findings: expected a rule of a check, found {rule:?}"))
    })?;
    Ok(Finding { rule, location, part, message, snapshot_id })
}

fn shown(finding: Finding) -> FindingOfPython {
    (finding.rule.id, finding.location, finding.part, finding.message, finding.snapshot_id)
}

/// A damaged version of a folder: its number, location, what is wrong, and where it is moved to.
type DamagedOfPython = (u64, String, String, Option<String>);

/// A snapshot that may be lost: its manifest list, id and sequence number.
type LostOfPython = (String, Option<i64>, Option<i64>);

/// The newest whole version, its location and sequence number, the damaged versions, the one that the hint says and that is gone, and
/// snapshots that may be lost.
type FolderPlan = (u64, String, i64, Vec<DamagedOfPython>, Option<u64>, Vec<LostOfPython>);

/// Looks for damaged versions of a table in a folder, and moves them aside if that is asked for.
#[pyfunction]
#[pyo3(signature = (location, *, drop_damaged_versions, dry_run, storage_options))]
pub fn repair_folder(
    py: Python<'_>,
    location: String,
    drop_damaged_versions: bool,
    dry_run: bool,
    storage_options: BTreeMap<String, String>,
) -> PyResult<FolderPlan> {
    let plan = runtime::run(py, &floeberg_core::Cancel::default(), move |cancel| {
        let store = open_store(&storage_options.into_iter().collect())?;
        let plan = plan_folder_repair(store.as_ref(), &location, cancel)?;
        if !dry_run && !plan.is_sound() {
            if let Some(refusal) = plan.refusal().filter(|_| !drop_damaged_versions) {
                return Err(refusal);
            }
            plan.apply(store.as_ref())?;
        }
        Ok(plan)
    })?;
    let damaged =
        plan.damaged.into_iter().map(|each| (each.version, each.location, each.message, each.moved_to));
    let lost = plan.lost.into_iter().map(|each| (each.manifest_list, each.snapshot_id, each.sequence_number));
    Ok((
        plan.version,
        plan.metadata_location,
        plan.last_sequence_number,
        damaged.collect(),
        plan.missing,
        lost.collect(),
    ))
}
