//! Which files must be read, with which deletes?
//!
//! In: a snapshot, a bound filter and a store. Out: a [`Plan`].
//! Spec: Scan Planning.
//!
//! Data flows one way: manifest list, kept manifests, delete index, then every data manifest on its own, in parallel.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::value::PartitionKey;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_io::Store;

use super::chunk::{FileColumns, Kept, column, plan_schema};
use super::delete_files::read_deletes;
use super::deletes::{DataFile, DeleteIndex};
use super::explain::{Explain, Tally};
use super::filter::PlanFilter;
use super::manifests::read_manifests_of;
use super::specs::{PlannedSpec, Specs, partition_key};
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
    let manifests = read_manifests_of(request, snapshot)?;
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
    let index = read_deletes(request, &specs, &filter, &deletes)?;
    let planned = parallel::ordered(&data, request.threads, &request.cancel, |manifest| {
        plan_manifest(request, &specs, &filter, &index, manifest)
    })?;

    let mut by_partition = Tally::default();
    let mut by_bounds = Tally::default();
    let mut residuals = Residuals::default();
    let mut chunks = Vec::with_capacity(planned.len());
    for files in planned {
        by_partition.merge(&files.by_partition);
        by_bounds.merge(&files.by_bounds);
        let renumbered: Vec<i32> =
            files.residual_list.into_iter().map(|residual| residuals.number(residual)).collect();
        if files.columns.rows == 0 {
            continue;
        }
        let numbers = files.residual_of.iter().map(|local| renumbered[*local as usize]).collect();
        chunks.push(files.columns.finish(Arc::clone(&schema), files.deletes.as_deref(), numbers)?);
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
    account(&mut explain, &chunks, &index);
    Ok(Plan::new(schema, specs, chunks, index.files(), residuals.list, explain))
}

/// The files of one manifest, residuals numbered within it.
struct PlannedManifest {
    columns: FileColumns,
    deletes: Option<Vec<Vec<i32>>>,
    residual_of: Vec<u32>,
    residual_list: Vec<BoundExpr>,
    by_partition: Tally,
    by_bounds: Tally,
}

/// Reads and decodes one manifest.
pub(crate) fn entries_of(
    request: &PlanRequest,
    spec: &PlannedSpec,
    manifest: &ManifestFile,
    wanted: &EntryRequest,
) -> Result<ManifestEntries> {
    if manifest.key_metadata.is_some() {
        return Err(Error::unsupported("the manifest is encrypted, and encrypted tables cannot be read")
            .with("path", &manifest.manifest_path));
    }
    let location = request.relocation.apply(&manifest.manifest_path);
    let bytes = request.store.open(&location)?.read_all(LARGEST_MANIFEST)?;
    parse_manifest(&bytes, manifest, &spec.partition_type, wanted).context("path", &location)
}

fn plan_manifest(
    request: &PlanRequest,
    specs: &Specs,
    filter: &PlanFilter,
    index: &DeleteIndex,
    manifest: &ManifestFile,
) -> Result<PlannedManifest> {
    let spec = specs.get(manifest.partition_spec_id)?;
    let wanted = EntryRequest { statistics_of: filter.whole().column_ids(), with_deleted: false };
    let entries = entries_of(request, spec, manifest, &wanted)?;
    let mut by_partition = Tally::default();
    let mut by_bounds = Tally::default();
    let mut mask = filter.keep_by_partition(&entries, spec, &mut by_partition)?;
    if filter.is_true() {
        by_bounds.enter(entries.len());
    } else {
        let mask = mask.get_or_insert_with(|| vec![true; entries.len()]);
        filter.keep_by_bounds(&entries, mask, &mut by_bounds);
    }
    let kept = Kept::new(mask, entries.len());
    let columns = FileColumns::new(&entries, &kept, specs, &request.relocation)?;
    let (deletes, residual_of, residual_list) =
        attach(filter, index, spec, &columns).context("manifest", &manifest.manifest_path)?;
    Ok(PlannedManifest { columns, deletes, residual_of, residual_list, by_partition, by_bounds })
}

type Attached = (Option<Vec<Vec<i32>>>, Vec<u32>, Vec<BoundExpr>);

/// Finds the deletes and the residual of every file.
fn attach(
    filter: &PlanFilter,
    index: &DeleteIndex,
    spec: &PlannedSpec,
    columns: &FileColumns,
) -> Result<Attached> {
    let one_residual = filter.is_true() || spec.columns.is_empty();
    if one_residual && index.is_empty() {
        return Ok((None, vec![0; columns.rows], vec![filter.whole().clone()]));
    }
    let paths = strings(columns.column(column::FILE_PATH))?;
    let sequence_numbers = longs(columns.column(column::DATA_SEQUENCE_NUMBER))?;
    let mut residual_list = Vec::new();
    let mut residual_of = Vec::with_capacity(columns.rows);
    let mut numbers: HashMap<PartitionKey, u32> = HashMap::new();
    let mut deletes = (!index.is_empty()).then(|| Vec::with_capacity(columns.rows));
    for row in 0..columns.rows {
        let values = spec.values(&columns.partition, row)?;
        let key = partition_key(&values);
        if let Some(deletes) = &mut deletes {
            let data = DataFile {
                path: paths.value(row),
                sequence_number: sequence_numbers.value(row),
                spec_id: columns.spec_id,
                partition_key: &key,
            };
            let mut found = Vec::new();
            index.matching(data, &mut found)?;
            deletes.push(found);
        }
        let number = *numbers.entry(key).or_insert_with(|| {
            residual_list.push(spec.residual(filter.whole(), &values));
            residual_list.len() as u32 - 1
        });
        residual_of.push(number);
    }
    Ok((deletes, residual_of, residual_list))
}

/// Gives each different residual a number.
#[derive(Default)]
struct Residuals {
    numbers: HashMap<String, i32>,
    list: Vec<Arc<BoundExpr>>,
}

impl Residuals {
    fn number(&mut self, residual: BoundExpr) -> i32 {
        // The Debug form tells any two residuals apart; texts for people may not.
        *self.numbers.entry(format!("{residual:?}")).or_insert_with(|| {
            self.list.push(Arc::new(residual));
            self.list.len() as i32 - 1
        })
    }
}

fn account(explain: &mut Explain, chunks: &[RecordBatch], index: &DeleteIndex) {
    let sum = |chunk: &RecordBatch, position: usize| {
        longs(chunk.column(position)).map_or(0, |values| {
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

pub(crate) fn strings(column: &dyn Array) -> Result<&StringArray> {
    column.as_any().downcast_ref().ok_or_else(|| Error::internal("a column of a plan is not of strings"))
}

pub(crate) fn longs(column: &dyn Array) -> Result<&Int64Array> {
    column.as_any().downcast_ref().ok_or_else(|| Error::internal("a column of a plan is not of longs"))
}
