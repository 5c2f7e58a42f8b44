//! What is mended of a table, for Python?

use floeberg_commit::Operation as IcebergOperation;
use floeberg_core::finding::Finding;
use floeberg_core::{Error, Result};
use floeberg_maintain::{GoneFile, RepairChoice, RepairPlan, iceberg_rules, plan_repair as planned};
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
    table, findings, *, drop_missing_data_files, drop_missing_delete_files, drop_missing_manifests, writes_metadata, owns_folder
))]
#[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords of Python")]
pub fn plan_repair(
    py: Python<'_>,
    table: &Table,
    findings: Vec<GivenFinding>,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    drop_missing_manifests: bool,
    writes_metadata: bool,
    owns_folder: bool,
) -> PyResult<Plan> {
    let choice = RepairChoice {
        drops_missing_data_files: drop_missing_data_files,
        drops_missing_delete_files: drop_missing_delete_files,
        drops_missing_manifests: drop_missing_manifests,
        writes_metadata,
        owns_folder,
    };
    let table = table.table.clone();
    let plan = runtime::run(py, &floeberg_core::Cancel::default(), move |cancel| {
        let findings = findings.into_iter().map(finding).collect::<Result<Vec<_>>>()?;
        planned(&table, findings, choice, cancel)
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
