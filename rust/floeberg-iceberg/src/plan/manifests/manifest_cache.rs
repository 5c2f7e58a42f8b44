//! Which manifests were decoded before?
//!
//! In: a row of a manifest list, the partition type of its spec, and the columns whose statistics are wanted. Out: its entries,
//! if they are there. What was made of delete manifests stands beside them: see [`super::kept_deletes`].
//!
//! Files never change, so that what was decoded once stays right, unless a column that files are partitioned by has another
//! type since: commits hand the cache on with new metadata. Of manifests that do not all fit those of a plan that
//! is being made are not driven out by others of it: going through a table that is too large again finds as many as fit.
//!
//! Invariant: no more bytes than the bound; in a child of the process that made it, it is empty and takes nothing, since
//! a thread of the parent may have held its lock when the child was made.

use std::collections::{BTreeSet, HashMap};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use floeberg_core::schema::StructType;

use super::kept_deletes::KeptIndex;
use crate::manifest::{ManifestFile, StretchEntries};
use crate::plan::deletes::attach::AttachedDeletes;

/// Decoded manifests of a table.
#[derive(Debug)]
pub struct ManifestCache {
    most_bytes: u64,
    made_in: u32,
    state: Mutex<State>,
}

/// Counts the uses of a cache: a number for each plan, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Use(u64);

/// What a cache knows of a manifest.
#[derive(Debug)]
pub(crate) enum Found {
    /// All its stretches, with the statistics that are wanted.
    Whole(Vec<Arc<StretchEntries>>),
    /// Not that. It has statistics of these columns, which are to be decoded too if it is to be replaced.
    Without(Vec<i32>),
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub manifests: HashMap<String, Cached>,
    /// What was made of delete manifests, by number.
    pub indexes: HashMap<u64, KeptIndex>,
    /// What is held by when it was used last.
    pub by_use: BTreeSet<(Use, Held)>,
    pub bytes: u64,
    uses: u64,
    numbered: u64,
}

/// A thing that is held, and dropped as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    /// The manifest of a path.
    Manifest(String),
    /// The index of a number.
    Index(u64),
}

#[derive(Debug)]
pub(super) struct Cached {
    /// The row of the manifest list: entries inherit from it.
    manifest: ManifestFile,
    /// The type that partition values were decoded to.
    partition_type: StructType,
    /// The columns whose statistics were decoded, ascending.
    statistics_of: Vec<i32>,
    /// By their numbers; `None` where one was not decoded yet.
    pub stretches: Vec<Option<Arc<StretchEntries>>>,
    /// What the files of a stretch have by an index, by the number of both.
    pub attached: HashMap<(u64, usize), Arc<AttachedDeletes>>,
    pub bytes: u64,
    used: Use,
}

impl ManifestCache {
    /// An empty cache of at most so many bytes; 0 turns it off.
    pub fn new(most_bytes: u64) -> Self {
        Self { most_bytes, made_in: process::id(), state: Mutex::default() }
    }

    /// One that another process made.
    #[cfg(test)]
    pub(crate) fn of_another_process(most_bytes: u64) -> Self {
        Self { made_in: 0, ..Self::new(most_bytes) }
    }

    /// Begins to use it for one plan.
    pub(crate) fn begin(&self) -> Use {
        let Some(mut state) = self.lock() else { return Use(0) };
        state.uses += 1;
        Use(state.uses)
    }

    /// The entries of a manifest, with partition values of a type and statistics of these columns, which are ascending.
    pub(crate) fn find(
        &self,
        used: Use,
        manifest: &ManifestFile,
        partition_type: &StructType,
        statistics_of: &[i32],
    ) -> Found {
        let Some(mut state) = self.lock() else { return Found::Without(Vec::new()) };
        let Some(cached) = state.manifests.get(&manifest.manifest_path) else {
            return Found::Without(Vec::new());
        };
        if !cached.is_of(manifest, partition_type) {
            return Found::Without(Vec::new());
        }
        let has_statistics = statistics_of.iter().all(|id| cached.statistics_of.binary_search(id).is_ok());
        let stretches = cached.stretches.iter().cloned().collect::<Option<Vec<_>>>();
        match stretches.filter(|_| has_statistics) {
            Some(stretches) => {
                state.touch(&Held::Manifest(manifest.manifest_path.clone()), used);
                Found::Whole(stretches)
            }
            None => Found::Without(cached.statistics_of.clone()),
        }
    }

