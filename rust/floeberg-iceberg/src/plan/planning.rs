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

use super::begun::Begun;
use super::chunk::{FileColumns, Kept, plan_schema};
use super::deletes::attach::{Attached, KeptFiles, attach};
use super::deletes::index_cache::Deletes;
use super::explain::{Explain, ReadManifests, Stage};
use super::planned_stretch::{DroppedFiles, PlannedStretch};
use super::request::PlanRequest;
use crate::manifest::{
    BoundSpec, EntryStats, Found, ManifestEntries, ManifestFile, PruneCounts, Pruner, Specs, StretchEntries,
    Use, stretch_bytes,
};

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
    pub filter: Pruner,
    /// The deletes that may apply.
    pub deletes: Deletes,
    /// What was dropped so far: data manifests, delete manifests.
    pub dropped: [PruneCounts; 2],
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
        let Begun { specs, filter, deletes, dropped, looked_into, manifests, used } = begun;
        let mut statistics_of = filter.whole().column_ids();
        statistics_of.extend(deletes.index.key_columns());
        statistics_of.extend(request.statistics_of);
        statistics_of.sort_unstable();
        statistics_of.dedup();
        let planning = Self {
            schema: plan_schema(&specs),
            stretch_bytes: stretch_bytes(&manifests, request.reader.threads),
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
        Ok(self.request.reader.cache.find(self.used, manifest, &spec.partition_type, &self.statistics_of))
    }

    /// Are manifests that are decoded kept in the cache?
    pub fn keeps(&self) -> bool {
        self.request.appends.is_none() && self.keeps.load(Ordering::Relaxed)
    }

    /// The account of what was done before the first data manifest was read, and of what was dropped after it.
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

    /// Finds the deletes of the files of a stretch, or takes those that they have by the same index since an earlier plan: the
    /// index is that of the filter, so that the same files are kept.
    fn attach(
        &self,
        manifest: &ManifestFile,
        spec: &BoundSpec,
        files: KeptFiles<'_>,
        stretch: (usize, &Arc<StretchEntries>),
    ) -> Result<Attached> {
        let (request, index) = (&self.request, &self.deletes.index);
        let number = self.deletes.number.filter(|_| request.appends.is_none());
        let known = number.and_then(|number| request.reader.cache.find_beside(number, manifest, stretch));
        let is_known = known.is_some();
        let attached =
            attach(&self.filter, index, spec, files, known).context("manifest", &manifest.manifest_path)?;
        if let Some((number, deletes)) =
            number.zip(attached.deletes.as_ref()).filter(|_| !is_known && self.keeps())
        {
            let made = (deletes, deletes.memory());
            request.reader.cache.keep_beside(self.used, number, manifest, stretch, made);
        }
        Ok(attached)
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
        number: usize,
        stretch: &Arc<StretchEntries>,
    ) -> Result<PlannedStretch> {
        let is_first = number == 0;
        let StretchEntries { entries, row_ids, .. } = stretch.as_ref();
        let (request, specs, filter) = (&self.request, &self.specs, &self.filter);
        let spec = specs.get(entries.spec_id)?;
        let mut dropped = DroppedFiles::new(request.verbose);
        let added = request.appends.as_ref().map(|appends| appends.keep(entries, &mut dropped.by_snapshot));
        let mask = added.transpose()?;
        let mask = filter.keep_by_partition(entries, spec, mask, &mut dropped.by_partition)?;
        let mask = filter.keep_by_bounds(entries, mask, &mut dropped.by_bounds);
        let kept = Kept::new(mask, entries.len());
        check_plain(entries, &kept)?;
        let columns = FileColumns::new(entries, &kept, specs, &request.reader.relocation)?;
        let files = KeptFiles {
            entries,
            kept: &kept,
            columns: &columns,
            untrusted: specs.untrusted(),
            verbose: request.verbose,
        };
        let attached = self.attach(manifest, spec, files, (number, stretch))?;
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
