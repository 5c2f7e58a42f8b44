//! Which pieces of data manifests are planned on their own?
//!
//! In: a row of the manifest list. Out: its stretches, those that were decoded before and those that are to be; then the
//! files of each.

use std::sync::Arc;

use floeberg_core::Result;

use super::plan_job::PlanJob;
use super::planned_stretch::PlannedStretch;
use crate::manifest::{EntryRequest, Found, ManifestFile, ManifestStretch};
use floeberg_exec::threads::Job;

/// A stretch of a data manifest.
#[derive(Debug)]
pub(super) struct DataStretch {
    stretch: ManifestStretch,
    /// The columns whose statistics are decoded, ascending.
    statistics_of: Arc<Vec<i32>>,
}

impl Job for PlanJob {
    type Task = ManifestFile;
    type Part = DataStretch;
    type Item = PlannedStretch;

    const THREAD: &'static str = "floeberg-plan";

    fn open(&self, manifest: ManifestFile) -> Result<Vec<DataStretch>> {
        self.request.reader.cancel.check()?;
        let (stretches, statistics_of) = match self.cached(&manifest)? {
            Found::Whole(stretches) => (ManifestStretch::decoded(manifest, stretches), Vec::new()),
            Found::Without(also) => {
                let stretches = ManifestStretch::read(&self.request.reader, manifest, self.stretch_bytes)?;
                (stretches, self.with_cached(also))
            }
        };
        let statistics_of = Arc::new(statistics_of);
        let each = |stretch| DataStretch { stretch, statistics_of: Arc::clone(&statistics_of) };
        Ok(stretches.into_iter().map(each).collect())
    }

    fn work(&self, part: DataStretch, give: &mut dyn FnMut(PlannedStretch) -> Result<bool>) -> Result<()> {
        let DataStretch { stretch, statistics_of } = part;
        let entries = stretch.entries(|bytes, piece| {
            let spec = self.specs.get(stretch.manifest.partition_spec_id)?;
            let wanted = EntryRequest {
                statistics_of: statistics_of.to_vec(),
                without_details: self.request.appends.is_none(),
                ..EntryRequest::default()
            };
            let entries = Arc::new(bytes.entries_of(piece, &spec.partition_type, &wanted)?);
            if self.keeps() {
                let cache = &self.request.reader.cache;
                let decoded = (stretch.manifest.as_ref(), &spec.partition_type);
                cache.keep(self.used, decoded, &statistics_of, stretch.place, &entries);
            }
            Ok(entries)
        })?;
        give(self.plan(&stretch.manifest, stretch.place.0, &entries)?).map(drop)
    }

    fn bytes(planned: &PlannedStretch) -> u64 {
        planned.files.as_ref().map_or(0, |files| files.get_array_memory_size() as u64)
    }
}
