//! Which files of a stretch of a manifest must be read, with which deletes?
//!
//! In: what is known before, and the entries of the stretch. Out: its files.
//! Spec: Scan Planning.
//!
//! Data flows one way: manifest list, kept manifests, delete index, then every stretch of a data manifest on its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::Array;
use arrow_buffer::BooleanBuffer;
use arrow_schema::SchemaRef;
use floeberg_core::expr::Stats;
use floeberg_core::{Context, Error, Result};

use super::account::explain::{Explain, ReadManifests};
use super::account::tally::Tally;
use super::begun::Begun;
use super::bounds::EntryStats;
use super::chunk::{FileColumns, Kept, plan_schema};
use super::deletes::attach::{KeptFiles, attach};
use super::deletes::index::DeleteIndex;
use super::filter::PlanFilter;
use super::manifests::manifest_cache::{Found, Use};
use super::manifests::manifest_stretch::stretch_bytes;
use super::planned_stretch::{DroppedFiles, PlannedStretch};
use super::request::PlanRequest;
use super::specs::Specs;
use crate::metadata::{ManifestEntries, ManifestFile, StretchEntries};

/// A manifest is kept with the statistics of at most so many columns that were asked for before.
const MOST_CACHED_COLUMNS: usize = 32;

/// A plan that was begun.
#[derive(Debug)]
pub(super) struct Planning {
    /// What was asked for.
    pub request: PlanRequest,
    /// The columns of the plan.
    pub schema: SchemaRef,
    /// The table's partition specs.
    pub specs: Arc<Specs>,
    /// The filter.
    pub filter: PlanFilter,
    /// The deletes that may apply.
    pub index: DeleteIndex,
    /// What was dropped so far: data manifests, delete manifests, equality deletes by the filter.
    pub dropped: [Tally; 3],
    /// The manifests that are left.
    looked_into: ReadManifests,
    /// Bytes of a manifest, as they are stored, that one thread decodes.
    pub stretch_bytes: usize,
    /// The columns whose statistics are wanted of data files, ascending.
    statistics_of: Vec<i32>,
    /// This plan's use of the cache of manifests.
    pub used: Use,
    /// Are manifests that are decoded kept in the cache?
    keeps: AtomicBool,
}

impl Planning {
    /// Reads the manifest list and the delete manifests. Gives the data manifests that are left, too.
    pub fn begin(request: PlanRequest) -> Result<(Self, Vec<ManifestFile>)> {
        let begun = Begun::read(&request).map_err(|error| request.told(error))?;
        let Begun { specs, filter, index, dropped, looked_into, manifests, used } = begun;
        let mut statistics_of = filter.whole().column_ids();
        statistics_of.extend(index.key_columns());
        statistics_of.extend(request.statistics_of);
        statistics_of.sort_unstable();
        statistics_of.dedup();
        let planning = Self {
            schema: plan_schema(&specs),
            stretch_bytes: stretch_bytes(&manifests, request.threads),
            used,
            keeps: AtomicBool::new(true),
            dropped,
            looked_into,
            request,
            specs,
            filter,
            index,
            statistics_of,
        };
        Ok((planning, manifests))
    }

    /// Keeps no more manifests in the cache: they are not to be held.
    pub fn keep_none(&self) {
        self.keeps.store(false, Ordering::Relaxed);
    }

    /// What was decoded of a data manifest before. It lacks what is asked of the entries of appends.
    pub fn cached(&self, manifest: &ManifestFile) -> Result<Found> {
        if self.request.appends.is_some() {
            return Ok(Found::Without(Vec::new()));
        }
        let spec = self.specs.get(manifest.partition_spec_id)?;
        Ok(self.request.cache.find(self.used, manifest, &spec.partition_type, &self.statistics_of))
    }

    /// Are manifests that are decoded kept in the cache?
    pub fn keeps(&self) -> bool {
        self.request.appends.is_none() && self.keeps.load(Ordering::Relaxed)
    }

