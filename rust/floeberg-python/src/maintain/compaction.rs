//! Which files of a plan are worth writing again?

use floeberg_core::Cancel;
use floeberg_core::Error;
use floeberg_maintain::{Sizes, equality_groups, groups, position_groups};
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

/// Groups of delete files of a plan: of position deletes that are worth writing again, or of equality deletes. Paths, and bytes.
#[pyfunction]
#[pyo3(signature = (plan, *, kind, target, least, most, least_files, most_of_group, all_files, to_vectors))]
#[expect(clippy::too_many_arguments, reason = "one keyword each of a rewrite of delete files")]
pub fn delete_file_groups(
    py: Python<'_>,
    plan: &Plan,
    kind: &str,
    target: u64,
    least: u64,
    most: u64,
    least_files: usize,
    most_of_group: u64,
    all_files: bool,
    to_vectors: bool,
) -> PyResult<Vec<(Vec<String>, u64)>> {
    let sizes = Sizes {
        target,
        least,
        most,
        least_files,
        delete_files: usize::MAX,
        delete_ratio: 1.0,
        most_of_group,
        all: all_files,
    };
    let kind = kind.to_owned();
    let files = plan.whole(py)?;
    let found = runtime::run(py, &Cancel::default(), move |_| match kind.as_str() {
        "positions" => position_groups(&files, &sizes, to_vectors),
        "equality" => equality_groups(&files, sizes.most_of_group),
        other => Err(Error::internal(format!("there is no kind {other:?} of delete files"))),
    })?;
    Ok(found.into_iter().map(|group| (group.paths, group.bytes)).collect())
}
