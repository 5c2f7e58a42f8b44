//! Which deletes apply to a data file?
//!
//! In: the live entries of all delete manifests. Out: for a data file, the numbers of the delete files that apply.
//! Spec: Scan Planning (scope rules).
//!
//! Invariant: every delete that the scope rules name is found; one whose scope contradicts itself is an error, never
//! ignored.

use std::collections::HashMap;
use std::sync::Arc;

use floeberg_core::expr::{ColumnStats, Stats};
use floeberg_core::value::PartitionKey;
use floeberg_core::{Error, Result};
use floeberg_io::place;

use super::key_stats::{KeyColumn, LazyStats};
use super::tally::{NamedTest, Tally};
use super::{DeleteCounts, DeleteFile, DeleteKind};

/// A partition: the spec's id and the key of the values.
pub(crate) type Partition = (i32, PartitionKey);

/// A delete file, with what the scope rules look at.
#[derive(Debug)]
pub(crate) struct IndexedDelete {
    /// The file.
    pub file: Arc<DeleteFile>,
    /// Where it stands.
    pub partition: Partition,
    /// Is its spec unpartitioned? Then an equality delete reaches every partition.
    pub unpartitioned: bool,
    /// Position deletes: no deleted path is smaller.
    pub lowest_path: Option<String>,
    /// Position deletes: no deleted path is larger.
    pub highest_path: Option<String>,
    /// Equality deletes: what is known of key columns, by field id.
    pub keys: Vec<(i32, ColumnStats)>,
}

/// The data file that deletes are looked up for.
#[derive(Clone, Copy)]
pub(crate) struct DataFile<'a> {
    /// The location, as written.
    pub path: &'a str,
    /// Its data sequence number.
    pub sequence_number: i64,
    /// Its spec.
    pub spec_id: i32,
    /// The key of its partition values.
    pub partition_key: &'a PartitionKey,
    /// What is known of its columns.
    pub stats: &'a dyn Stats,
}

/// Deletes by what they are looked up by, each list sorted by sequence number.
#[derive(Debug, Default)]
pub(crate) struct DeleteIndex {
    deletes: Vec<IndexedDelete>,
    vectors: HashMap<String, Vec<u32>>,
    by_path: HashMap<String, Vec<u32>>,
    positions: HashMap<i32, HashMap<PartitionKey, Vec<u32>>>,
    equalities: HashMap<i32, HashMap<PartitionKey, Vec<u32>>>,
    global: Vec<u32>,
    /// The columns that equality deletes are told apart by.
    columns: Vec<KeyColumn>,
    /// For each delete what is known of these columns, by their number.
    keys: Vec<Vec<(usize, ColumnStats)>>,
}

impl DeleteIndex {
    /// Sorts the deletes by what they are looked up by. Of columns that are not given statistics are not used.
    pub fn new(mut deletes: Vec<IndexedDelete>, columns: Vec<KeyColumn>) -> Self {
        let mut order: Vec<u32> = (0..deletes.len() as u32).collect();
        order.sort_by_key(|number| deletes[*number as usize].file.data_sequence_number);
        let number_of = |id: i32| columns.iter().position(|column| column.id == id);
        let numbered = |(id, stats): (i32, ColumnStats)| Some((number_of(id)?, stats));
        let keys = deletes
            .iter_mut()
            .map(|delete| std::mem::take(&mut delete.keys).into_iter().filter_map(numbered).collect())
            .collect();
        let mut index = Self { keys, ..Self::default() };
        for number in order {
            let delete = &deletes[number as usize];
            let (spec_id, key) = &delete.partition;
            let list = match (&delete.file.kind, delete.scope_path()) {
                (DeleteKind::Vector { .. }, Some(path)) => {
                    index.vectors.entry(place(path).to_owned()).or_default()
                }
                (DeleteKind::Position, Some(path)) => {
                    index.by_path.entry(place(path).to_owned()).or_default()
                }
                (DeleteKind::Position | DeleteKind::Vector { .. }, None) => {
                    index.positions.entry(*spec_id).or_default().entry(key.clone()).or_default()
                }
                (DeleteKind::Equality { .. }, _) if delete.unpartitioned => &mut index.global,
                (DeleteKind::Equality { .. }, _) => {
                    index.equalities.entry(*spec_id).or_default().entry(key.clone()).or_default()
                }
            };
            list.push(number);
        }
        index.deletes = deletes;
        index.columns = columns;
        index
    }

    /// Are there no deletes at all?
    pub fn is_empty(&self) -> bool {
        self.deletes.is_empty()
    }

    /// Counts the marked delete files by kind.
    pub fn count(&self, marked: &[bool]) -> DeleteCounts {
        let mut counts = DeleteCounts::default();
        for (delete, _) in self.deletes.iter().zip(marked).filter(|(_, marked)| **marked) {
            match delete.file.kind {
                DeleteKind::Position => counts.position += 1,
                DeleteKind::Equality { .. } => counts.equality += 1,
                DeleteKind::Vector { .. } => counts.vectors += 1,
            }
        }
        counts
    }

    /// The columns of data files whose statistics tell equality deletes apart.
    pub fn key_columns(&self) -> impl Iterator<Item = i32> {
        self.columns.iter().map(|column| column.id)
    }

    /// These columns as tests, in the order of their numbers.
    pub fn key_tests(&self) -> Vec<NamedTest> {
        let test = |name: &String| NamedTest { text: name.clone(), columns: vec![name.clone()] };
        self.columns.iter().map(|column| test(&column.name)).collect()
    }

