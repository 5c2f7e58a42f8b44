//! Which manifests were decoded before?
//!
//! In: a row of a manifest list, the partition type of its spec, and the columns whose statistics are wanted. Out: its entries,
//! if they are there.
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

use crate::metadata::{ManifestFile, StretchEntries};

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
struct State {
    manifests: HashMap<String, Cached>,
    /// The manifests by when they were used last.
    by_use: BTreeSet<(Use, String)>,
    bytes: u64,
    uses: u64,
}

#[derive(Debug)]
struct Cached {
    /// The row of the manifest list: entries inherit from it.
    manifest: ManifestFile,
    /// The type that partition values were decoded to.
    partition_type: StructType,
    /// The columns whose statistics were decoded, ascending.
    statistics_of: Vec<i32>,
    /// By their numbers; `None` where one was not decoded yet.
    stretches: Vec<Option<Arc<StretchEntries>>>,
    bytes: u64,
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
                state.touch(&manifest.manifest_path, used);
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
        if !is_same {
            state.remove(&manifest.manifest_path);
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
                bytes: 0,
                used,
            };
            state.by_use.insert((used, manifest.manifest_path.clone()));
            state.manifests.insert(manifest.manifest_path.clone(), cached);
        }
        state.touch(&manifest.manifest_path, used);
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

    fn lock(&self) -> Option<MutexGuard<'_, State>> {
        let is_used = self.most_bytes > 0 && self.made_in == process::id();
        is_used.then(|| self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Cached {
    fn is_of(&self, manifest: &ManifestFile, partition_type: &StructType) -> bool {
        self.manifest == *manifest && self.partition_type == *partition_type
    }
}

impl State {
    fn touch(&mut self, path: &str, used: Use) {
        let Some(cached) = self.manifests.get_mut(path) else { return };
        let before = cached.used;
        if before < used {
            cached.used = used;
            self.by_use.remove(&(before, path.to_owned()));
            self.by_use.insert((used, path.to_owned()));
        }
    }

    fn remove(&mut self, path: &str) {
        if let Some(cached) = self.manifests.remove(path) {
            self.bytes -= cached.bytes;
            self.by_use.remove(&(cached.used, path.to_owned()));
        }
    }

    /// Drops manifests that this use did not touch, the longest unused first, until at most so many bytes are held.
    fn make_room(&mut self, most_bytes: u64, used: Use) -> bool {
        while self.bytes > most_bytes {
            let oldest = self.by_use.first().cloned();
            let Some((_, path)) = oldest.filter(|(last, _)| *last < used) else { return false };
            self.remove(&path);
        }
        true
    }
}
