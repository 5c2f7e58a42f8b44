//! How do the answers of tasks become a plan?
//!
//! In: the answers, in the order of their manifests. Out: the plan.
//! Spec: Scan Planning.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;

use super::block_record::BlockRecord;
use super::manifest_task::ManifestTask;
use crate::manifest::{BlockEntries, ManifestBlocks, ManifestFile};
use crate::plan::chosen_manifests::ChosenManifests;
use crate::plan::numbering::Numbering;
use crate::plan::plan_job::PlanJob;
use crate::plan::planned_blocks::{DroppedFiles, PlannedBlocks};
use crate::plan::request::PlanRequest;
use crate::plan::{Plan, PlanStream};

/// A plan of which only the manifest list was read.
#[derive(Debug)]
pub struct PlanParts(ChosenManifests);

impl PlanParts {
    /// Reads the manifest list.
    ///
    /// Errors: those of [`plan`](crate::plan::plan); `Unsupported` for a scan of appends, and for a plan that names what it drops,
    /// which one process makes.
    pub fn open(request: PlanRequest) -> Result<Self> {
        if request.appends.is_some() || request.verbose || request.statistics_of.is_some() {
            return Err(Error::unsupported(
                "tasks plan neither appends between snapshots, nor names of dropped files, nor statistics",
            ));
        }
        ChosenManifests::read(request).map(Self)
    }

    /// The data manifests that the filter keeps, in the order of the plan.
    pub fn data_manifests(&self) -> &[ManifestFile] {
        &self.0.data
    }

    /// The delete manifests that the filter keeps.
    pub fn delete_manifests(&self) -> &[ManifestFile] {
        &self.0.deletes
    }

    /// A task for some delete manifests.
    pub fn deletes_task(&self, range: Range<usize>) -> Result<ManifestTask> {
        task(&[], &self.0.deletes, range)
    }

    /// A task that plans some data manifests by itself.
    pub fn part_task(&self, range: Range<usize>) -> Result<ManifestTask> {
        task(&[], &self.0.data, range)
    }

    /// About how many bytes the files of the kept data manifests have, deletes included: their share of what the summary of the
    /// snapshot says; `None` where it says nothing.
    pub fn data_bytes(&self) -> Option<u64> {
        let summary = &self.0.request.snapshot.as_ref()?.summary;
        let said = |key: &str| summary.get(key)?.parse::<u64>().ok();
        let [bytes, files] = [said("total-files-size")?, said("total-data-files")?.max(1)];
        let live = |manifest: &ManifestFile| {
            let counts = [manifest.added_files_count?, manifest.existing_files_count?];
            counts.into_iter().map(|count| u64::try_from(count).ok()).sum::<Option<u64>>()
        };
        let kept = self.0.data.iter().map(live).sum::<Option<u64>>().unwrap_or(files).min(files);
        let share = u128::from(bytes) * u128::from(kept) / u128::from(files);
        u64::try_from(share).ok()
    }

    /// Indexes the deletes: those of the answers, in the order of their manifests, or read here.
    pub fn index(self, answers: Option<&[Vec<u8>]>) -> Result<PlanAssembly> {
        let Self(chosen) = self;
        let blocks = answers.map(|answers| delete_blocks(&chosen, answers)).transpose();
        let blocks = blocks.map_err(|error| chosen.request.with_table(error))?;
        let (job, manifests) = PlanJob::of(chosen, blocks)?;
        job.keep_none();
        let numbering = Numbering::new(false);
        Ok(PlanAssembly { job, manifests, numbering, chunks: Vec::new(), place: Place::default() })
    }

    /// The plan of a process on its own.
    pub fn here(self) -> Result<PlanStream> {
        let (job, manifests) = PlanJob::of(self.0, None)?;
        Ok(PlanStream::of(job, manifests))
    }
}

/// A plan whose deletes are known, and whose data manifests come in.
#[derive(Debug)]
pub struct PlanAssembly {
    job: PlanJob,
    manifests: Vec<ManifestFile>,
    numbering: Numbering,
    chunks: Vec<RecordBatch>,
    place: Place,
}

impl PlanAssembly {
    /// A task for some data manifests.
    pub fn task(&self, range: Range<usize>) -> Result<ManifestTask> {
        let mut keys: Vec<i32> = self.job.deletes.index.key_columns().collect();
        keys.sort_unstable();
        task(&keys, &self.manifests, range)
    }

