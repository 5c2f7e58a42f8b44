//! What is known before the first data manifest is read, and what is done with each of them?
//!
//! In: a request. Out: the manifests that are left, and the files of each stretch of one.
//! Spec: Scan Planning.
//!
//! Data flows one way: manifest list, kept manifests, delete index, then every stretch of a data manifest on its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{Array, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::SchemaRef;
use floeberg_core::expr::{BoundExpr, ColumnStats, Stats};
use floeberg_core::{Context, Error, Result};

use super::attach::{KeptFiles, attach};
use super::bounds::EntryStats;
use super::chunk::{FileColumns, Kept, plan_schema};
use super::delete_files::read_deletes;
use super::deletes::DeleteIndex;
use super::explain::{Explain, ReadManifests};
use super::filter::PlanFilter;
use super::manifest_bytes::{ManifestBytes, read_manifest};
use super::manifest_cache::{Found, Use};
use super::manifests::read_manifests_of;
use super::request::PlanRequest;
use super::specs::Specs;
use super::tally::Tally;
use crate::metadata::{EntryRequest, ManifestContent, ManifestEntries, ManifestFile, StretchEntries};
use crate::threads::Job;
use crate::wire::avro::Stretch;

/// Bytes of a manifest, as they are stored, that one thread decodes: some thousands of entries.
const STRETCH_BYTES: usize = 2 << 20;
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
    /// The columns whose statistics are wanted of data files, ascending.
    statistics_of: Vec<i32>,
    /// This plan's use of the cache of manifests.
    used: Use,
    /// Are manifests that are decoded kept in the cache?
    keeps: AtomicBool,
}

/// What is known before the first data manifest is read.
struct Begun {
    specs: Arc<Specs>,
    filter: PlanFilter,
    index: DeleteIndex,
    dropped: [Tally; 3],
    looked_into: ReadManifests,
    /// The data manifests that are left.
    manifests: Vec<ManifestFile>,
}

impl Begun {
    fn read(request: &PlanRequest) -> Result<Self> {
        let specs = Specs::new(&request.metadata, &request.schema)?;
        let filter = PlanFilter::new(request.filter.clone(), &specs);
        let manifests = match (&request.snapshot, &request.appends) {
            (None, _) => Vec::new(),
            (Some(snapshot), None) => read_manifests_of(request, snapshot)?,
            (Some(_), Some(appends)) => appends.manifests(request)?,
        };
        let (mut by_data, mut by_deletes) = (Tally::new(request.verbose), Tally::new(request.verbose));
        let mut data = Vec::new();
        let mut deletes = Vec::new();
        for manifest in manifests {
            let spec = specs.get(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)?;
            let is_data = manifest.content == ManifestContent::Data;
            let tally = if is_data { &mut by_data } else { &mut by_deletes };
            if filter.keeps_manifest(&manifest, spec, tally) {
                if is_data { data.push(manifest) } else { deletes.push(manifest) }
            }
        }
        let (index, by_filter) = read_deletes(request, &specs, &filter, &deletes)?;
        let dropped = [by_data, by_deletes, by_filter];
        let looked_into = ReadManifests::of(&data, &deletes);
        Ok(Self { specs, filter, index, dropped, looked_into, manifests: data })
    }
}

/// The planned files of one stretch.
#[derive(Debug)]
pub(super) struct PlannedStretch {
    /// Is it the first of its manifest?
    pub is_first: bool,
    /// The first row id of its manifest.
    pub first_row_id: Option<i64>,
    /// The files, residuals numbered within the stretch; `None` where none is left.
    pub files: Option<RecordBatch>,
    /// The residuals.
    pub residuals: Vec<BoundExpr>,
    /// Of the column that was asked for, file by file.
    pub statistics: Vec<ColumnStats>,
    /// Which of the files have a row id that counts from the end of the stretch before; `None` is none.
    pub counted_on: Option<BooleanBuffer>,
    /// How many row ids the entries took from the manifest.
    pub row_ids: i64,
    /// What was dropped.
    pub dropped: DroppedFiles,
}

/// What was dropped of the files of a stretch, or of all.
#[derive(Debug)]
pub(super) struct DroppedFiles {
    pub by_snapshot: Tally,
    pub by_partition: Tally,
    pub by_bounds: Tally,
    /// Equality deletes whose scope a file is in, and those whose keys it cannot have.
    pub equalities: Tally,
}

impl DroppedFiles {
    /// Nothing was dropped yet. With `names`, the paths of what is dropped are kept.
    pub fn new(names: bool) -> Self {
        let tally = || Tally::new(names);
        Self { by_snapshot: tally(), by_partition: tally(), by_bounds: tally(), equalities: tally() }
    }