    /// Keeps a stretch of a manifest, the one of a number among so many, with partition values of a type and statistics of these
    /// columns.
    pub(crate) fn keep(
        &self,
        used: Use,
        (manifest, partition_type): (&ManifestFile, &StructType),
        statistics_of: &[i32],
        (number, stretches): (usize, usize),
        entries: &Arc<StretchEntries>,
    ) {
        let bytes = entries.memory();
        if bytes > self.most_bytes {
            return;
        }
        let Some(mut state) = self.lock() else { return };
        let is_same = state.manifests.get(&manifest.manifest_path).is_some_and(|cached| {
            cached.is_of(manifest, partition_type)
                && cached.statistics_of == statistics_of
                && cached.stretches.len() == stretches
        });
        let held = Held::Manifest(manifest.manifest_path.clone());
        if !is_same {
            state.remove(&held);
        }
        if !state.make_room(self.most_bytes.saturating_sub(bytes), used) {
            return;
        }
        if !state.manifests.contains_key(&manifest.manifest_path) {
            let cached = Cached {
                manifest: manifest.clone(),
                partition_type: partition_type.clone(),
                statistics_of: statistics_of.to_vec(),
                stretches: vec![None; stretches],
                attached: HashMap::new(),
                bytes: 0,
                used,
            };
            state.by_use.insert((used, held.clone()));
            state.manifests.insert(manifest.manifest_path.clone(), cached);
        }
        state.touch(&held, used);
        let Some(cached) = state.manifests.get_mut(&manifest.manifest_path) else { return };
        if let Some(place @ None) = cached.stretches.get_mut(number) {
            *place = Some(Arc::clone(entries));
            cached.bytes += bytes;
            state.bytes += bytes;
        }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        self.lock().map_or(0, |state| state.bytes)
    }

    /// At most so many bytes are held.
    pub(super) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    pub(super) fn lock(&self) -> Option<MutexGuard<'_, State>> {
        let is_used = self.most_bytes > 0 && self.made_in == process::id();
        is_used.then(|| self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Cached {
    fn is_of(&self, manifest: &ManifestFile, partition_type: &StructType) -> bool {
        self.manifest == *manifest && self.partition_type == *partition_type
    }

    /// Are these, and no others, the entries of the stretch of a number?
    pub fn holds(&self, (number, entries): (usize, &Arc<StretchEntries>)) -> bool {
        let held = self.stretches.get(number).and_then(Option::as_ref);
        held.is_some_and(|held| Arc::ptr_eq(held, entries))
    }
}

impl State {
    /// A number that no index had.
    pub fn next_index(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// Notes that a thing is used.
    pub fn touch(&mut self, held: &Held, used: Use) {
        let last = match held {
            Held::Manifest(path) => self.manifests.get_mut(path).map(|cached| &mut cached.used),
            Held::Index(number) => self.indexes.get_mut(number).map(|index| &mut index.used),
        };
        let Some(last) = last.filter(|last| **last < used) else { return };
        let before = std::mem::replace(last, used);
        self.by_use.remove(&(before, held.clone()));
        self.by_use.insert((used, held.clone()));
    }

    /// Drops a thing, and what was made with it.
    pub fn remove(&mut self, held: &Held) {
        let gone = match held {
            Held::Manifest(path) => self.manifests.remove(path).map(|cached| (cached.bytes, cached.used)),
            Held::Index(number) => {
                for cached in self.manifests.values_mut() {
                    let gone = cached.attached.extract_if(|(index, _), _| index == number);
                    let bytes = gone.map(|(_, attached)| attached.memory()).sum::<u64>();
                    cached.bytes -= bytes;
                    self.bytes -= bytes;
                }
                self.indexes.remove(number).map(|index| (index.bytes, index.used))
            }
        };
        if let Some((bytes, used)) = gone {
            self.bytes -= bytes;
            self.by_use.remove(&(used, held.clone()));
        }
    }

    /// Drops what this use did not touch, the longest unused first, until at most so many bytes are held.
    pub fn make_room(&mut self, most_bytes: u64, used: Use) -> bool {
        while self.bytes > most_bytes {
            let oldest = self.by_use.first().cloned();
            let Some((_, held)) = oldest.filter(|(last, _)| *last < used) else { return false };
            self.remove(&held);
        }
        true
    }
}
