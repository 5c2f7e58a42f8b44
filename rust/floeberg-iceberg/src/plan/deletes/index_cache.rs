//! Which deletes were indexed before?
//!
//! In: what an index is made of. Out: the index, if it is there.
//!
//! Indexes are held within the bound of decoded manifests.
//!
//! Invariant: an index, and what files have by it, is found only by the whole of what it was made of: the rows of the delete
//! manifests, the filter and the columns that it is bound to, and of the table its schemas, specs and
//! name mapping, which commits change
//! while the cache stays. The relocation stays as the cache does.

use std::sync::Arc;

use floeberg_core::schema::Schema;

use super::index::DeleteIndex;
use crate::manifest::{ManifestCache, ManifestFile, PruneCounts, Specs, UntrustedColumns, Use};
use crate::metadata::PartitionSpec;
use crate::plan::request::PlanRequest;

/// What an index is made of.
#[derive(Debug, Clone)]
pub(crate) struct IndexSource {
    manifests: Vec<ManifestFile>,
    /// As text that tells all filters apart: zeros of both signs are equal as values.
    filter: String,
    /// What the filter is bound to, and then the schemas of the table, the newest first.
    schemas: Vec<Arc<Schema>>,
    specs: Vec<Arc<PartitionSpec>>,
    untrusted: UntrustedColumns,
}

impl IndexSource {
    /// Of the delete manifests that are left, in their order.
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
    /// The equality deletes that the filter left away.
    pub by_filter: PruneCounts,
    /// The number of the index in the cache; `None` where it is not held.
    pub number: Option<u64>,
}

/// An index that is held.
#[derive(Debug)]
struct KeptIndex {
    source: IndexSource,
    deletes: Deletes,
}

/// The index that was made of these.
pub(crate) fn find_index(cache: &ManifestCache, used: Use, source: &IndexSource) -> Option<Deletes> {
    let found = cache.find_derived(used, |kept: &KeptIndex| kept.source.is_same(source));
    found.map(|(number, kept)| kept.deletes.numbered(number))
}

/// Keeps what was made of these, and gives it with its number; the one that is there, if another plan was faster.
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
