//! How does the account of a plan reach Python?

use floeberg_core::Result;
use floeberg_iceberg::plan::{AttachedDeletes, DeletesByKind, FileSizes, Plan, Stage};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What is counted of a plan when somebody asks.
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

/// The fields of `floeberg.explain.Explain`, those of its parts as tuples in their order.
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

type DroppedFields<'a> = (&'a str, &'static str, u64);

fn describe_stage(stage: &Stage) -> (&'static str, u64, Vec<DroppedFields<'_>>, u64) {
    let dropped = stage.dropped.iter().map(|each| (each.by.as_str(), each.reason, each.count));
    (stage.name, stage.entered, dropped.collect(), stage.kept)
}

fn describe_deletes((kind, deletes): (&str, AttachedDeletes)) -> (&str, u64, u64, u64, u64) {
    (kind, deletes.files, deletes.records, deletes.bytes, deletes.data_files)
}
