//! What is known before the first data manifest is read?
//!
//! In: a request. Out: the data manifests that are left, and the deletes that may apply to their files.
//! Spec: Scan Planning.

use std::sync::Arc;

use floeberg_core::{Context, Result};

use super::deletes::delete_files::read_deletes;
use super::deletes::index_cache::{Deletes, IndexSource, find_index, keep_index};
use super::explain::ReadManifests;
use super::request::PlanRequest;
use crate::manifest::{ManifestContent, ManifestFile, PruneCounts, Pruner, Specs, Use};

/// What is known before the first data manifest is read.
pub(super) struct Begun {
    /// The table's partition specs.
    pub specs: Arc<Specs>,
    /// The filter, projected to them.
    pub filter: Pruner,
    /// The deletes that may apply.
    pub deletes: Deletes,
    /// What was dropped: data manifests, delete manifests.
    pub dropped: [PruneCounts; 2],
    /// The manifests that are left, counted.
    pub looked_into: ReadManifests,
    /// The data manifests that are left.
    pub manifests: Vec<ManifestFile>,
    /// The plan's use of the cache of manifests.
    pub used: Use,
}

impl Begun {
    /// Reads the manifest list and the delete manifests.
    pub fn read(request: &PlanRequest) -> Result<Self> {
        let used = request.reader.cache.begin();
        let specs = Specs::new(&request.metadata, &request.schema)?;
        let filter = Pruner::new(request.filter.clone(), &specs);
        let manifests = match (&request.snapshot, &request.appends) {
            (None, _) => Vec::new(),
            (Some(snapshot), None) => request.reader.manifests(snapshot)?,
            (Some(_), Some(appends)) => appends.manifests(&request.reader)?,
        };
        let (mut by_data, mut by_deletes) =
            (PruneCounts::new(request.verbose), PruneCounts::new(request.verbose));
        let mut data = Vec::new();
        let mut deletes = Vec::new();
        for manifest in manifests {
            let spec = specs.get(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)?;
            let is_data = manifest.content == ManifestContent::Data;
            let tally = if is_data { &mut by_data } else { &mut by_deletes };
            if filter.keeps_manifest(&manifest, spec, tally) {
                if is_data { data.push(manifest) } else { deletes.push(manifest) }
            }
        }
        let looked_into = ReadManifests::of(&data, &deletes, request.verbose);
        let deletes = indexed(request, used, &specs, &filter, &deletes)?;
        let dropped = [by_data, by_deletes];
        Ok(Self { specs, filter, deletes, dropped, looked_into, manifests: data, used })
    }
}

/// The deletes of some manifests: those that an earlier plan indexed, where names of what is dropped are not asked for.
fn indexed(
    request: &PlanRequest,
    used: Use,
    specs: &Specs,
    filter: &Pruner,
    manifests: &[ManifestFile],
) -> Result<Deletes> {
    let is_kept = !manifests.is_empty() && !request.verbose;
    let source = is_kept.then(|| IndexSource::new(request, specs, manifests));
    if let Some(known) = source.as_ref().and_then(|source| find_index(&request.reader.cache, used, source)) {
        return Ok(known);
    }
    let (index, by_filter) = read_deletes(request, used, specs, filter, manifests)?;
    let deletes = Deletes { index: Arc::new(index), by_filter, number: None };
    Ok(match source {
        Some(source) => keep_index(&request.reader.cache, used, source, deletes),
        None => deletes,
    })
}
