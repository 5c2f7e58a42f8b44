//! Which manifests were decoded before?
//!
//! In: a row of a manifest list, the partition type of its spec, and the columns whose statistics are wanted. Out: its entries,
//! if they are cached. Values derived from manifests can be cached too: on their own, or with the block ranges of a
//! manifest.
//!
//! Files never change, so decoded entries stay right, unless the type of a partition's source column changed: commits hand the
//! cache on with new metadata. A plan never evicts manifests that it used itself. So planning a table that is too large for the
//! cache again finds as many manifests as fit.
//!
//! Invariant: a derived value is dropped with its manifest. The cache holds no more bytes than its bound. In a forked child it is
//! empty and stores nothing, since a thread of the parent may have held its lock during the fork.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use floeberg_avro::ParsedSchemas;
use floeberg_core::schema::StructType;

use crate::manifest::{BlockEntries, ManifestFile};

/// Decoded manifests of a table.
#[derive(Debug)]
pub struct ManifestCache {
    most_bytes: u64,
    made_in: u32,
    state: Mutex<State>,
    schemas: Arc<ParsedSchemas>,
}

/// Counts the uses of a cache: a number for each plan, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Use(u64);

/// What a cache knows of a manifest.
#[derive(Debug)]
pub(crate) enum Found {
    /// All its block ranges, with the wanted statistics.
    Whole(Vec<Arc<BlockEntries>>),
    /// Only a part. It has statistics of these columns; a replacement must decode them too.
    Without(Vec<i32>),
}

/// A value that was derived from manifests. Only its maker knows the type.
type Made = Arc<dyn Any + Send + Sync>;

/// The most derived values: a look-up compares each.
const MOST_DERIVED: usize = 16;

#[derive(Debug, Default)]
struct State {
    manifests: HashMap<String, Cached>,
    /// Derived values, by number.
    derived: HashMap<u64, Derived>,
    /// Cached values, by last use.
    by_use: BTreeSet<(Use, Held)>,
    bytes: u64,
    uses: u64,
    numbered: u64,
}

/// A cached value, which is dropped as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// The manifest of a path.
    Manifest(String),
    /// The derived value of a number.
    Derived(u64),
}

#[derive(Debug)]
struct Derived {
    made: Made,
    bytes: u64,
    used: Use,
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
    ranges: Vec<Option<Arc<BlockEntries>>>,
    /// Values derived from a block range and another derived value, by both numbers, and their bytes.
    beside: HashMap<(u64, usize), (Made, u64)>,
    bytes: u64,
    used: Use,
}

impl ManifestCache {
    /// An empty cache of at most this many bytes; 0 turns it off.
    pub fn new(most_bytes: u64) -> Self {
        Self { most_bytes, made_in: process::id(), state: Mutex::default(), schemas: Arc::default() }
    }

    /// The Avro schemas of its manifests; a few, whatever the bound.
    pub(crate) fn schemas(&self) -> Arc<ParsedSchemas> {
        Arc::clone(&self.schemas)
    }

    /// A cache of another process.
    #[cfg(test)]
    pub(crate) fn of_another_process(most_bytes: u64) -> Self {
        Self { made_in: 0, ..Self::new(most_bytes) }
    }

