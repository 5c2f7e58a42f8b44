//! Which files are being written, and when do they end?
//!
//! In: rows by partition. Out: files of about the size that the table asks for.
//!
//! Invariant: every started location is remembered until the write ends, so that it can be removed.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{ErrorKind, Result};
use floeberg_files::{FileLayout, FileMetrics, FileWriter, Piece, Waiting};
use floeberg_io::Store;

use super::encode::{OpenFile, Threads};
use super::layout::WriteLayout;
use super::partitioner::Partition;
use super::progress::WriteProgress;
use super::{Purpose, WriteRecipe, WrittenFile};
use crate::manifest::DataFile;

/// The most open files: each has buffers for all of its columns.
const MOST_OPEN: usize = 128;

/// A partition that rows are written to.
struct Target {
    values: Vec<Option<Value>>,
    file: Option<OpenFile>,
    /// Rows that are not encoded yet.
    waiting: Vec<Piece>,
    /// When it last got rows.
    last: u64,
    /// Was its file closed to make room for another?
    gave_way: bool,
}

impl Target {
    fn is_open(&self) -> bool {
        self.file.is_some() || !self.waiting.is_empty()
    }
}

/// The files of one writer.
pub(super) struct Fanout {
    store: Arc<dyn Store>,
    recipe: WriteRecipe,
    purpose: Arc<Purpose>,
    layout: WriteLayout,
    threads: Threads,
    /// Bytes that all units together may take in memory.
    memory: u64,
    /// `00003-task-write`: the prefix of the files' names.
    name: String,
    number: u64,
    targets: Vec<Target>,
    by_key: HashMap<PartitionKey, usize>,
    written: Vec<WrittenFile>,
    begun: Vec<String>,
    /// Counts [`Fanout::add`].
    moment: u64,
    /// Did partitions come one after another so far, as in sorted rows?
    is_clustered: bool,
    progress: Arc<WriteProgress>,
}

impl Fanout {
    pub fn new(
        store: Arc<dyn Store>,
        recipe: &WriteRecipe,
        layout: WriteLayout,
        threads: Threads,
        memory: u64,
        name: String,
    ) -> Self {
        Self {
            store,
            recipe: recipe.clone(),
            purpose: Arc::new(recipe.purpose()),
            layout,
            threads,
            memory,
            name,
            number: 0,
            targets: Vec::new(),
            by_key: HashMap::new(),
            written: Vec::new(),
            begun: Vec::new(),
            moment: 0,
            is_clustered: true,
            progress: Arc::default(),
        }
    }

    /// From now on, reports how far the write is.
    pub fn report_to(&mut self, progress: &Arc<WriteProgress>) {
        self.progress = Arc::clone(progress);
    }

    /// The number of a partition, always the same.
    pub fn number(&mut self, partition: Partition) -> u32 {
        let next = self.targets.len();
        let place = *self.by_key.entry(partition.key).or_insert(next);
        if place == next {
            let values = partition.values;
            let target = Target { values, file: None, waiting: Vec::new(), last: 0, gave_way: false };
            self.targets.push(target);
        }
        place as u32
    }

    /// Takes rows of a partition, which [`Fanout::encode`] encodes; returns them if too many files are open.
    ///
    /// If partitions came one after another, the file that waited longest is closed for the new one.
    pub fn add(&mut self, number: u32, rows: Piece) -> Result<Option<Piece>> {
        let place = number as usize;
        if !self.targets[place].is_open() {
            self.is_clustered &= !self.targets[place].gave_way;
            if self.targets.iter().filter(|target| target.is_open()).count() >= self.most_open() {
                if !self.is_clustered {
                    return Ok(Some(rows));
                }
                self.make_room()?;
            }
        }
        self.moment += 1;
        let target = &mut self.targets[place];
        target.last = self.moment;
        target.waiting.push(rows);
        Ok(None)
    }

    /// How many files may be open: their columns take at most half of the memory, besides their values.
    fn most_open(&self) -> usize {
        let of_file = self.layout.file.file_memory().max(1);
        usize::try_from(self.memory / 2 / of_file).unwrap_or(MOST_OPEN).clamp(1, MOST_OPEN)
    }

