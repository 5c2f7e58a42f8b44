//! Which files are being written, and when do they end?
//!
//! In: rows by partition. Out: files of about the size that the table asks for.
//!
//! Invariant: every location that was begun is remembered until the write ends, so that it can be removed.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{ErrorKind, Result};
use floeberg_io::Store;

use super::encode::Threads;
use super::form::Form;
use super::parquet::{FileForm, OpenFile, Piece};
use super::split::Partition;
use super::{Purpose, WriteRecipe, WrittenFile};

/// The id of the order that is none.
const UNSORTED: i32 = 0;

/// Files that are written at once, at most: each has buffers for all of its columns.
const MOST_OPEN: usize = 128;

/// A partition that rows are written to.
struct Target {
    values: Vec<Option<Value>>,
    file: Option<OpenFile>,
    /// Rows that are not encoded yet.
    waiting: Vec<Piece>,
    /// When rows last came.
    last: u64,
    /// Was its file ended to make room for another?
    gave_way: bool,
}

impl Target {
    fn is_open(&self) -> bool {
        self.file.is_some() || !self.waiting.is_empty()
    }
}

/// The files of one writer.
pub(super) struct OpenFiles {
    store: Arc<dyn Store>,
    recipe: WriteRecipe,
    purpose: Arc<Purpose>,
    form: Form,
    threads: Threads,
    /// Bytes that row groups may take in memory, together.
    memory: u64,
    /// `00003-task-write`: what the files' names begin with.
    name: String,
    number: u64,
    targets: Vec<Target>,
    by_key: HashMap<PartitionKey, usize>,
    written: Vec<WrittenFile>,
    begun: Vec<String>,
    /// Counts [`OpenFiles::add`].
    moment: u64,
    /// Have partitions come one after another so far, as when rows are sorted by them?
    is_clustered: bool,
}

impl OpenFiles {
    pub fn new(
        store: Arc<dyn Store>,
        recipe: &WriteRecipe,
        form: Form,
        threads: Threads,
        memory: u64,
        name: String,
    ) -> Self {
        Self {
            store,
            recipe: recipe.clone(),
            purpose: Arc::new(recipe.purpose()),
            form,
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
        }
    }

    /// The number of a partition, the same whenever it comes.
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

    /// Takes rows of a partition, to be encoded by [`OpenFiles::encode`]; gives them back where too many files are open.
    ///
    /// Where partitions have come one after another the file that has waited longest is ended for the new one.
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

    /// How many files may be open: their columns take half of the memory at most, beside their values.
    fn most_open(&self) -> usize {
        let of_file = self.form.file.column_memory().max(1);
        usize::try_from(self.memory / 2 / of_file).unwrap_or(MOST_OPEN).clamp(1, MOST_OPEN)
    }

    /// Ends the file that has waited longest.
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

    /// How files are stored that are begun from here on.
    pub fn store_as(&mut self, form: &Arc<FileForm>) {
        self.form.file = Arc::clone(form);
    }

    /// From here on the rows of a partition come together: its file may be ended when the next one begins.
    pub fn cluster(&mut self) {
        self.is_clustered = true;
        self.targets.iter_mut().for_each(|target| target.gave_way = false);
    }

    /// Encodes all rows that wait, ending row groups and files as they are full.
    pub fn encode(&mut self) -> Result<()> {
        while self.encode_some()? {}
        self.free_memory()
    }

    /// Encodes of each partition what its row group has room for. Was there anything?
    fn encode_some(&mut self) -> Result<bool> {
        for place in 0..self.targets.len() {
            if !self.targets[place].waiting.is_empty() && self.targets[place].file.is_none() {
                self.open(place)?;
            }
        }
        let form = &self.form;
        let mut given: Vec<_> = self
            .targets
            .iter_mut()
            .filter_map(|target| {
                let file = target.file.as_mut().filter(|_| !target.waiting.is_empty())?;
                let pieces = take_room(file, &mut target.waiting, form);
                Some((file, pieces))
            })
            .collect();
        if given.is_empty() {
            return Ok(false);
        }
        self.threads.encode(&mut given)?;
        let full = given.into_iter().map(|(file, _)| file).filter(|file| is_group_full(file, form));
        self.threads.end_groups(full.collect())?;
        let file_size = self.form.file_size;
        self.finish(|file| file.size() >= file_size)?;
        Ok(true)
    }

