//! How does a task plan the files of its own manifests?
//!
//! In: the request of the whole plan, some of its data manifests, and its delete manifests. Out: their part of the plan.
//! Spec: Scan Planning.
//!
//! Invariant: the parts of all data manifests have the files of the whole plan, each with the same deletes, residual and row ids. What
//! a file gets depends on its own manifest and on the deletes only.

use std::sync::Arc;

use floeberg_core::Result;

use super::manifest_task::ManifestTask;
use crate::manifest::ManifestFile;
use crate::plan::chosen_manifests::ChosenManifests;
use crate::plan::plan_job::PlanJob;
use crate::plan::request::PlanRequest;
use crate::plan::{Plan, PlanStream};

/// Plans some data manifests with all delete manifests. The index of deletes stays in the cache of the request, for the next part.
///
/// Errors: those of [`plan`](crate::plan::plan).
pub fn plan_part(request: PlanRequest, data: &ManifestTask, deletes: &ManifestTask) -> Result<Plan> {
    let each = data.manifests.iter().chain(&deletes.manifests);
    let manifests: Vec<ManifestFile> = each.map(|(_, manifest)| manifest.clone()).collect();
    let request = PlanRequest { manifests: Some(Arc::new(manifests)), ..request };
    let (job, manifests) = PlanJob::of(ChosenManifests::read(request)?, None)?;
    job.keep_none();
    PlanStream::of(job, manifests).collect()
}