    /// Closes the file that waited longest.
    fn make_room(&mut self) -> Result<()> {
        let open = self.targets.iter().enumerate().filter(|(_, target)| target.is_open());
        let Some((place, _)) = open.min_by_key(|(_, target)| target.last) else { return Ok(()) };
        if !self.targets[place].waiting.is_empty() {
            self.encode()?;
        }
        let target = &mut self.targets[place];
        target.gave_way = true;
        let location = target.file.as_ref().map(|file| file.location().to_owned());
        self.finish(|file| Some(file.location()) == location.as_deref())
    }

    /// Sets the layout of files that are started from now on.
    pub fn store_as(&mut self, layout: &Arc<dyn FileLayout>) {
        self.layout.file = Arc::clone(layout);
    }

    /// From now on, the rows of a partition come together: its file may be closed when the next one starts.
    pub fn cluster(&mut self) {
        self.is_clustered = true;
        self.targets.iter_mut().for_each(|target| target.gave_way = false);
    }

    /// Encodes all waiting rows, and ends units and files when they are full.
    pub fn encode(&mut self) -> Result<()> {
        while self.encode_some()? {}
        self.free_memory()
    }

    /// Encodes as many rows of each partition as its unit has room for. Were there any?
    fn encode_some(&mut self) -> Result<bool> {
        for place in 0..self.targets.len() {
            if !self.targets[place].waiting.is_empty() && self.targets[place].file.is_none() {
                self.open(place)?;
            }
        }
        let file_size = self.layout.file_size;
        let mut given: Vec<_> = self
            .targets
            .iter_mut()
            .filter_map(|target| {
                let file = target.file.as_mut().filter(|_| !target.waiting.is_empty())?;
                let pieces = take_room(file.as_ref(), &mut target.waiting, file_size);
                Some((file, pieces))
            })
            .collect();
        if given.is_empty() {
            return Ok(false);
        }
        let rows = given.iter().flat_map(|(_, pieces)| pieces).map(|piece| piece.rows).sum();
        self.threads.encode(&mut given)?;
        self.progress.add_rows(rows);
        let full = given.into_iter().map(|(file, _)| file).filter(|file| file.is_unit_full());
        self.threads.end_units(full.collect())?;
        self.finish(|file| file.size() >= file_size)?;
        Ok(true)
    }

    /// Ends the largest units until the others fit into memory.
    fn free_memory(&mut self) -> Result<()> {
        let open = self.targets.iter_mut().filter_map(|target| target.file.as_mut());
        let mut files: Vec<_> = open.map(|file| (file.memory(), file)).collect();
        let mut memory: u64 = files.iter().map(|(memory, _)| memory).sum();
        files.sort_by_key(|(memory, _)| std::cmp::Reverse(*memory));
        let mut largest = Vec::new();
        for (of_file, file) in files {
            if memory <= self.memory {
                break;
            }
            memory -= of_file;
            largest.push(file);
        }
        self.threads.end_units(largest)
    }

