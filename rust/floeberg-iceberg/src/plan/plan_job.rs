//! What does a plan know before the first data manifest is read?
//!
//! In: the chosen manifests. Out: the deletes that may apply to files of the data manifests; the account.
//! Spec: Scan Planning.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::SchemaRef;
use floeberg_core::Result;

use super::chosen_manifests::ChosenManifests;
use super::columns::plan_schema;
use super::deletes::delete_files::{delete_blocks, index_deletes};
use super::deletes::index_cache::{Deletes, IndexSource, find_index, keep_index};
use super::explain::{Explain, ReadManifests, Stage};
use super::planned_blocks::DroppedFiles;
use super::request::PlanRequest;
use crate::manifest::{
    Found, ManifestBlocks, ManifestFile, PruneCounts, Pruner, Specs, Use, block_range_bytes,
};

/// The most columns of earlier plans whose statistics a cached manifest keeps.
const MOST_CACHED_COLUMNS: usize = 32;

/// A started plan: the delete manifests were read.
#[derive(Debug)]
pub(super) struct PlanJob {
    /// The request.
    pub request: PlanRequest,
    /// The columns of the plan.
    pub schema: SchemaRef,
    /// The table's partition specs.
    pub specs: Arc<Specs>,
    /// The filter.
    pub filter: Pruner,
    /// The deletes that may apply.
    pub deletes: Deletes,
    /// The stages so far: data manifests, delete manifests.
    pub dropped: [PruneCounts; 2],
    /// The kept manifests.
    looked_into: ReadManifests,
    /// The stored bytes of a manifest per block range.
    pub block_range_bytes: usize,
    /// The columns of data files whose statistics are wanted, ascending.
    statistics_of: Vec<i32>,
    /// This plan's use of the cache of manifests.
    pub used: Use,
    /// Are decoded manifests kept in the cache?
    keeps: AtomicBool,
}

impl PlanJob {
    /// Reads the manifest list and the delete manifests. Also returns the kept data manifests.
    pub fn begin(request: PlanRequest) -> Result<(Self, Vec<ManifestFile>)> {
        Self::of(ChosenManifests::read(request)?, None)
    }

    /// Indexes the deletes of chosen manifests, whose entries may have been read elsewhere. Also returns the data manifests.
    pub fn of(
        chosen: ChosenManifests,
        entries: Option<Vec<ManifestBlocks>>,
    ) -> Result<(Self, Vec<ManifestFile>)> {
        let located = chosen.request.clone();
        Self::indexed(chosen, entries).map_err(|error| located.with_table(error))
    }

    fn indexed(
        chosen: ChosenManifests,
        entries: Option<Vec<ManifestBlocks>>,
    ) -> Result<(Self, Vec<ManifestFile>)> {
        let ChosenManifests { request, specs, filter, used, dropped, data, deletes } = chosen;
        let looked_into = ReadManifests::of(&data, &deletes, request.verbose);
        let deletes = match entries {
            Some(entries) => {
                let (index, by_filter) = index_deletes(&request, used, &specs, &filter, &entries)?;
                Deletes { index: Arc::new(index), by_filter, number: None }
            }
            None => indexed(&request, used, &specs, &filter, &deletes)?,
        };
        let mut statistics_of = filter.whole().column_ids();
        statistics_of.extend(deletes.index.key_columns());
        statistics_of.extend(request.statistics_of);
        statistics_of.sort_unstable();
        statistics_of.dedup();
        let job = Self {
            schema: plan_schema(&specs),
            block_range_bytes: block_range_bytes(&data, request.reader.threads),
            used,
            keeps: AtomicBool::new(true),
            dropped,
            looked_into,
            request,
            specs,
            filter,
            deletes,
            statistics_of,
        };
        Ok((job, data))
    }

    /// Stops keeping manifests in the cache.
    pub fn keep_none(&self) {
        self.keeps.store(false, Ordering::Relaxed);
    }

    /// The cached entries of a data manifest. They lack the fields that a scan of appends needs.
    pub fn cached(&self, manifest: &ManifestFile) -> Result<Found> {
        if self.request.appends.is_some() {
            return Ok(Found::Without(Vec::new()));
        }
        let spec = self.specs.get(manifest.partition_spec_id)?;
        Ok(self.request.reader.cache.find(self.used, manifest, &spec.partition_type, &self.statistics_of))
    }

    /// Are decoded manifests kept in the cache?
    pub fn keeps(&self) -> bool {
        self.request.appends.is_none() && self.keeps.load(Ordering::Relaxed)
    }

    /// The account of the work before the first data manifest, and of the stages after it.
    pub fn explain(&self, files: &DroppedFiles) -> Explain {
        let tests = &self.filter.tests;
        let [by_data, by_deletes] = &self.dropped;
        let Deletes { index, by_filter, .. } = &self.deletes;
        let mut explain = Explain { filter: self.filter.whole().to_string(), ..Explain::default() };
        let Some(snapshot) = &self.request.snapshot else { return explain };
        explain.snapshot_id = Some(snapshot.snapshot_id);
        explain.manifests = self.looked_into.clone();
        explain.stages = vec![
            Stage::of("data manifests", by_data, tests),
            Stage::of("delete manifests", by_deletes, tests),
            Stage::of("data files by partition", &files.by_partition, tests),
            Stage::of("data files by counts and bounds", &files.by_bounds, tests),
        ];
        if let Some(appends) = &self.request.appends {
            explain.stages.insert(0, appends.stage());
            explain.stages.insert(3, Stage::of("data files by snapshot", &files.by_snapshot, tests));
        }
        if index.has_equalities() || !by_filter.is_empty() {
            explain.stages.push(Stage::of("equality deletes by filter", by_filter, tests));
            let keys = index.key_tests();
            explain.stages.push(Stage::of("equality deletes by counts and bounds", &files.equalities, &keys));
        }
        explain
    }

    /// The columns whose statistics are decoded, for a manifest that the cache has with others: those too, unless they are many.
    pub fn with_cached(&self, cached: Vec<i32>) -> Vec<i32> {
        let mut all = self.statistics_of.clone();
        if cached.len() <= MOST_CACHED_COLUMNS {
            all.extend(cached);
            all.sort_unstable();
            all.dedup();
        }
        all
    }
}

/// The deletes of some manifests: the index of an earlier plan, unless names of dropped files or deletes of all rows are requested.
fn indexed(
    request: &PlanRequest,
    used: Use,
    specs: &Specs,
    filter: &Pruner,
    manifests: &[ManifestFile],
) -> Result<Deletes> {
    let is_kept = !manifests.is_empty() && !request.verbose && request.to_change.is_none();
    let source = is_kept.then(|| IndexSource::new(request, specs, manifests));
    if let Some(known) = source.as_ref().and_then(|source| find_index(&request.reader.cache, used, source)) {
        return Ok(known);
    }
    let blocks = delete_blocks(request, used, specs, manifests)?;
    let (index, by_filter) = index_deletes(request, used, specs, filter, &blocks)?;
    let deletes = Deletes { index: Arc::new(index), by_filter, number: None };
    Ok(match source {
        Some(source) => keep_index(&request.reader.cache, used, source, deletes),
        None => deletes,
    })
}
