//! Which data files are worth writing again?

use floeberg_core::Cancel;
use floeberg_maintain::{Sizes, groups};
use pyo3::prelude::*;

use crate::runtime;
use crate::scan::plan::Plan;

/// Groups of files of a plan that are worth writing again: paths, and bytes.
#[pyfunction]
#[pyo3(signature = (
    plan, *, target, least, most, least_files, delete_files, delete_ratio, most_of_group, all_files
))]
#[expect(clippy::too_many_arguments, reason = "one keyword each of a compaction")]
pub fn rewrite_groups(
    py: Python<'_>,
    plan: &Plan,
    target: u64,
    least: u64,
    most: u64,
    least_files: usize,
    delete_files: usize,
    delete_ratio: f64,
    most_of_group: u64,
    all_files: bool,
) -> PyResult<Vec<(Vec<String>, u64)>> {
    let sizes =
        Sizes { target, least, most, least_files, delete_files, delete_ratio, most_of_group, all: all_files };
    let spec = plan.scan().table().metadata().default_spec_id;
    let files = plan.whole(py)?;
    let found = runtime::run(py, &Cancel::default(), move |_| groups(&files, spec, &sizes))?;
    Ok(found.into_iter().map(|group| (group.paths, group.bytes)).collect())
}