    fn open(&mut self, place: usize) -> Result<()> {
        self.number += 1;
        let name = format!("{}-{:05}.{}", self.name, self.number, self.layout.file.format());
        let target = &self.targets[place];
        let location = self.layout.locations.of(&self.recipe.spec, &target.values, &name);
        let layout = Arc::clone(&self.layout.file).for_file(&target.waiting)?;
        let has_room = self.has_room(layout.as_ref());
        let layout = if has_room { layout } else { Arc::clone(&self.layout.file) };
        let opened = layout.create(self.store.as_ref(), &location);
        // If the answer of the store was lost, the file may still exist; it cannot be another writer's.
        if !opened.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
            self.begun.push(location);
        }
        self.targets[place].file = Some(opened?);
        Ok(())
    }

    /// Do the columns of one more file take no more than half of the memory, with those of the files that are open?
    ///
    /// A file whose layout was adapted to its rows may have hundreds of additional columns.
    fn has_room(&self, layout: &dyn FileLayout) -> bool {
        let open = self.targets.iter().filter_map(|target| target.file.as_ref());
        open.map(|file| file.file_memory()).sum::<u64>() + layout.file_memory() <= self.memory / 2
    }

    /// Ends the files that are so.
    fn finish(&mut self, is_over: impl Fn(&dyn FileWriter) -> bool) -> Result<()> {
        let (mut files, mut described) = (Vec::new(), Vec::new());
        for target in &mut self.targets {
            if target.file.as_deref().is_some_and(&is_over)
                && let Some(file) = target.file.take()
            {
                let named = DataFile::new(file.location(), self.layout.file.format());
                described.push(DataFile { partition: target.values.clone(), ..named });
                files.push(file);
            }
        }
        let metrics = self.threads.finish(files)?;
        self.progress.add_files(metrics.len());
        for (file, metrics) in described.into_iter().zip(metrics) {
            let mut written = written_file(&self.layout, &self.purpose, file, metrics);
            written.file = with_sealed_key(self.store.as_ref(), written.file)?;
            self.written.push(written);
        }
        Ok(())
    }

    /// Closes all files. Their locations are forgotten: the files now belong to the caller.
    pub fn finish_all(&mut self) -> Result<Vec<WrittenFile>> {
        self.encode()?;
        self.finish(|_| true)?;
        self.begun.clear();
        Ok(mem::take(&mut self.written))
    }

    /// Removes all started files, as far as the store allows.
    pub fn remove_all(&mut self) {
        self.targets.clear();
        for location in self.begun.drain(..) {
            // If this fails, the file is an orphan: nothing refers to it.
            let _ = self.store.remove(&location);
        }
    }
}

/// A file with its key, sealed, if the table is encrypted: only a commit opens it.
pub(super) fn with_sealed_key(store: &dyn Store, file: DataFile) -> Result<DataFile> {
    match store.keys() {
        Some(keys) => {
            let length = u64::try_from(file.file_size_in_bytes).unwrap_or(0);
            Ok(DataFile { key_metadata: keys.sealed_key_of(&file.file_path, length)?, ..file })
        }
        None => Ok(file),
    }
}

/// A file of a write that has ended.
pub(super) fn written_file(
    layout: &WriteLayout,
    purpose: &Arc<Purpose>,
    file: DataFile,
    metrics: FileMetrics,
) -> WrittenFile {
    let file = DataFile { sort_order_id: Some(layout.sort_order_id), ..with_metrics(file, metrics) };
    WrittenFile { spec_id: purpose.spec.spec_id, file, purpose: Some(Arc::clone(purpose)) }
}

/// A file with its metrics.
pub fn with_metrics(file: DataFile, metrics: FileMetrics) -> DataFile {
    DataFile {
        record_count: metrics.record_count,
        file_size_in_bytes: metrics.file_size_in_bytes,
        column_sizes: metrics.column_sizes,
        value_counts: metrics.value_counts,
        null_value_counts: metrics.null_value_counts,
        nan_value_counts: metrics.nan_value_counts,
        lower_bounds: metrics.lower_bounds,
        upper_bounds: metrics.upper_bounds,
        split_offsets: metrics.split_offsets,
        ..file
    }
}

/// Takes as many waiting rows as the unit and the file have room for.
pub(crate) fn take_room(file: &dyn FileWriter, waiting: &mut Vec<Piece>, file_size: u64) -> Vec<Piece> {
    let mut left = usize::try_from(file.room(Waiting::of(waiting), file_size)).unwrap_or(usize::MAX).max(1);
    let mut taken = Vec::new();
    let mut rest = Vec::new();
    for piece in waiting.drain(..) {
        if piece.rows <= left {
            left -= piece.rows;
            taken.push(piece);
        } else if left > 0 {
            taken.push(piece.slice(0, left));
            rest.push(piece.slice(left, piece.rows - left));
            left = 0;
        } else {
            rest.push(piece);
        }
    }
    *waiting = rest;
    taken
}
