//! Which table is made of what is left of another one, for Python?

use std::collections::BTreeMap;

use floeberg_commit::Operation as IcebergOperation;
use floeberg_core::Cancel;
use floeberg_core::schema::json::schema_from_json;
use floeberg_io::Location;
use floeberg_maintain::{
    LeftFile, RebuildPlan, RebuildRequest, plan_rebuild as planned, rebuild_candidates as candidates,
};
use pyo3::prelude::*;

use crate::arrow::Batches;
use crate::commit::operation::Operation;
use crate::runtime;
use crate::values::json::json;

/// A file that is left: its location, content, rows and why.
type LeftFileOfPython = (String, &'static str, i64, String);

/// What is committed, where the files that are live are named, the snapshot, files that are passed over, counts of data files, of delete
/// files and of rows, files that nothing proves, those that are gone, and what is advised.
type Plan = (
    Operation,
    (&'static str, Vec<String>, Option<i64>),
    Vec<(String, String)>,
    (u64, u64, i64),
    Vec<LeftFileOfPython>,
    Vec<LeftFileOfPython>,
    Option<String>,
);

/// Plans a new table of the files of an old one. Nothing is written.
#[pyfunction]
#[pyo3(signature = (
    location, target, *, files, snapshot_id, schema_json, name_mapping, drop_missing_data_files, drop_missing_delete_files, storage_options
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn plan_rebuild(
    py: Python<'_>,
    location: String,
    target: String,
    files: Option<Vec<String>>,
    snapshot_id: Option<i64>,
    schema_json: Option<String>,
    name_mapping: Option<String>,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Plan> {
    let plan = runtime::run(py, &Cancel::default(), move |cancel| {
        let files = files.map(|files| files.iter().map(|file| Location::from_user(file)).collect());
        let schema = schema_json.map(|text| schema_from_json(&json("schema", Some(&text))?)).transpose()?;
        let request = RebuildRequest {
            location: Location::from_user(&location)?,
            target,
            files: files.transpose()?,
            snapshot_id,
            schema,
            name_mapping,
            drops_missing_data_files: drop_missing_data_files,
            drops_missing_delete_files: drop_missing_delete_files,
            storage: storage_options.into_iter().collect(),
        };
        planned(&request, cancel)
    })?;
    let RebuildPlan { rebuild, source, source_files, snapshot_id, passed_over, .. } = plan;
    let left = |files: Vec<LeftFile>| {
        files.into_iter().map(|file| (file.location, file.content, file.rows, file.reason)).collect()
    };
    Ok((
        Operation(IcebergOperation::Rebuild(Box::new(rebuild))),
        (source, source_files, snapshot_id),
        passed_over.into_iter().map(|over| (over.location, over.reason)).collect(),
        (plan.data_files, plan.delete_files, plan.rows),
        left(plan.unproven),
        left(plan.missing),
        plan.advice,
    ))
}

/// The files in the folder of a table that may hold rows or deletes, as rows.
#[pyfunction]
#[pyo3(signature = (location, *, storage_options))]
pub fn rebuild_candidates(
    py: Python<'_>,
    location: String,
    storage_options: BTreeMap<String, String>,
) -> PyResult<Batches> {
    runtime::run(py, &Cancel::default(), move |cancel| {
        let storage = storage_options.into_iter().collect();
        let (schema, rows) = candidates(&Location::from_user(&location)?, &storage, cancel)?;
        Ok(Batches { schema, rows })
    })
}
