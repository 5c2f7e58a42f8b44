//! Which files must be read, with which deletes?
//!
//! In: a snapshot, a bound filter and a store. Out: a [`Plan`].
//! Spec: Scan Planning.
//!
//! Data flows one way: manifest list, kept manifests, delete index, then every data manifest on its own, in parallel.

use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch};
use bytes::Bytes;
use floeberg_core::expr::{BoundExpr, ColumnStats, Stats};
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_io::Store;

use super::attach::{Attached, DistinctResiduals, KeptFiles, attach};
use super::bounds::EntryStats;
use super::chunk::{FileColumns, Kept, column, plan_schema, typed};
use super::delete_files::read_deletes;
use super::deletes::DeleteIndex;
use super::explain::{Explain, Tally};
use super::filter::{PlanFilter, kept_of};
use super::incremental::Appends;
use super::manifests::read_manifests_of;
use super::specs::{PlannedSpec, Specs};
use super::{Plan, parallel};
use crate::metadata::{
    EntryRequest, ManifestContent, ManifestEntries, ManifestFile, Relocation, Snapshot, TableMetadata,
    parse_manifest,
};

/// No manifest or manifest list is larger than this: a guard against damaged lengths and hostile files.
pub(crate) const LARGEST_MANIFEST: u64 = 1 << 30;

/// What is to be planned.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// The table.
    pub metadata: Arc<TableMetadata>,
    /// The snapshot; `None` plans nothing.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Only what these append snapshots added, without deletes; `None` is all that is live.
    pub appends: Option<Arc<Appends>>,
    /// The column whose counts and bounds the plan is to keep, file by file.
    pub statistics_of: Option<i32>,
    /// The schema that the filter is bound to.
    pub schema: Arc<Schema>,
    /// Which rows are wanted.
    pub filter: BoundExpr,
    /// Where manifests are read from.
    pub store: Arc<dyn Store>,
    /// Where written locations are now.
    pub relocation: Arc<Relocation>,
    /// How many threads work, at least one.
    pub threads: usize,
    /// Stops the work between two manifests.
    pub cancel: Cancel,
}

/// Plans a scan.
///
/// Errors: those of the store; `InvalidData` for damaged manifests, naming them; `Unsupported` for encrypted ones;
/// `Cancelled`.
pub fn plan(request: &PlanRequest) -> Result<Plan> {
    let specs = Specs::new(&request.metadata, &request.schema)?;
    let filter = PlanFilter::new(request.filter.clone(), &specs);
    let schema = plan_schema(&specs);
    let Some(snapshot) = &request.snapshot else {
        return Ok(Plan::empty(schema, specs, filter.whole()));
    };
    let manifests = match &request.appends {
        None => read_manifests_of(request, snapshot)?,
        Some(appends) => appends.manifests(request)?,
    };
    let mut manifest_tallies = [Tally::default(), Tally::default()];
    let mut data = Vec::new();
    let mut deletes = Vec::new();
    for manifest in manifests {
        let spec = specs.get(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)?;
        let is_data = manifest.content == ManifestContent::Data;
        if filter.keeps_manifest(&manifest, spec, &mut manifest_tallies[usize::from(!is_data)]) {
            if is_data { data.push(manifest) } else { deletes.push(manifest) }
        }
    }
    let (index, by_filter) = read_deletes(request, &specs, &filter, &deletes)?;
    let planned = parallel::ordered(&data, request.threads, &request.cancel, |manifest| {
        plan_manifest(request, &specs, &filter, &index, manifest)
    })?;

    let mut by_snapshot = Tally::default();
    let mut by_partition = Tally::default();
    let mut by_bounds = Tally::default();
    let mut statistics = Vec::new();
    let mut equalities = Tally::default();
    let mut residuals = DistinctResiduals::default();
    let mut chunks = Vec::with_capacity(planned.len());
    for files in planned {
        by_snapshot.merge(&files.by_snapshot);
        by_partition.merge(&files.by_partition);
        by_bounds.merge(&files.by_bounds);
        equalities.merge(&files.attached.equalities);
        if files.columns.rows == 0 {
            continue;
        }
        statistics.extend(files.statistics);
        let numbers = residuals.renumber(files.attached.residuals, &files.attached.residual_of);
        chunks.push(files.columns.finish(Arc::clone(&schema), files.attached.deletes.as_deref(), numbers)?);
    }
    let texts = &filter.texts;
    let [data_tally, delete_tally] = manifest_tallies;
    let mut explain = Explain {
        snapshot_id: Some(snapshot.snapshot_id),
        filter: filter.whole().to_string(),
        stages: vec![
            data_tally.stage("data manifests", texts),
            delete_tally.stage("delete manifests", texts),
            by_partition.stage("data files by partition", texts),
            by_bounds.stage("data files by counts and bounds", texts),
        ],
        ..Explain::default()
    };
    if let Some(appends) = &request.appends {
        let files = by_snapshot.stage("data files by snapshot", texts);
        explain.stages.insert(0, appends.stage());
        explain.stages.insert(3, files);
    }
    if index.has_equalities() || !by_filter.is_empty() {
        explain.stages.push(by_filter.stage("equality deletes by filter", texts));
        explain.stages.push(equalities.stage("equality deletes by counts and bounds", &index.key_names()));
    }
    account(&mut explain, &chunks, &index);
    let plan = Plan::new(schema, specs, chunks, index.files(), residuals.into_list(), explain);
    Ok(plan.with_statistics(statistics))
}

