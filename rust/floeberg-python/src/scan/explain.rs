//! How does the account of a plan reach Python?

use floeberg_core::{Cancel, Result};
use floeberg_iceberg::Scan;
use floeberg_iceberg::plan::{AttachedDeletes, DeletesByKind, FileSizes, Plan, PlanRequest, Stage, plan};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime;

/// What is counted of a plan on request.
pub struct ToRead {
    sizes: Option<FileSizes>,
    deletes: DeletesByKind,
}

impl ToRead {
    /// Counts.
    pub fn of(plan: &Plan) -> Result<Self> {
        Ok(Self { sizes: plan.file_sizes()?, deletes: plan.attached_deletes()? })
    }
}

/// The account of a scan with the names of all files that were dropped or kept, as [`describe_explain`] gives it.
pub fn explain_with_names<'py>(py: Python<'py>, scan: &Scan) -> PyResult<Bound<'py, PyDict>> {
    let scan = scan.clone();
    let (plan, to_read) = runtime::run(py, &Cancel::default(), move |cancel| {
        // A server does not say what it dropped.
        let plan = match scan.served_plan() {
            Some(plan) => plan,
            None => plan(PlanRequest { verbose: true, ..scan.plan_request(cancel)? })?,
        };
        let to_read = ToRead::of(&plan)?;
        Ok((plan, to_read))
    })?;
    let account = describe_explain(py, &plan, &to_read)?;
    account.set_item("manifest_files", &plan.explain().manifests.files)?;
    account.set_item("files", runtime::call(py, || plan.file_paths())?)?;
    Ok(account)
}

/// The fields of `floeberg.scan.explain.Explain`, those of its parts as tuples in their order.
pub fn describe_explain<'py>(py: Python<'py>, plan: &Plan, to_read: &ToRead) -> PyResult<Bound<'py, PyDict>> {
    let explain = plan.explain();
    let account = PyDict::new(py);
    account.set_item("snapshot_id", explain.snapshot_id)?;
    account.set_item("filter", &explain.filter)?;
    let manifests = &explain.manifests;
    account.set_item("manifests", (manifests.data, manifests.deletes, manifests.bytes))?;
    account.set_item("stages", explain.stages.iter().map(describe_stage).collect::<Vec<_>>())?;
    let deletes = &to_read.deletes;
    let kinds = [("position", deletes.position), ("equality", deletes.equality), ("vector", deletes.vectors)];
    let kinds = kinds.into_iter().filter(|(_, deletes)| deletes.files > 0);
    account.set_item("deletes", kinds.map(describe_deletes).collect::<Vec<_>>())?;
    account.set_item("data_files", explain.data_files)?;
    account.set_item("records", explain.records)?;
    account.set_item("size_in_bytes", explain.bytes)?;
    let sizes = to_read.sizes.map(|sizes| (sizes.smallest, sizes.median, sizes.largest));
    account.set_item("sizes", sizes)?;
    Ok(account)
}

type DroppedFields<'a> = (&'a str, &'static str, u64, &'a [String], &'a [String]);

fn describe_stage(stage: &Stage) -> (&'static str, u64, Vec<DroppedFields<'_>>, u64) {
    let dropped = stage.dropped.iter().map(|each| {
        (each.by.as_str(), each.reason, each.count, each.columns.as_slice(), each.files.as_slice())
    });
    (stage.name, stage.entered, dropped.collect(), stage.kept)
}

fn describe_deletes((kind, deletes): (&str, AttachedDeletes)) -> (&str, u64, u64, u64, u64) {
    (kind, deletes.files, deletes.records, deletes.bytes, deletes.data_files)
}
