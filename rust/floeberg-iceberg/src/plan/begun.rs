//! What is known before the first data manifest is read?
//!
//! In: a request. Out: the data manifests that are left, and the deletes that may apply to their files.
//! Spec: Scan Planning.

use std::sync::Arc;

use floeberg_core::{Context, Result};

use super::account::explain::ReadManifests;
use super::account::tally::Tally;
use super::deletes::delete_files::read_deletes;
use super::deletes::index::DeleteIndex;
use super::filter::PlanFilter;
use super::manifests::manifest_cache::Use;
use super::manifests::manifest_list::read_manifests_of;
use super::request::PlanRequest;
use super::specs::Specs;
use crate::metadata::{ManifestContent, ManifestFile};

/// What is known before the first data manifest is read.
pub(super) struct Begun {
    /// The table's partition specs.
    pub specs: Arc<Specs>,
    /// The filter, projected to them.
    pub filter: PlanFilter,
    /// The deletes that may apply.
    pub index: DeleteIndex,
    /// What was dropped: data manifests, delete manifests, equality deletes by the filter.
    pub dropped: [Tally; 3],
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
        let used = request.cache.begin();
        let specs = Specs::new(&request.metadata, &request.schema)?;
        let filter = PlanFilter::new(request.filter.clone(), &specs);
        let manifests = match (&request.snapshot, &request.appends) {
            (None, _) => Vec::new(),
            (Some(snapshot), None) => read_manifests_of(request, snapshot)?,
            (Some(_), Some(appends)) => appends.manifests(request)?,
        };
        let (mut by_data, mut by_deletes) = (Tally::new(request.verbose), Tally::new(request.verbose));
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
        let (index, by_filter) = read_deletes(request, used, &specs, &filter, &deletes)?;
        let dropped = [by_data, by_deletes, by_filter];
        let looked_into = ReadManifests::of(&data, &deletes, request.verbose);
        Ok(Self { specs, filter, index, dropped, looked_into, manifests: data, used })
    }
}
