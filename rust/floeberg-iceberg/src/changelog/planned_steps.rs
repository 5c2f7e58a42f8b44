//! What are the steps of a range, one after another?
//!
//! In: a scan of the end, and the snapshots to compare. Out: steps, each planned when it is asked for.
//!
//! Invariant: only manifests that one of two snapshots has alone are planned, unless their delete manifests differ.

use std::collections::HashSet;
use std::sync::Arc;
use std::vec;

use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::thread_budget;

use super::columns::Columns;
use super::diff::changed_files;
use super::range::Compared;
use super::step::Step;
use crate::Scan;
use crate::manifest::{ManifestContent, ManifestFile};
use crate::metadata::Snapshot;
use crate::plan::{Plan, PlanRequest, plan};
use crate::read::TableReader;

/// The files of two snapshots, without the data manifests that both have.
pub(super) struct TwoPlans {
    /// Of the first snapshot.
    pub before: Plan,
    /// Of the second snapshot.
    pub after: Plan,
    /// Have both the same delete manifests? If not, the plans are whole.
    pub has_same_deletes: bool,
}

/// The steps of a range.
pub(super) struct PlannedSteps {
    scan: Scan,
    columns: Arc<Columns>,
    compared: vec::IntoIter<Compared>,
    cancel: Cancel,
    /// The manifests of the last snapshot that was compared, which is mostly the one before the next.
    last: Option<(i64, Arc<Vec<ManifestFile>>)>,
}

impl PlannedSteps {
    /// The steps of a scan. Nothing is read yet.
    pub fn new(scan: Scan, columns: Arc<Columns>, compared: Vec<Compared>, cancel: &Cancel) -> Self {
        Self { scan, columns, compared: compared.into_iter(), cancel: cancel.clone(), last: None }
    }

    /// The files of the next two snapshots.
    pub fn next_plans(&mut self) -> Result<Option<TwoPlans>> {
        self.compared.next().map(|compared| self.plans(&compared)).transpose()
    }

    fn plans(&mut self, compared: &Compared) -> Result<TwoPlans> {
        let request = self.scan.plan_request(&self.cancel)?;
        let old = match &compared.before {
            None => Arc::new(Vec::new()),
            Some(before) => match self.last.take().filter(|(id, _)| *id == before.snapshot_id) {
                Some((_, manifests)) => manifests,
                None => Arc::new(request.reader.manifests(before)?),
            },
        };
        let new = Arc::new(request.reader.manifests(&compared.after)?);
        self.last = Some((compared.after.snapshot_id, Arc::clone(&new)));
        let has_same_deletes = paths(&old, ManifestContent::Deletes) == paths(&new, ManifestContent::Deletes);
        let planned = |snapshot: Option<&Arc<Snapshot>>, own: &Arc<Vec<ManifestFile>>, other| {
            let chosen = if has_same_deletes { without(own, other) } else { Arc::clone(own) };
            planned(&request, snapshot, chosen)
        };
        let before = planned(compared.before.as_ref(), &old, &new)?;
        let after = planned(Some(&compared.after), &new, &old)?;
        Ok(TwoPlans { before, after, has_same_deletes })
    }

    fn step(&mut self, compared: &Compared) -> Result<Step> {
        let TwoPlans { before, after, .. } = self.plans(compared)?;
        let reader = TableReader::new(self.scan.read_request(&self.cancel)?);
        let files = changed_files(&before, &after, &reader, thread_budget()?, &self.cancel)?;
        let readers = |matching| self.columns.readers(matching);
        let by_values = self.columns.by_values();
        Ok(Step::new(compared.ordinal, compared.after.snapshot_id, files, by_values, readers))
    }
}

impl Iterator for PlannedSteps {
    type Item = Result<Step>;

    fn next(&mut self) -> Option<Self::Item> {
        let compared = self.compared.next()?;
        Some(self.step(&compared))
    }
}

/// The manifests without the data manifests that another snapshot has too.
fn without(own: &[ManifestFile], other: &[ManifestFile]) -> Arc<Vec<ManifestFile>> {
    let shared = paths(other, ManifestContent::Data);
    let is_own = |manifest: &&ManifestFile| {
        manifest.content == ManifestContent::Deletes || !shared.contains(manifest.manifest_path.as_str())
    };
    Arc::new(own.iter().filter(is_own).cloned().collect())
}

fn paths(manifests: &[ManifestFile], content: ManifestContent) -> HashSet<&str> {
    let of_content = manifests.iter().filter(|manifest| manifest.content == content);
    of_content.map(|manifest| manifest.manifest_path.as_str()).collect()
}

fn planned(
    request: &PlanRequest,
    snapshot: Option<&Arc<Snapshot>>,
    manifests: Arc<Vec<ManifestFile>>,
) -> Result<Plan> {
    let has_data = manifests.iter().any(|manifest| manifest.content == ManifestContent::Data);
    plan(PlanRequest {
        snapshot: snapshot.filter(|_| has_data).cloned(),
        manifests: Some(manifests),
        ..request.clone()
    })
}
