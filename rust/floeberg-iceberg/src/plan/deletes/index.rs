//! Which deletes apply to a data file?
//!
//! In: the live entries of all delete manifests. Out: for a data file, the numbers of the delete files that apply.
//! Spec: Scan Planning (scope rules).
//!
//! Invariant: every delete that is in scope is found; a delete whose scope contradicts itself is an error, never
//! ignored. The cost of a file is that of the deletes that may apply to it.

use std::collections::HashMap;
use std::sync::Arc;

use floeberg_core::expr::{ColumnStats, Stats};
use floeberg_core::value::PartitionKey;
use floeberg_core::{Error, Result};
use floeberg_io::location::canonical;
use foldhash::fast::RandomState;

use super::by_path::ByPath;
use super::equality_list::EqualityList;
use super::indexed_delete::{IndexedDelete, Keys, memory_of};
use super::key_stats::{KeyColumn, LazyStats};
use super::position_list::PositionList;
use crate::manifest::{NamedTest, PruneCounts};
use crate::plan::{DeleteFile, DeleteKind};

/// The data file that deletes are looked up for.
#[derive(Clone, Copy)]
pub(crate) struct DataFile<'a> {
    /// The location, as written.
    pub path: &'a str,
    /// The first delete that names it: see [`DeleteIndex::named`].
    pub named: Option<u32>,
    /// Its data sequence number.
    pub sequence_number: i64,
    /// The deletes of its partition.
    pub partition: PartitionDeletes<'a>,
    /// The statistics of its columns.
    pub stats: &'a dyn Stats,
}

/// The deletes for all files of one partition.
#[derive(Clone, Copy)]
pub(crate) struct PartitionDeletes<'a> {
    spec_id: i32,
    key: &'a PartitionKey,
    scope: Option<&'a Scope>,
}

/// The deletes of one partition that may apply to any of its files.
#[derive(Debug, Default)]
struct Scope {
    positions: PositionList,
    equalities: EqualityList,
}

/// Deletes, by their look-up keys.
#[derive(Debug, Default)]
pub(crate) struct DeleteIndex {
    deletes: Vec<IndexedDelete>,
    by_path: ByPath,
    by_partition: HashMap<i32, HashMap<PartitionKey, Scope, RandomState>>,
    global: EqualityList,
    has_equalities: bool,
    /// The key columns of equality deletes whose statistics are used.
    columns: Vec<KeyColumn>,
    /// For each delete the statistics of these columns, by number.
    keys: Vec<Keys>,
}

impl DeleteIndex {
    /// Sorts the deletes by their look-up keys. Only statistics of the given columns are used.
    pub fn new(mut deletes: Vec<IndexedDelete>, columns: Vec<KeyColumn>) -> Self {
        let mut order: Vec<u32> = (0..deletes.len() as u32).collect();
        order.sort_by_key(|number| deletes[*number as usize].file.data_sequence_number);
        let number_of = |id: i32| columns.iter().position(|column| column.id == id);
        let numbered = |(id, stats): (i32, ColumnStats)| Some((number_of(id)?, stats));
        let keys: Vec<Keys> = deletes
            .iter_mut()
            .map(|delete| std::mem::take(&mut delete.keys).into_iter().filter_map(numbered).collect())
            .collect();
        let mut index = Self { by_path: ByPath::new(deletes.len()), ..Self::default() };
        for number in &order {
            let delete = &deletes[*number as usize];
            let (spec_id, key) = &delete.partition;
            let sequence_number = delete.file.data_sequence_number;
            let is_equality = matches!(delete.file.kind, DeleteKind::Equality { .. });
            index.has_equalities |= is_equality;
            if is_equality && delete.unpartitioned {
                index.global.push(*number, sequence_number);
            } else if is_equality || delete.scope_path().is_none() {
                let scopes = index.by_partition.entry(*spec_id).or_default();
                let scope = match scopes.get_mut(key) {
                    Some(scope) => scope,
                    None => scopes.entry(key.clone()).or_default(),
                };
                if is_equality {
                    scope.equalities.push(*number, sequence_number);
                } else {
                    scope.positions.push(*number, sequence_number);
                }
            }
        }
        for number in order.iter().rev() {
            let delete = &deletes[*number as usize];
            if let Some(path) = delete.scope_path() {
                index.by_path.put_first(canonical(path), *number);
            }
        }
        for scope in index.by_partition.values_mut().flat_map(HashMap::values_mut) {
            scope.positions.finish(&deletes);
            scope.equalities.finish(&keys);
        }
        index.global.finish(&keys);
        Self { deletes, columns, keys, ..index }
    }

    /// Are there no deletes at all?
    pub fn is_empty(&self) -> bool {
        self.deletes.is_empty()
    }

    /// About how many bytes it takes.
    pub fn memory(&self) -> u64 {
        let deletes: u64 = self.deletes.iter().map(IndexedDelete::memory).sum();
        deletes + self.keys.iter().map(memory_of).sum::<u64>()
    }

