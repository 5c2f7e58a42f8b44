//! Which deletes were indexed before?
//!
//! In: the key of an index. Out: the index, if it is cached.
//!
//! Indexes count toward the bound of decoded manifests.
//!
//! Invariant: the cache key of an index has everything that the index depends on: the rows of the delete manifests,
//! the filter and its columns, and the table's schemas, specs and name mapping. Commits may change all of these while
//! the cache stays. The relocation never changes for one cache.

use std::sync::Arc;

use floeberg_core::schema::Schema;

use super::index::DeleteIndex;
use crate::manifest::{ManifestCache, ManifestFile, PruneCounts, Specs, UntrustedColumns, Use};
use crate::metadata::PartitionSpec;
use crate::plan::request::PlanRequest;

/// The key of an index.
#[derive(Debug, Clone)]
pub(crate) struct IndexSource {
    manifests: Vec<ManifestFile>,
    /// The filter as text, which distinguishes all filters: as values, zeros of both signs are equal.
    filter: String,
    /// The schema of the filter, and then the schemas of the table, the newest first.
    schemas: Vec<Arc<Schema>>,
    specs: Vec<Arc<PartitionSpec>>,
    untrusted: UntrustedColumns,
}

impl IndexSource {
    /// The rows of the kept delete manifests, in their order.
    pub fn new(request: &PlanRequest, specs: &Specs, manifests: &[ManifestFile]) -> Self {
        let of_table = request.metadata.schemas_newest_first();
        Self {
            manifests: manifests.to_vec(),
            filter: format!("{:?}", request.filter),
            schemas: std::iter::once(&request.schema).chain(of_table).cloned().collect(),
            specs: request.metadata.partition_specs.clone(),
            untrusted: specs.untrusted().clone(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same = |(own, other): (&Arc<Schema>, &Arc<Schema>)| {
            Arc::ptr_eq(own, other) || own.fields() == other.fields()
        };
        self.filter == other.filter
            && self.manifests == other.manifests
            && self.specs == other.specs
            && self.untrusted == other.untrusted
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
    /// The equality deletes that the filter excluded.
    pub by_filter: PruneCounts,
    /// The number of the index in the cache; `None` if it is not cached.
    pub number: Option<u64>,
}

/// A cached index.
#[derive(Debug)]
struct KeptIndex {
    source: IndexSource,
    deletes: Deletes,
}

/// The index of a key.
pub(crate) fn find_index(cache: &ManifestCache, used: Use, source: &IndexSource) -> Option<Deletes> {
    let found = cache.find_derived(used, |kept: &KeptIndex| kept.source.is_same(source));
    found.map(|(number, kept)| kept.deletes.numbered(number))
}

/// Caches an index and returns it with its number; if another plan was faster, the index that is cached already.
pub(crate) fn keep_index(cache: &ManifestCache, used: Use, source: IndexSource, deletes: Deletes) -> Deletes {
    let bytes = deletes.index.memory() + source.memory();
    let kept = Arc::new(KeptIndex { source, deletes });
    match cache.keep_derived(used, &kept, bytes, |other: &KeptIndex| other.source.is_same(&kept.source)) {
        Some((number, held)) => held.deletes.numbered(number),
        None => kept.deletes.clone(),
    }
}

impl Deletes {
    fn numbered(&self, number: u64) -> Self {
        Self { number: Some(number), ..self.clone() }
    }
}
