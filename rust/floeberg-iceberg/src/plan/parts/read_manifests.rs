//! What does a task do?
//!
//! In: the request of its plan, and its manifests. Out: their entries, those that the filter keeps, as bytes.
//!
//! Invariant: entries are decoded and tested as in a plan that one process makes.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_exec::threads::ordered;

use super::block_record::BlockRecord;
use super::entry_columns::EntryColumns;
use super::manifest_task::ManifestTask;
use crate::manifest::{
    BlockEntries, EntryRequest, ManifestBlocks, ManifestContent, ManifestFile, PruneCounts, Pruner, Specs,
    Use, block_range_bytes,
};
use crate::plan::deletes::delete_files::delete_entries;
use crate::plan::plan_blocks::test_entries;
use crate::plan::planned_blocks::DroppedFiles;
use crate::plan::request::PlanRequest;

/// Reads the manifests of a task. The request is that of the plan, made of the same scan.
///
/// Errors: those of [`plan`](crate::plan::plan).
pub fn read_manifests(request: &PlanRequest, task: &ManifestTask) -> Result<Vec<u8>> {
    read(request, task).map_err(|error| request.with_table(error))
}

fn read(request: &PlanRequest, task: &ManifestTask) -> Result<Vec<u8>> {
    let reader = &request.reader;
    let specs = Specs::new(&request.metadata, &request.schema)?;
    let filter = Pruner::new(request.filter.clone(), &specs);
    let used = reader.cache.begin();
    let mut decoded = filter.whole().column_ids();
    decoded.extend(&task.statistics_of);
    decoded.sort_unstable();
    decoded.dedup();
    let reading = Reading { request, specs: &specs, filter: &filter, used, decoded: &decoded, task };
    let rows: Vec<ManifestFile> = task.manifests.iter().map(|(_, manifest)| manifest.clone()).collect();
    let most_bytes = block_range_bytes(&rows, reader.threads);
    let each = ordered(&task.manifests, reader.threads, &reader.cancel, |(number, manifest)| {
        reading.manifest(*number, manifest, most_bytes)
    })?;
    Ok(each.concat())
}

/// What the manifests of a task share.
struct Reading<'a> {
    request: &'a PlanRequest,
    specs: &'a Arc<Specs>,
    filter: &'a Pruner,
    used: Use,
    /// The columns whose statistics are decoded, ascending.
    decoded: &'a [i32],
    task: &'a ManifestTask,
}

impl Reading<'_> {
    fn manifest(&self, number: usize, manifest: &ManifestFile, most_bytes: usize) -> Result<Vec<u8>> {
        let ranges = ManifestBlocks::read(&self.request.reader, manifest.clone(), most_bytes)?;
        let mut out = Vec::new();
        if ranges.is_empty() {
            let dropped = [PruneCounts::default(), PruneCounts::default()];
            BlockRecord { manifest: number, place: (0, 0), row_ids: 0, entries: None, dropped }
                .write(&mut out)?;
        }
        for blocks in ranges {
            self.request.reader.cancel.check()?;
            let (place, is_data) = (blocks.place, manifest.content == ManifestContent::Data);
            let (block, entries, dropped) =
                if is_data { self.data(&blocks)? } else { self.deletes(&blocks)? };
            let dropped = [dropped.by_partition, dropped.by_bounds];
            let row_ids = block.row_ids.rows;
            BlockRecord { manifest: number, place, row_ids, entries: Some(entries), dropped }
                .write(&mut out)?;
        }
        Ok(out)
    }

    /// The entries of data files that the filter keeps.
    fn data(&self, blocks: &ManifestBlocks) -> Result<(Arc<BlockEntries>, EntryColumns, DroppedFiles)> {
        let block = blocks.entries(|bytes, piece| {
            let spec = self.specs.get(blocks.manifest.partition_spec_id)?;
            let wanted = EntryRequest {
                statistics_of: self.decoded.to_vec(),
                without_details: true,
                ..EntryRequest::default()
            };
            Ok(Arc::new(bytes.entries_of(piece, &spec.partition_type, &wanted)?))
        })?;
        let (mask, dropped) = test_entries(self.request, self.specs, self.filter, &block.entries)?;
        let entries = EntryColumns::of(&block, &self.task.statistics_of)?.kept(mask)?;
        Ok((block, entries, dropped))
    }

    /// All entries of delete files: the index of deletes tests them.
    fn deletes(&self, blocks: &ManifestBlocks) -> Result<(Arc<BlockEntries>, EntryColumns, DroppedFiles)> {
        let spec = self.specs.get(blocks.manifest.partition_spec_id)?;
        let block = delete_entries(self.request, self.used, spec, blocks)?;
        let ids: Vec<i32> = block.entries.statistics.keys().copied().collect();
        let entries = EntryColumns::of(&block, &ids)?;
        Ok((block, entries, DroppedFiles::new(false)))
    }
}