    /// The account of what was done before the first data manifest was read, and of what was dropped after it.
    pub fn explain(&self, files: &DroppedFiles) -> Explain {
        let tests = &self.filter.tests;
        let [by_data, by_deletes, by_filter] = &self.dropped;
        let mut explain = Explain { filter: self.filter.whole().to_string(), ..Explain::default() };
        let Some(snapshot) = &self.request.snapshot else { return explain };
        explain.snapshot_id = Some(snapshot.snapshot_id);
        explain.manifests = self.looked_into.clone();
        explain.stages = vec![
            by_data.stage("data manifests", tests),
            by_deletes.stage("delete manifests", tests),
            files.by_partition.stage("data files by partition", tests),
            files.by_bounds.stage("data files by counts and bounds", tests),
        ];
        if let Some(appends) = &self.request.appends {
            explain.stages.insert(0, appends.stage());
            explain.stages.insert(3, files.by_snapshot.stage("data files by snapshot", tests));
        }
        if self.index.has_equalities() || !by_filter.is_empty() {
            explain.stages.push(by_filter.stage("equality deletes by filter", tests));
            let keys = self.index.key_tests();
            explain.stages.push(files.equalities.stage("equality deletes by counts and bounds", &keys));
        }
        explain
    }

    /// The columns whose statistics are decoded of a manifest that the cache has with some: those too, unless they are many.
    pub fn with_cached(&self, cached: Vec<i32>) -> Vec<i32> {
        let mut all = self.statistics_of.clone();
        if cached.len() <= MOST_CACHED_COLUMNS {
            all.extend(cached);
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    /// Plans the files of a stretch.
    pub fn plan(
        &self,
        manifest: &ManifestFile,
        is_first: bool,
        stretch: &StretchEntries,
    ) -> Result<PlannedStretch> {
        let StretchEntries { entries, row_ids, .. } = stretch;
        let (request, specs, filter) = (&self.request, &self.specs, &self.filter);
        let spec = specs.get(entries.spec_id)?;
        let mut dropped = DroppedFiles::new(request.verbose);
        let added = request.appends.as_ref().map(|appends| appends.keep(entries, &mut dropped.by_snapshot));
        let mask = added.transpose()?;
        let mask = filter.keep_by_partition(entries, spec, mask, &mut dropped.by_partition)?;
        let mask = filter.keep_by_bounds(entries, mask, &mut dropped.by_bounds);
        let kept = Kept::new(mask, entries.len());
        check_plain(entries, &kept)?;
        let columns = FileColumns::new(entries, &kept, specs, &request.relocation)?;
        let files = KeptFiles { entries, kept: &kept, columns: &columns };
        let attached = attach(filter, &self.index, spec, files, &mut dropped.equalities)
            .context("manifest", &manifest.manifest_path)?;
        let statistics = match request.statistics_of.and_then(|id| request.schema.field(id)) {
            Some(field) => {
                let of = |row| EntryStats { entries, row: kept.entry(row) };
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
        let files = match columns.rows {
            0 => None,
            _ => Some(columns.finish(Arc::clone(&self.schema), attached.deletes, attached.residual_of)?),
        };
        let (first_row_id, row_ids) = (manifest.first_row_id, row_ids.rows);
        let residuals = attached.residuals;
        Ok(PlannedStretch {
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

/// Errors: `Unsupported` for an encrypted data file, naming it.
fn check_plain(entries: &ManifestEntries, kept: &Kept) -> Result<()> {
    if entries.key_metadata.null_count() == entries.len() {
        return Ok(());
    }
    let mut rows = (0..kept.len()).map(|row| kept.entry(row));
    match rows.find(|row| entries.key_metadata.is_valid(*row)) {
        Some(row) => {
            Err(Error::unsupported("the data file is encrypted, and encrypted tables cannot be read")
                .with("path", entries.file_path.value(row)))
        }
        None => Ok(()),
    }
}