    /// Starts the use by one plan.
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
        let ranges = cached.ranges.iter().cloned().collect::<Option<Vec<_>>>();
        match ranges.filter(|_| has_statistics) {
            Some(ranges) => {
                state.touch(&Held::Manifest(manifest.manifest_path.clone()), used);
                Found::Whole(ranges)
            }
            None => Found::Without(cached.statistics_of.clone()),
        }
    }

    /// Keeps a block range of a manifest, given by its number and how many there are, with partition values of a type and statistics of these
    /// columns.
    pub(crate) fn keep(
        &self,
        used: Use,
        (manifest, partition_type): (&ManifestFile, &StructType),
        statistics_of: &[i32],
        (number, ranges): (usize, usize),
        entries: &Arc<BlockEntries>,
    ) {
        let bytes = entries.memory();
        if bytes > self.most_bytes {
            return;
        }
        let Some(mut state) = self.lock() else { return };
        let is_same = state.manifests.get(&manifest.manifest_path).is_some_and(|cached| {
            cached.is_of(manifest, partition_type)
                && cached.statistics_of == statistics_of
                && cached.ranges.len() == ranges
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
                ranges: vec![None; ranges],
                beside: HashMap::new(),
                bytes: 0,
                used,
            };
            state.by_use.insert((used, held.clone()));
            state.manifests.insert(manifest.manifest_path.clone(), cached);
        }
        state.touch(&held, used);
        let Some(cached) = state.manifests.get_mut(&manifest.manifest_path) else { return };
        if let Some(place @ None) = cached.ranges.get_mut(number) {
            *place = Some(Arc::clone(entries));
            cached.bytes += bytes;
            state.bytes += bytes;
        }
    }

    /// A derived value that fits, with its number.
    pub(crate) fn find_derived<T: Any + Send + Sync>(
        &self,
        used: Use,
        fits: impl Fn(&T) -> bool,
    ) -> Option<(u64, Arc<T>)> {
        self.lock()?.find_derived(used, fits)
    }

    /// Keeps a derived value and returns its number; if another thread was faster, the value that is cached already.
    /// `None` if it is not kept.
    pub(crate) fn keep_derived<T: Any + Send + Sync>(
        &self,
        used: Use,
        made: &Arc<T>,
        bytes: u64,
        fits: impl Fn(&T) -> bool,
    ) -> Option<(u64, Arc<T>)> {
        let others = self.most_bytes.checked_sub(bytes)?;
        let mut state = self.lock()?;
        if let Some(known) = state.find_derived(used, fits) {
            return Some(known);
        }
        if state.derived.len() >= MOST_DERIVED {
            let (number, oldest) = state.derived.iter().min_by_key(|(_, derived)| derived.used)?;
            let number = (oldest.used < used).then_some(*number)?;
            state.remove(&Held::Derived(number));
        }
        if !state.make_room(others, used) {
            return None;
        }
        let number = state.next_number();
        state.derived.insert(number, Derived { made: Arc::clone(made) as Made, bytes, used });
        state.by_use.insert((used, Held::Derived(number)));
        state.bytes += bytes;
        Some((number, Arc::clone(made)))
    }

    /// The value derived from a block range and the derived value of a number.
    pub(crate) fn find_beside<T: Any + Send + Sync>(
        &self,
        derived: u64,
        manifest: &ManifestFile,
        blocks: (usize, &Arc<BlockEntries>),
    ) -> Option<Arc<T>> {
        let state = self.lock()?;
        let cached = state.manifests.get(&manifest.manifest_path)?;
        let (made, _) = cached.beside.get(&(derived, blocks.0)).filter(|_| cached.holds(blocks))?;
        Arc::clone(made).downcast().ok()
    }

    /// Keeps a value derived from a block range and a derived value, if both are cached.
    pub(crate) fn keep_beside<T: Any + Send + Sync>(
        &self,
        used: Use,
        derived: u64,
        manifest: &ManifestFile,
        blocks: (usize, &Arc<BlockEntries>),
        (made, bytes): (&Arc<T>, u64),
    ) {
        let Some(mut state) = self.lock() else { return };
        if bytes > self.most_bytes || !state.make_room(self.most_bytes - bytes, used) {
            return;
        }
        if !state.derived.contains_key(&derived) {
            return;
        }
        let Some(cached) = state.manifests.get_mut(&manifest.manifest_path) else { return };
        if !cached.holds(blocks) || cached.beside.contains_key(&(derived, blocks.0)) {
            return;
        }
        cached.beside.insert((derived, blocks.0), (Arc::clone(made) as Made, bytes));
        cached.bytes += bytes;
        state.bytes += bytes;
    }

    /// Bytes in the cache.
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

    /// Are these, and no others, the entries of the block range of a number?
    fn holds(&self, (number, entries): (usize, &Arc<BlockEntries>)) -> bool {
        let held = self.ranges.get(number).and_then(Option::as_ref);
        held.is_some_and(|held| Arc::ptr_eq(held, entries))
    }
}

impl State {
    fn find_derived<T: Any + Send + Sync>(
        &mut self,
        used: Use,
        fits: impl Fn(&T) -> bool,
    ) -> Option<(u64, Arc<T>)> {
        let found = self.derived.iter().find_map(|(number, derived)| {
            let made = Arc::clone(&derived.made).downcast::<T>().ok()?;
            fits(&made).then_some((*number, made))
        })?;
        self.touch(&Held::Derived(found.0), used);
        Some(found)
    }

    /// A new number for a derived value.
    fn next_number(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// Records the use of a value.
    fn touch(&mut self, held: &Held, used: Use) {
        let last = match held {
            Held::Manifest(path) => self.manifests.get_mut(path).map(|cached| &mut cached.used),
            Held::Derived(number) => self.derived.get_mut(number).map(|derived| &mut derived.used),
        };
        let Some(last) = last.filter(|last| **last < used) else { return };
        let before = std::mem::replace(last, used);
        self.by_use.remove(&(before, held.clone()));
        self.by_use.insert((used, held.clone()));
    }

    /// Drops a value, and the values derived from it.
    fn remove(&mut self, held: &Held) {
        let gone = match held {
            Held::Manifest(path) => self.manifests.remove(path).map(|cached| (cached.bytes, cached.used)),
            Held::Derived(number) => {
                for cached in self.manifests.values_mut() {
                    let gone = cached.beside.extract_if(|(derived, _), _| derived == number);
                    let bytes = gone.map(|(_, (_, bytes))| bytes).sum::<u64>();
                    cached.bytes -= bytes;
                    self.bytes -= bytes;
                }
                self.derived.remove(number).map(|derived| (derived.bytes, derived.used))
            }
        };
        if let Some((bytes, used)) = gone {
            self.bytes -= bytes;
            self.by_use.remove(&(used, held.clone()));
        }
    }

    /// Drops values that this plan did not use, least recently used first, until at most this many bytes are cached.
    fn make_room(&mut self, most_bytes: u64, used: Use) -> bool {
        while self.bytes > most_bytes {
            let oldest = self.by_use.first().cloned();
            let Some((_, held)) = oldest.filter(|(last, _)| *last < used) else { return false };
            self.remove(&held);
        }
        true
    }
}