    /// Adds those of another stretch.
    pub fn merge(&mut self, other: Self) {
        self.by_snapshot.merge(other.by_snapshot);
        self.by_partition.merge(other.by_partition);
        self.by_bounds.merge(other.by_bounds);
        self.equalities.merge(other.equalities);
    }
}

impl Planning {
    /// Reads the manifest list and the delete manifests. Gives the data manifests that are left, too.
    pub fn begin(request: PlanRequest) -> Result<(Self, Vec<ManifestFile>)> {
        let begun = Begun::read(&request).map_err(|error| request.told(error))?;
        let Begun { specs, filter, index, dropped, looked_into, manifests } = begun;
        let mut statistics_of = filter.whole().column_ids();
        statistics_of.extend(index.key_columns());
        statistics_of.extend(request.statistics_of);
        statistics_of.sort_unstable();
        statistics_of.dedup();
        let planning = Self {
            schema: plan_schema(&specs),
            used: request.cache.begin(),
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
    fn with_cached(&self, cached: Vec<i32>) -> Vec<i32> {
        let mut all = self.statistics_of.clone();
        if cached.len() <= MOST_CACHED_COLUMNS {
            all.extend(cached);
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    fn plan(
        &self,
        manifest: &ManifestFile,
        is_first: bool,
        stretch: &StretchEntries,
    ) -> Result<PlannedStretch> {
        let StretchEntries { entries, row_ids, .. } = stretch;
        let (request, specs, filter) = (&self.request, &self.specs, &self.filter);
        let spec = specs.get(entries.spec_id)?;
        let mut dropped = DroppedFiles::new(request.verbose);
        let mask = request.appends.as_ref().map(|appends| appends.keep(entries, &mut dropped.by_snapshot));
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
        let numbers = attached.residual_of.iter().map(|number| *number as i32).collect();
        let files = match columns.rows {
            0 => None,
            _ => Some(columns.finish(Arc::clone(&self.schema), attached.deletes, numbers)?),
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

/// A stretch of a manifest, whose entries are to be decoded or were before.
#[derive(Debug)]
pub(super) enum Stretches {
    Decoded {
        manifest: Arc<ManifestFile>,
        is_first: bool,
        entries: Arc<StretchEntries>,
    },
    Stored {
        manifest: Arc<ManifestBytes>,
        stretch: Stretch,
        /// Which of how many it is.
        place: (usize, usize),
        /// The columns whose statistics are decoded, ascending.
        statistics_of: Arc<Vec<i32>>,
    },
}

impl Job for Planning {
    type Task = ManifestFile;
    type Part = Stretches;
    type Item = PlannedStretch;

    const THREAD: &'static str = "floeberg-plan";

    fn open(&self, manifest: ManifestFile) -> Result<Vec<Stretches>> {
        self.request.cancel.check()?;
        let also = match self.request.cache.find(self.used, &manifest, &self.statistics_of) {
            Found::Whole(stretches) => {
                let manifest = Arc::new(manifest);
                let each = |(number, entries)| Stretches::Decoded {
                    manifest: Arc::clone(&manifest),
                    is_first: number == 0,
                    entries,
                };
                return Ok(stretches.into_iter().enumerate().map(each).collect());
            }
            Found::Without(also) => also,
        };
        let statistics_of = Arc::new(self.with_cached(also));
        let manifest = Arc::new(read_manifest(&self.request, &manifest)?);
        let stretches = manifest.stretches(STRETCH_BYTES)?;
        let count = stretches.len();
        let each = |(number, stretch)| Stretches::Stored {
            manifest: Arc::clone(&manifest),
            stretch,
            place: (number, count),
            statistics_of: Arc::clone(&statistics_of),
        };
        Ok(stretches.into_iter().enumerate().map(each).collect())
    }

    fn work(&self, part: Stretches, give: &mut dyn FnMut(PlannedStretch) -> Result<bool>) -> Result<()> {
        let planned = match part {
            Stretches::Decoded { manifest, is_first, entries } => self.plan(&manifest, is_first, &entries)?,
            Stretches::Stored { manifest: bytes, stretch, place, statistics_of } => {
                let manifest = bytes.manifest();
                let spec = self.specs.get(manifest.partition_spec_id)?;
                let wanted =
                    EntryRequest { statistics_of: statistics_of.to_vec(), ..EntryRequest::default() };
                let entries = Arc::new(bytes.entries_of(&stretch, spec, &wanted)?);
                if self.keeps.load(Ordering::Relaxed) {
                    self.request.cache.keep(self.used, manifest, &statistics_of, place, &entries);
                }
                self.plan(manifest, place.0 == 0, &entries)?
            }
        };
        give(planned).map(drop)
    }

    fn bytes(planned: &PlannedStretch) -> u64 {
        planned.files.as_ref().map_or(0, |files| files.get_array_memory_size() as u64)
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
