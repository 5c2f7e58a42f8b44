//! Which deletes were indexed before, and which of them do the files of a manifest have?
//!
//! In: what an index is made of. Out: the index, if it is there, and by it the deletes of the files of a stretch.
//!
//! Indexes are held within the bound of decoded manifests.
//!
//! Invariant: an index, and what files have by it, is found only by the whole of what it was made of: the rows of the delete
//! manifests, the filter and the columns that it is bound to, and of the table its schemas and specs, which commits change
//! while the cache stays. The relocation stays as the cache does. What files have is dropped with their manifest.

use std::sync::Arc;

use floeberg_core::schema::Schema;

use super::manifest_cache::{Held, ManifestCache, State, Use};
use crate::manifest::{ManifestFile, StretchEntries};
use crate::metadata::PartitionSpec;
use crate::plan::account::tally::Tally;
use crate::plan::deletes::attach::AttachedDeletes;
use crate::plan::deletes::index::DeleteIndex;
use crate::plan::request::PlanRequest;

/// No more indexes are held: each is compared when one is looked for.
const MOST_INDEXES: usize = 16;

/// What an index is made of.
#[derive(Debug, Clone)]
pub(crate) struct IndexSource {
    manifests: Vec<ManifestFile>,
    /// As text that tells all filters apart: zeros of both signs are equal as values.
    filter: String,
    /// What the filter is bound to, and then the schemas of the table, the newest first.
    schemas: Vec<Arc<Schema>>,
    specs: Vec<Arc<PartitionSpec>>,
}

impl IndexSource {
    /// Of the delete manifests that are left, in their order.
    pub fn new(request: &PlanRequest, manifests: &[ManifestFile]) -> Self {
        let of_table = request.metadata.schemas_newest_first();
        Self {
            manifests: manifests.to_vec(),
            filter: format!("{:?}", request.filter),
            schemas: std::iter::once(&request.schema).chain(of_table).cloned().collect(),
            specs: request.metadata.partition_specs.clone(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same = |(own, other): (&Arc<Schema>, &Arc<Schema>)| {
            Arc::ptr_eq(own, other) || own.fields() == other.fields()
        };
        self.filter == other.filter
            && self.manifests == other.manifests
            && self.specs == other.specs
            && self.schemas.len() == other.schemas.len()
            && self.schemas.iter().zip(&other.schemas).all(is_same)
    }

    fn memory(&self) -> u64 {
        let row = |manifest: &ManifestFile| size_of::<ManifestFile>() + manifest.manifest_path.len();
        (self.manifests.iter().map(row).sum::<usize>() + self.filter.len()) as u64
    }
}

/// The deletes of a snapshot that may apply.
#[derive(Debug, Clone)]
pub(crate) struct Deletes {
    /// The deletes.
    pub index: Arc<DeleteIndex>,
    /// The equality deletes that the filter left away.
    pub by_filter: Tally,
    /// The number of the index in the cache; `None` where it is not held.
    pub number: Option<u64>,
}

/// An index that is held.
#[derive(Debug)]
pub(super) struct KeptIndex {
    source: IndexSource,
    deletes: Deletes,
    pub bytes: u64,
    pub used: Use,
}

impl ManifestCache {
    /// The index that was made of these.
    pub(crate) fn find_index(&self, used: Use, source: &IndexSource) -> Option<Deletes> {
        self.lock()?.index_of(used, source)
    }

    /// Keeps what was made of these, and gives it with its number; the one that is there, if another plan was faster.
    pub(crate) fn keep_index(&self, used: Use, source: IndexSource, deletes: Deletes) -> Deletes {
        let bytes = deletes.index.memory() + source.memory();
        if bytes > self.most_bytes() {
            return deletes;
        }
        let Some(mut state) = self.lock() else { return deletes };
        if let Some(known) = state.index_of(used, &source) {
            return known;
        }
        if state.indexes.len() >= MOST_INDEXES {
            let oldest = state.indexes.iter().min_by_key(|(_, index)| index.used);
            let Some(number) = oldest.filter(|(_, index)| index.used < used).map(|(number, _)| *number)
            else {
                return deletes;
            };
            state.remove(&Held::Index(number));
        }
        if !state.make_room(self.most_bytes() - bytes, used) {
            return deletes;
        }
        let number = state.next_index();
        let deletes = Deletes { number: Some(number), ..deletes };
        let kept = KeptIndex { source, deletes: deletes.clone(), bytes, used };
        state.indexes.insert(number, kept);
        state.by_use.insert((used, Held::Index(number)));
        state.bytes += bytes;
        deletes
    }

    /// What the files of a stretch have by the index of a number.
    pub(crate) fn find_attached(
        &self,
        index: u64,
        manifest: &ManifestFile,
        stretch: (usize, &Arc<StretchEntries>),
    ) -> Option<Arc<AttachedDeletes>> {
        let state = self.lock()?;
        let cached = state.manifests.get(&manifest.manifest_path)?;
        let found = cached.attached.get(&(index, stretch.0))?;
        cached.holds(stretch).then(|| Arc::clone(found))
    }

    /// Keeps what the files of a stretch have by an index, if both are held.
    pub(crate) fn keep_attached(
        &self,
        used: Use,
        index: u64,
        manifest: &ManifestFile,
        stretch: (usize, &Arc<StretchEntries>),
        attached: &Arc<AttachedDeletes>,
    ) {
        let Some(mut state) = self.lock() else { return };
        let bytes = attached.memory();
        if bytes > self.most_bytes() || !state.make_room(self.most_bytes() - bytes, used) {
            return;
        }
        if !state.indexes.contains_key(&index) {
            return;
        }
        let Some(cached) = state.manifests.get_mut(&manifest.manifest_path) else { return };
        if !cached.holds(stretch) || cached.attached.contains_key(&(index, stretch.0)) {
            return;
        }
        cached.attached.insert((index, stretch.0), Arc::clone(attached));
        cached.bytes += bytes;
        state.bytes += bytes;
    }
}

impl State {
    fn index_of(&mut self, used: Use, source: &IndexSource) -> Option<Deletes> {
        let found = self.indexes.iter().find(|(_, index)| index.source.is_same(source));
        let (number, deletes) = found.map(|(number, index)| (*number, index.deletes.clone()))?;
        self.touch(&Held::Index(number), used);
        Some(deletes)
    }
}