    /// The columns of data files whose statistics exclude equality deletes.
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
        self.has_equalities
    }

    /// All delete files, by number.
    pub fn files(&self) -> Vec<Arc<DeleteFile>> {
        self.deletes.iter().map(|delete| Arc::clone(&delete.file)).collect()
    }

    /// Does any partition of a spec have deletes for all of its files?
    pub fn is_scoped_by_partition(&self, spec_id: i32) -> bool {
        self.by_partition.contains_key(&spec_id)
    }

    /// The deletes for all files of a partition.
    pub fn partition<'a>(&'a self, spec_id: i32, key: &'a PartitionKey) -> PartitionDeletes<'a> {
        let scope = self.by_partition.get(&spec_id).and_then(|scopes| scopes.get(key));
        PartitionDeletes { spec_id, key, scope }
    }

    /// Does any delete name a data file?
    pub fn names_files(&self) -> bool {
        !self.by_path.is_empty()
    }

    /// The first delete that names a data file. Which of them apply depends on its partition.
    pub fn named(&self, path: &str) -> Option<u32> {
        self.all_named(self.by_path.first(canonical(path)), path).next()
    }

    /// Appends the numbers of the deletes that apply to a data file. Counts the equality deletes in its scope,
    /// and those whose keys it cannot have, by the number of a key column.
    ///
    /// Errors: `InvalidData` for two deletion vectors of one data file, and for a deletion vector that is older than its data file or
    /// in another partition.
    pub fn matching(&self, data: DataFile<'_>, found: &mut Vec<i32>, tally: &mut PruneCounts) -> Result<()> {
        if self.has_equalities {
            self.matching_equalities(data, found, tally);
        }
        if data.named.is_some() {
            if let Some(vector) = self.vector(data)? {
                found.push(vector as i32);
                return Ok(());
            }
            for delete in self.all_named(data.named, data.path) {
                let is_position = self.deletes[delete as usize].file.kind == DeleteKind::Position;
                if is_position && self.reaches(delete, data) && self.in_partition_of(delete, data) {
                    found.push(delete as i32);
                }
            }
        }
        if let Some(scope) = data.partition.scope {
            scope.positions.matching(data.path, data.sequence_number, &self.deletes, found);
        }
        Ok(())
    }

    fn matching_equalities(&self, data: DataFile<'_>, found: &mut Vec<i32>, tally: &mut PruneCounts) {
        let after = data.sequence_number.checked_add(1);
        let mut stats = LazyStats::new(data.stats, &self.columns);
        let in_partition = data.partition.scope.map(|scope| &scope.equalities);
        for list in [Some(&self.global), in_partition].into_iter().flatten() {
            list.matching(after, &mut stats, &self.keys, found, tally, |number| {
                &self.deletes[number as usize].file.file_path
            });
        }
    }

    fn vector(&self, data: DataFile<'_>) -> Result<Option<u32>> {
        let is_vector =
            |number: &u32| matches!(self.deletes[*number as usize].file.kind, DeleteKind::Vector { .. });
        let mut vectors = self.all_named(data.named, data.path).filter(is_vector);
        let Some(vector) = vectors.next() else { return Ok(None) };
        if let Some(second) = vectors.next() {
            return Err(Error::invalid_data("a data file has two deletion vectors, expected at most one")
                .with("path", data.path)
                .with("vector", &self.deletes[vector as usize].file.file_path)
                .with("other vector", &self.deletes[second as usize].file.file_path));
        }
        if !self.reaches(vector, data) {
            // By the specification it does not apply. But a vector is never older than its file, so one of the two is wrong.
            return Err(Error::invalid_data(format!(
                "a deletion vector of data sequence number {} names a data file of {}, expected one that is not newer",
                self.deletes[vector as usize].file.data_sequence_number, data.sequence_number
            ))
            .with("path", data.path)
            .with("vector", &self.deletes[vector as usize].file.file_path));
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

    /// The deletes that name a data file, from one on, by sequence number.
    fn all_named<'a>(&'a self, first: Option<u32>, path: &'a str) -> impl Iterator<Item = u32> + 'a {
        let is_its = |number: &u32| {
            self.deletes[*number as usize]
                .scope_path()
                .is_some_and(|named| canonical(named) == canonical(path))
        };
        self.by_path.chain(first).filter(is_its)
    }

    /// Is a position delete or vector not older than the data?
    fn reaches(&self, delete: u32, data: DataFile<'_>) -> bool {
        self.deletes[delete as usize].file.data_sequence_number >= data.sequence_number
    }

    fn in_partition_of(&self, delete: u32, data: DataFile<'_>) -> bool {
        let (spec_id, key) = &self.deletes[delete as usize].partition;
        *spec_id == data.partition.spec_id && key == data.partition.key
    }
}
