//! Which files of a block range of a manifest must be read, with which deletes?
//!
//! In: the plan job, and the entries of the block range. Out: its files.
//! Spec: Scan Planning.
//!
//! Data flows one way: manifest list, kept manifests, delete index, then every block range of a data manifest on its own.

use std::sync::Arc;

use arrow_array::Array;
use arrow_buffer::BooleanBuffer;
use floeberg_core::expr::Stats;
use floeberg_core::{Context, Error, Result};

use super::columns::{FileColumns, Selection};
use super::deletes::attach::{Attached, KeptFiles, attach};
use super::plan_job::PlanJob;
use super::planned_blocks::{DroppedFiles, PlannedBlocks};
use super::request::PlanRequest;
use crate::manifest::{
    BlockEntries, BoundSpec, EntryStats, ManifestEntries, ManifestFile, NO_KEY, Pruner, Specs,
};

impl PlanJob {
    /// Finds the deletes of the files of a block range, or takes them from an earlier plan with the same index. The index depends on
    /// the filter, so the same files are kept.
    fn attach(
        &self,
        manifest: &ManifestFile,
        spec: &BoundSpec,
        files: KeptFiles<'_>,
        blocks: (usize, &Arc<BlockEntries>),
    ) -> Result<Attached> {
        let (request, index) = (&self.request, &self.deletes.index);
        let number = self.deletes.number.filter(|_| request.appends.is_none());
        let known = number.and_then(|number| request.reader.cache.find_beside(number, manifest, blocks));
        let is_known = known.is_some();
        let attached =
            attach(&self.filter, index, spec, files, known).context("manifest", &manifest.manifest_path)?;
        if let Some((number, deletes)) =
            number.zip(attached.deletes.as_ref()).filter(|_| !is_known && self.keeps())
        {
            let made = (deletes, deletes.memory());
            request.reader.cache.keep_beside(self.used, number, manifest, blocks, made);
        }
        Ok(attached)
    }

    /// Plans the files of a block range.
    pub fn plan(
        &self,
        manifest: &ManifestFile,
        number: usize,
        blocks: &Arc<BlockEntries>,
    ) -> Result<PlannedBlocks> {
        let (mask, dropped) = test_entries(&self.request, &self.specs, &self.filter, &blocks.entries)?;
        self.plan_tested(manifest, number, blocks, mask, dropped)
    }

    /// Plans those files of a block range that passed the tests: all without a mask.
    pub fn plan_tested(
        &self,
        manifest: &ManifestFile,
        number: usize,
        blocks: &Arc<BlockEntries>,
        mask: Option<Vec<bool>>,
        mut dropped: DroppedFiles,
    ) -> Result<PlannedBlocks> {
        let is_first = number == 0;
        let BlockEntries { entries, row_ids, .. } = blocks.as_ref();
        let (request, specs) = (&self.request, &self.specs);
        let spec = specs.get(entries.spec_id)?;
        let kept = Selection::new(mask, entries.len());
        check_plain(entries, &kept)?;
        let columns = FileColumns::new(entries, &kept, specs, &request.reader.relocation)?;
        let files = KeptFiles {
            entries,
            kept: &kept,
            columns: &columns,
            untrusted: specs.untrusted(),
            verbose: request.verbose,
        };
        let attached = self.attach(manifest, spec, files, (number, blocks))?;
        if let Some(deletes) = &attached.deletes {
            dropped.equalities.merge(deletes.equalities.clone());
        }
        let statistics = match request.statistics_of.and_then(|id| request.schema.field(id)) {
            Some(field) => {
                let of = |row| EntryStats { entries, row: kept.entry(row), untrusted: specs.untrusted() };
                (0..kept.len()).map(|row| of(row).column(field.id, &field.field_type)).collect()
            }
            None => Vec::new(),
        };
        let counted_on = match &row_ids.entries {
            Some(took) if !is_first => {
                Some(BooleanBuffer::collect_bool(kept.len(), |row| took.value(kept.entry(row))))
            }
            _ => None,
        };
        let files = if columns.rows == 0 {
            None
        } else {
            let lists = attached.deletes.map(|deletes| deletes.lists.clone());
            Some(columns.finish(Arc::clone(&self.schema), lists, attached.residual_of)?)
        };
        let (first_row_id, row_ids) = (manifest.first_row_id, row_ids.rows);
        let residuals = attached.residuals;
        Ok(PlannedBlocks {
            is_first,
            first_row_id,
            files,
            residuals,
            statistics,
            counted_on,
            row_ids,
            dropped,
        })
    }
}

/// Which entries of a data manifest are kept? `None` keeps all. Also what dropped the others.
pub(super) fn test_entries(
    request: &PlanRequest,
    specs: &Specs,
    filter: &Pruner,
    entries: &ManifestEntries,
) -> Result<(Option<Vec<bool>>, DroppedFiles)> {
    let spec = specs.get(entries.spec_id)?;
    let mut dropped = DroppedFiles::new(request.verbose);
    let added = request.appends.as_ref().map(|appends| appends.keep(entries, &mut dropped.by_snapshot));
    let mask = added.transpose()?;
    let mask = filter.keep_by_partition(entries, spec, mask, &mut dropped.by_partition)?;
    let mask = filter.keep_by_bounds(entries, mask, &mut dropped.by_bounds);
    Ok((mask, dropped))
}

/// Errors: `Unsupported` for an encrypted data file whose key is not known, naming it.
fn check_plain(entries: &ManifestEntries, kept: &Selection) -> Result<()> {
    if entries.keys_are_known || entries.key_metadata.null_count() == entries.len() {
        return Ok(());
    }
    let mut rows = (0..kept.len()).map(|row| kept.entry(row));
    match rows.find(|row| entries.key_metadata.is_valid(*row)) {
        Some(row) => Err(Error::unsupported(format!("the data file is encrypted, {NO_KEY}"))
            .with("path", entries.file_path.value(row))),
        None => Ok(()),
    }
}
