//! Which block ranges of data manifests are planned on their own?
//!
//! In: a row of the manifest list. Out: its block ranges, cached or still to decode; then the
//! files of each.

use std::sync::Arc;

use floeberg_core::Result;

use super::plan_job::PlanJob;
use super::planned_blocks::PlannedBlocks;
use crate::manifest::{EntryRequest, Found, ManifestBlocks, ManifestFile};
use floeberg_exec::threads::Job;

/// A block range of a data manifest.
#[derive(Debug)]
pub(super) struct DataBlocks {
    blocks: ManifestBlocks,
    /// The columns whose statistics are decoded, ascending.
    statistics_of: Arc<Vec<i32>>,
}

impl Job for PlanJob {
    type Task = ManifestFile;
    type Part = DataBlocks;
    type Item = PlannedBlocks;

    const THREAD: &'static str = "floeberg-plan";

    fn open(&self, manifest: ManifestFile) -> Result<Vec<DataBlocks>> {
        self.request.reader.cancel.check()?;
        let (ranges, statistics_of) = match self.cached(&manifest)? {
            Found::Whole(ranges) => (ManifestBlocks::decoded(manifest, ranges), Vec::new()),
            Found::Without(also) => {
                let ranges = ManifestBlocks::read(&self.request.reader, manifest, self.block_range_bytes)?;
                (ranges, self.with_cached(also))
            }
        };
        let statistics_of = Arc::new(statistics_of);
        let each = |blocks| DataBlocks { blocks, statistics_of: Arc::clone(&statistics_of) };
        Ok(ranges.into_iter().map(each).collect())
    }

    fn work(&self, part: DataBlocks, give: &mut dyn FnMut(PlannedBlocks) -> Result<bool>) -> Result<()> {
        let DataBlocks { blocks, statistics_of } = part;
        let entries = blocks.entries(|bytes, piece| {
            let spec = self.specs.get(blocks.manifest.partition_spec_id)?;
            let wanted = EntryRequest {
                statistics_of: statistics_of.to_vec(),
                without_details: self.request.appends.is_none(),
                ..EntryRequest::default()
            };
            let entries = Arc::new(bytes.entries_of(piece, &spec.partition_type, &wanted)?);
            if self.keeps() {
                let cache = &self.request.reader.cache;
                let decoded = (blocks.manifest.as_ref(), &spec.partition_type);
                cache.keep(self.used, decoded, &statistics_of, blocks.place, &entries);
            }
            Ok(entries)
        })?;
        give(self.plan(&blocks.manifest, blocks.place.0, &entries)?).map(drop)
    }

    fn bytes(planned: &PlannedBlocks) -> u64 {
        planned.files.as_ref().map_or(0, |files| files.get_array_memory_size() as u64)
    }
}
