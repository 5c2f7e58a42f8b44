//! Which files of a plan are worth writing again, and how?

use std::collections::HashMap;

use floeberg_commit::Rewrite;
use floeberg_core::{Cancel, Error, Result};
use floeberg_maintain::{DeleteFileSizes, JobOrder, Sizes, equality_groups, groups, position_groups};
use pyo3::prelude::*;

use crate::runtime;
use crate::scan::plan::Plan;
use crate::table::table::Table;
use crate::values::json::json;

/// Groups of files of a plan that are worth writing again: paths, and bytes. `sizes` has a number of each.
#[pyfunction]
#[pyo3(signature = (plan, *, sizes, delete_ratio, all_files, output_spec_id, job_order))]
pub fn rewrite_groups(
    py: Python<'_>,
    plan: &Plan,
    sizes: HashMap<String, u64>,
    delete_ratio: f64,
    all_files: bool,
    output_spec_id: Option<i32>,
    job_order: &str,
) -> PyResult<Vec<(Vec<String>, u64)>> {
    let read = || -> Result<(Sizes, JobOrder)> {
        let (size, number) = (|name| size(&sizes, name), |name| number(&sizes, name));
        let sizes = Sizes {
            target: size("target")?,
            least: size("least")?,
            most: size("most")?,
            least_files: number("least_files")?,
            delete_files: number("delete_files")?,
            delete_ratio,
            most_of_group: size("most_of_group")?,
            most_files_of_group: number("most_files_of_group")?,
            most_files: number("most_files")?,
            all: all_files,
        };
        Ok((sizes, job_order.parse()?))
    };
    let (sizes, job_order) = runtime::call(py, read)?;
    let spec = output_spec_id.unwrap_or(plan.scan().table().metadata().default_spec_id);
    let files = plan.whole(py)?;
    let found = runtime::run(py, &Cancel::default(), move |_| groups(&files, spec, &sizes, job_order))?;
    Ok(found.into_iter().map(|group| (group.paths, group.bytes)).collect())
}

/// A size that Python gave by its name.
fn size(sizes: &HashMap<String, u64>, name: &str) -> Result<u64> {
    let found = sizes.get(name).copied();
    found.ok_or_else(|| Error::invalid_input(format!("expected a size {name:?} of a compaction")))
}

/// The same, as a number of files.
fn number(sizes: &HashMap<String, u64>, name: &str) -> Result<usize> {
    size(sizes, name).map(|size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// Checks that files of a table can be written again so, by the JSON of the operation, and in this order of groups.
#[pyfunction]
#[pyo3(signature = (table, rewrite_json, *, job_order))]
pub fn check_rewrite(py: Python<'_>, table: &Table, rewrite_json: &str, job_order: &str) -> PyResult<()> {
    let check = || {
        job_order.parse::<JobOrder>()?;
        let rewrite = Rewrite::from_json(&json("how files are written again", Some(rewrite_json))?)?;
        rewrite.check(table.table.metadata(), &table.table.options().storage)
    };
    runtime::call(py, check)
}

/// Groups of delete files of a plan: of position deletes that are worth writing again, or of equality deletes. Paths, and bytes.
#[pyfunction]
#[pyo3(signature = (plan, chosen, *, kind, sizes, all_files, to_vectors))]
pub fn delete_file_groups(
    py: Python<'_>,
    plan: &Plan,
    chosen: Option<&Plan>,
    kind: &str,
    sizes: HashMap<String, u64>,
    all_files: bool,
    to_vectors: bool,
) -> PyResult<Vec<(Vec<String>, u64)>> {
    let sizes = runtime::call(py, || {
        Ok(DeleteFileSizes {
            target: size(&sizes, "target")?,
            least: size(&sizes, "least")?,
            most: size(&sizes, "most")?,
            least_files: number(&sizes, "least_files")?,
            most_of_group: size(&sizes, "most_of_group")?,
            all: all_files,
        })
    })?;
    let kind = kind.to_owned();
    let files = plan.whole(py)?;
    let chosen = chosen.map(|chosen| chosen.whole(py)).transpose()?;
    let found = runtime::run(py, &Cancel::default(), move |_| match kind.as_str() {
        "positions" => position_groups(&files, chosen.as_deref(), &sizes, to_vectors),
        "equality" => equality_groups(&files, chosen.as_deref(), sizes.most_of_group),
        other => Err(Error::internal(format!("there is no kind {other:?} of delete files"))),
    })?;
    Ok(found.into_iter().map(|group| (group.paths, group.bytes)).collect())
}