    /// Ends the largest row groups until the others fit into memory.
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
        self.threads.end_groups(largest)
    }

    fn open(&mut self, place: usize) -> Result<()> {
        self.number += 1;
        let name = format!("{}-{:05}.parquet", self.name, self.number);
        let target = &self.targets[place];
        let location = self.form.locations.of(&self.recipe.spec, &target.values, &name);
        let form = self.form.file.for_file(&target.waiting)?;
        let form = if self.has_room(&form) { &form } else { &self.form.file };
        let opened = OpenFile::create(self.store.as_ref(), location.clone(), form);
        // Where the answer of the store is lost there may be a file all the same; but not one of another writer.
        if !opened.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
            self.begun.push(location);
        }
        self.targets[place].file = Some(opened?);
        Ok(())
    }

    /// Do the columns of one more file take no more than half of the memory, with those of the files that are open?
    ///
    /// A file whose variants are shredded may have hundreds of columns that nobody asked for.
    fn has_room(&self, form: &FileForm) -> bool {
        let open = self.targets.iter().filter_map(|target| target.file.as_ref());
        open.map(OpenFile::column_memory).sum::<u64>() + form.column_memory() <= self.memory / 2
    }

    /// Ends the files that are so.
    fn finish(&mut self, is_over: impl Fn(&OpenFile) -> bool) -> Result<()> {
        let (mut files, mut partitions) = (Vec::new(), Vec::new());
        for target in &mut self.targets {
            if target.file.as_ref().is_some_and(&is_over)
                && let Some(file) = target.file.take()
            {
                files.push(file);
                partitions.push(target.values.clone());
            }
        }
        let described = self.threads.finish(files)?;
        for (mut file, partition) in described.into_iter().zip(partitions) {
            file.partition = partition;
            file.sort_order_id =
                Some(if self.form.keys.is_some() { self.recipe.order.order_id } else { UNSORTED });
            let purpose = Some(Arc::clone(&self.purpose));
            self.written.push(WrittenFile { spec_id: self.recipe.spec.spec_id, file, purpose });
        }
        Ok(())
    }

    /// Ends all files. What they are named is forgotten: they are the caller's.
    pub fn finish_all(&mut self) -> Result<Vec<WrittenFile>> {
        self.encode()?;
        self.finish(|_| true)?;
        self.begun.clear();
        Ok(mem::take(&mut self.written))
    }

    /// Removes all that was begun, as far as the store lets it.
    pub fn remove_all(&mut self) {
        self.targets.clear();
        for location in self.begun.drain(..) {
            // It is an orphan where this fails: nothing refers to it.
            let _ = self.store.remove(&location);
        }
    }
}

/// Is the row group as large as the table asks for? As Iceberg Java, two rows early.
fn is_group_full(file: &OpenFile, form: &Form) -> bool {
    let (size, rows) = (file.group_weight(), file.group_rows());
    let layout = form.file.layout();
    rows >= layout.row_group_rows && size.saturating_add(2 * size / rows.max(1)) >= layout.row_group_size
}

/// Takes of the rows that wait what the row group has room for, and the file; at least the fewest of a row group.
fn take_room(file: &OpenFile, waiting: &mut Vec<Piece>, form: &Form) -> Vec<Piece> {
    let layout = form.file.layout();
    let (all_rows, all_bytes) =
        waiting.iter().fold((0, 0), |(rows, bytes), piece| (rows + piece.rows as u64, bytes + piece.bytes));
    let rows = file.group_rows();
    // How many rows the rest of a size has room for. Rows are seldom larger encoded than they are in memory.
    let room = |of: u64, used: u64, group: u64| {
        let row_size =
            if rows > 0 { group as f64 / rows as f64 } else { all_bytes as f64 / all_rows.max(1) as f64 };
        (of.saturating_sub(used) as f64 / row_size.max(f64::MIN_POSITIVE)) as u64
    };
    let in_group = room(layout.row_group_size, file.group_weight(), file.group_weight());
    let in_file = room(form.file_size, file.size(), file.group_size());
    let most = layout.rows_between_checks.unwrap_or(u64::MAX);
    let mut left = in_group.min(in_file).max(layout.row_group_rows).min(most) as usize;
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