    /// Are there equality deletes?
    pub fn has_equalities(&self) -> bool {
        !self.global.is_empty() || !self.equalities.is_empty()
    }

    /// All delete files, by number.
    pub fn files(&self) -> Vec<Arc<DeleteFile>> {
        self.deletes.iter().map(|delete| Arc::clone(&delete.file)).collect()
    }

    /// May the deletes of a data file depend on its partition? If not, any key finds the same ones.
    pub fn depends_on_partition(&self, path: &str, spec_id: i32) -> bool {
        let path = place(path);
        self.positions.contains_key(&spec_id)
            || self.equalities.contains_key(&spec_id)
            || self.vectors.contains_key(path)
            || self.by_path.contains_key(path)
    }

    /// Appends the numbers of the deletes that apply to a data file. Counts the equality deletes whose scope it is in,
    /// and those whose keys it cannot have, by the number of a key column.
    ///
    /// Errors: `InvalidData` for two vectors of one data file, or a vector that stands in another partition than
    /// its data file.
    pub fn matching(&self, data: DataFile<'_>, found: &mut Vec<i32>, tally: &mut Tally) -> Result<()> {
        let path = place(data.path);
        let after = data.sequence_number.checked_add(1);
        let in_partition = self.equalities.get(&data.spec_id).and_then(|keys| keys.get(data.partition_key));
        let mut stats = LazyStats::new(data.stats, &self.columns);
        for delete in self.since(Some(&self.global), after).chain(self.since(in_partition, after)) {
            tally.enter(1);
            match stats.mismatch(&self.keys[delete as usize]) {
                None => found.push(delete as i32),
                Some((column, reason)) => {
                    tally.drop(column, reason, &self.deletes[delete as usize].file.file_path);
                }
            }
        }
        if let Some(vector) = self.vector(data, path)? {
            found.push(vector as i32);
            return Ok(());
        }
        for delete in self.since(self.by_path.get(path), Some(data.sequence_number)) {
            if self.in_partition_of(delete, data) {
                found.push(delete as i32);
            }
        }
        let in_partition = self.positions.get(&data.spec_id).and_then(|keys| keys.get(data.partition_key));
        for delete in self.since(in_partition, Some(data.sequence_number)) {
            if self.deletes[delete as usize].may_name(data.path) {
                found.push(delete as i32);
            }
        }
        Ok(())
    }

    fn vector(&self, data: DataFile<'_>, path: &str) -> Result<Option<u32>> {
        let mut vectors = self.since(self.vectors.get(path), Some(data.sequence_number));
        let Some(vector) = vectors.next() else { return Ok(None) };
        if let Some(second) = vectors.next() {
            return Err(Error::invalid_data("a data file has two deletion vectors, expected at most one")
                .with("path", data.path)
                .with("vector", &self.deletes[vector as usize].file.file_path)
                .with("other vector", &self.deletes[second as usize].file.file_path));
        }
        if !self.in_partition_of(vector, data) {
            return Err(Error::invalid_data(
                "a deletion vector names a data file of another partition than its own",
            )
            .with("path", data.path)
            .with("vector", &self.deletes[vector as usize].file.file_path));
        }
        Ok(Some(vector))
    }

    /// The deletes of a list whose sequence number is at least `sequence_number`; `None` is beyond the last one.
    fn since<'a>(
        &'a self,
        list: Option<&'a Vec<u32>>,
        sequence_number: Option<i64>,
    ) -> impl Iterator<Item = u32> + 'a {
        let list = list.map_or(&[][..], Vec::as_slice);
        let start = list.partition_point(|number| {
            let own = self.deletes[*number as usize].file.data_sequence_number;
            sequence_number.is_none_or(|least| own < least)
        });
        list[start..].iter().copied()
    }

    fn in_partition_of(&self, delete: u32, data: DataFile<'_>) -> bool {
        let (spec_id, key) = &self.deletes[delete as usize].partition;
        *spec_id == data.spec_id && key == data.partition_key
    }
}

impl IndexedDelete {
    /// Is it for all files of its partition, and not for one file or for all partitions?
    pub fn is_scoped_by_partition(&self) -> bool {
        match self.file.kind {
            DeleteKind::Equality { .. } => !self.unpartitioned,
            DeleteKind::Position | DeleteKind::Vector { .. } => self.scope_path().is_none(),
        }
    }

    /// The one data file it is for: the one it names, or the one its path bounds name (Delete File Stats).
    fn scope_path(&self) -> Option<&str> {
        if let Some(path) = &self.file.referenced_data_file {
            return Some(path);
        }
        match (&self.lowest_path, &self.highest_path) {
            (Some(lowest), Some(highest)) if lowest == highest => Some(lowest),
            _ => None,
        }
    }

    /// Do its path bounds allow that it deletes rows of a file? Bounds may be cut short, upper ones upward, and
    /// are compared only with paths that spell the local scheme alike.
    fn may_name(&self, path: &str) -> bool {
        let alike = |bound: &&str| local_spelling(bound) == local_spelling(path);
        self.lowest_path.as_deref().filter(alike).is_none_or(|lowest| lowest <= path)
            && self.highest_path.as_deref().filter(alike).is_none_or(|highest| path <= highest)
    }
}

/// Which way a path spells that it is local: `file:///x` 2, `file:/x` 1, `/x` and other schemes 0.
fn local_spelling(path: &str) -> usize {
    if path.starts_with("file://") { 2 } else { usize::from(path.starts_with("file:")) }
}