/// The files of one manifest.
struct PlannedManifest {
    columns: FileColumns,
    attached: Attached,
    /// Of the column that was asked for, file by file.
    statistics: Vec<ColumnStats>,
    by_snapshot: Tally,
    by_partition: Tally,
    by_bounds: Tally,
}

/// The bytes of a manifest, to be decoded.
pub(crate) struct ManifestBytes<'a> {
    manifest: &'a ManifestFile,
    location: String,
    bytes: Bytes,
}

/// Reads one manifest.
pub(crate) fn read_manifest<'a>(
    request: &PlanRequest,
    manifest: &'a ManifestFile,
) -> Result<ManifestBytes<'a>> {
    if manifest.key_metadata.is_some() {
        return Err(Error::unsupported("the manifest is encrypted, and encrypted tables cannot be read")
            .with("path", &manifest.manifest_path));
    }
    let location = request.relocation.apply(&manifest.manifest_path);
    let bytes = request.store.open(&location)?.read_all(LARGEST_MANIFEST)?;
    Ok(ManifestBytes { manifest, location, bytes })
}

impl ManifestBytes<'_> {
    /// Decodes the entries.
    pub fn entries(&self, spec: &PlannedSpec, wanted: &EntryRequest) -> Result<ManifestEntries> {
        parse_manifest(&self.bytes, self.manifest, &spec.partition_type, wanted)
            .context("path", &self.location)
    }
}

fn plan_manifest(
    request: &PlanRequest,
    specs: &Specs,
    filter: &PlanFilter,
    index: &DeleteIndex,
    manifest: &ManifestFile,
) -> Result<PlannedManifest> {
    let spec = specs.get(manifest.partition_spec_id)?;
    let mut wanted = EntryRequest {
        statistics_of: filter.whole().column_ids(),
        with_deleted: false,
        ..EntryRequest::default()
    };
    wanted.statistics_of.extend(index.key_columns());
    wanted.statistics_of.extend(request.statistics_of);
    let entries = read_manifest(request, manifest)?.entries(spec, &wanted)?;
    let mut by_snapshot = Tally::default();
    let mut by_partition = Tally::default();
    let mut by_bounds = Tally::default();
    let mask = request.appends.as_ref().map(|appends| appends.keep(&entries, &mut by_snapshot));
    let mut mask = filter.keep_by_partition(&entries, spec, mask, &mut by_partition)?;
    if filter.is_true() {
        by_bounds.enter(kept_of(mask.as_deref(), entries.len()));
    } else {
        let mask = mask.get_or_insert_with(|| vec![true; entries.len()]);
        filter.keep_by_bounds(&entries, mask, &mut by_bounds);
    }
    let kept = Kept::new(mask, entries.len());
    check_plain(&entries, &kept)?;
    let columns = FileColumns::new(&entries, &kept, specs, &request.relocation)?;
    let files = KeptFiles { entries: &entries, kept: &kept, columns: &columns };
    let attached = attach(filter, index, spec, files).context("manifest", &manifest.manifest_path)?;
    let statistics = match request.statistics_of.and_then(|id| request.schema.field(id)) {
        Some(field) => {
            let of = |row| EntryStats { entries: &entries, row: kept.entry(row) };
            (0..kept.len()).map(|row| of(row).column(field.id, &field.field_type)).collect()
        }
        None => Vec::new(),
    };
    Ok(PlannedManifest { columns, attached, statistics, by_snapshot, by_partition, by_bounds })
}

/// Errors: `Unsupported` for an encrypted data file, naming it.
fn check_plain(entries: &ManifestEntries, kept: &Kept) -> Result<()> {
    if entries.key_metadata.null_count() == entries.len() {
        return Ok(());
    }
    let rows = (0..kept.len()).map(|row| kept.entry(row));
    match rows.into_iter().find(|row| entries.key_metadata.is_valid(*row)) {
        Some(row) => {
            Err(Error::unsupported("the data file is encrypted, and encrypted tables cannot be read")
                .with("path", entries.file_path.value(row)))
        }
        None => Ok(()),
    }
}

fn account(explain: &mut Explain, chunks: &[RecordBatch], index: &DeleteIndex) {
    let sum = |chunk: &RecordBatch, position: usize| {
        typed::<Int64Array>(chunk.column(position)).map_or(0, |values| {
            values
                .values()
                .iter()
                .map(|value| u64::try_from(*value).unwrap_or(0))
                .fold(0, u64::saturating_add)
        })
    };
    let mut attached = vec![false; index.len()];
    for chunk in chunks {
        explain.data_files += chunk.num_rows() as u64;
        explain.records = explain.records.saturating_add(sum(chunk, column::RECORD_COUNT));
        explain.bytes = explain.bytes.saturating_add(sum(chunk, column::FILE_SIZE));
        super::tasks::mark_attached(chunk, &mut attached);
    }
    explain.deletes = index.count(&attached);
}