    /// Adds what a task returned: the manifests after those of the task before.
    ///
    /// Errors: `InvalidData` for deletes that contradict each other; `Internal` if the answer is not of these manifests.
    pub fn add(&mut self, answer: &[u8]) -> Result<()> {
        self.take(answer).map_err(|error| self.job.request.with_table(error))
    }

    fn take(&mut self, answer: &[u8]) -> Result<()> {
        let records = BlockRecord::split(answer)?;
        let (job, reader) = (&self.job, &self.job.request.reader);
        let planned = ordered(&records, reader.threads, &reader.cancel, |record| {
            let record = BlockRecord::read(record)?;
            let place = (record.manifest, record.place);
            Ok((place, planned(job, &self.manifests, record)?))
        })?;
        for ((manifest, place), blocks) in planned {
            self.place.go_on(manifest, place)?;
            let Some(blocks) = blocks else { continue };
            let files = self.numbering.number(blocks)?;
            self.chunks.extend(files.map(|(chunk, _)| chunk));
        }
        Ok(())
    }

    /// The plan of all manifests.
    ///
    /// Errors: `Internal` if an answer is missing.
    pub fn finish(self) -> Result<Plan> {
        self.place.check_end(self.manifests.len())?;
        Ok(self.numbering.plan(&self.job, self.chunks))
    }

    /// The plan of data manifests that are read here, if none was added.
    pub fn here(self) -> PlanStream {
        PlanStream::of(self.job, self.manifests)
    }
}

/// The files of a record; `None` for a manifest without entries.
fn planned(job: &PlanJob, manifests: &[ManifestFile], record: BlockRecord) -> Result<Option<PlannedBlocks>> {
    let manifest = manifests.get(record.manifest).ok_or_else(other_manifest)?;
    let Some((number, block)) = entries(manifest, &record)? else { return Ok(None) };
    let [by_partition, by_bounds] = record.dropped;
    let dropped = DroppedFiles { by_partition, by_bounds, ..DroppedFiles::new(false) };
    job.plan_tested(manifest, number, &Arc::new(block), None, dropped).map(Some)
}

/// The entries of a record, with the number of their block range.
fn entries(manifest: &ManifestFile, record: &BlockRecord) -> Result<Option<(usize, BlockEntries)>> {
    let Some(columns) = &record.entries else { return Ok(None) };
    let block = columns.entries(manifest.content, manifest.partition_spec_id, record.row_ids)?;
    Ok(Some((record.place.0, block)))
}

fn delete_blocks(chosen: &ChosenManifests, answers: &[Vec<u8>]) -> Result<Vec<ManifestBlocks>> {
    let mut place = Place::default();
    let mut blocks = Vec::new();
    let reader = &chosen.request.reader;
    let records =
        answers.iter().map(|answer| BlockRecord::split(answer)).collect::<Result<Vec<_>>>()?.concat();
    for record in ordered(&records, reader.threads, &reader.cancel, |record| BlockRecord::read(record))? {
        place.go_on(record.manifest, record.place)?;
        let manifest = chosen.deletes.get(record.manifest).ok_or_else(other_manifest)?;
        if let Some((_, block)) = entries(manifest, &record)? {
            blocks.extend(ManifestBlocks::decoded(manifest.clone(), vec![Arc::new(block)]));
        }
    }
    place.check_end(chosen.deletes.len())?;
    Ok(blocks)
}

fn task(statistics_of: &[i32], manifests: &[ManifestFile], range: Range<usize>) -> Result<ManifestTask> {
    let some = manifests.get(range.clone()).ok_or_else(|| {
        Error::invalid_input(format!("manifests {range:?} are out of range: there are {}", manifests.len()))
    })?;
    Ok(ManifestTask::new(statistics_of, range.start, some))
}

/// Which block range comes next?
#[derive(Debug, Default)]
struct Place {
    manifest: usize,
    blocks: usize,
}

impl Place {
    /// Errors: `Internal` if another one comes.
    fn go_on(&mut self, manifest: usize, (number, count): (usize, usize)) -> Result<()> {
        if (manifest, number) != (self.manifest, self.blocks) {
            return Err(other_manifest());
        }
        self.blocks += 1;
        if self.blocks >= count {
            *self = Self { manifest: manifest + 1, blocks: 0 };
        }
        Ok(())
    }

    fn check_end(&self, manifests: usize) -> Result<()> {
        if (self.manifest, self.blocks) == (manifests, 0) { Ok(()) } else { Err(other_manifest()) }
    }
}

#[cold]
fn other_manifest() -> Error {
    Error::internal("the tasks that read manifests returned other ones than they were given")
}
