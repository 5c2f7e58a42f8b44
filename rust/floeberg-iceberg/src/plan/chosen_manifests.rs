//! Which manifests of a snapshot are read?
//!
//! In: a request. Out: the data manifests and the delete manifests that its filter keeps.
//! Spec: Scan Planning; Manifest Lists.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::{Context, Error, Result};

use super::request::PlanRequest;
use crate::manifest::{ManifestContent, ManifestFile, PruneCounts, Pruner, Specs, Use};

/// The manifests of a plan. None of them was read yet.
#[derive(Debug)]
pub(super) struct ChosenManifests {
    /// The request.
    pub request: PlanRequest,
    /// The table's partition specs.
    pub specs: Arc<Specs>,
    /// The filter.
    pub filter: Pruner,
    /// This plan's use of the cache of manifests.
    pub used: Use,
    /// The stages so far: data manifests, delete manifests.
    pub dropped: [PruneCounts; 2],
    /// The kept data manifests.
    pub data: Vec<ManifestFile>,
    /// The kept delete manifests.
    pub deletes: Vec<ManifestFile>,
}

impl ChosenManifests {
    /// Reads the manifest list, and tests each manifest by its counts and partition summaries.
    ///
    /// Errors: `Unsupported` where a server demands to plan scans of the table.
    pub fn read(request: PlanRequest) -> Result<Self> {
        let located = request.clone();
        Self::choose(request).map_err(|error| located.with_table(error))
    }

    fn choose(request: PlanRequest) -> Result<Self> {
        if request.reader.is_planned_by_server && request.snapshot.is_some() {
            return Err(Error::unsupported(
                "the server of the catalog demands to plan scans of the table itself, and this work would plan them here",
            ));
        }
        let used = request.reader.cache.begin();
        let specs = Specs::new(&request.metadata, &request.schema)?;
        let filter = Pruner::new(request.filter.clone(), &specs);
        let manifests = match (&request.snapshot, &request.appends, &request.manifests) {
            (None, _, _) => Vec::new(),
            (Some(_), None, Some(chosen)) => chosen.to_vec(),
            (Some(snapshot), None, None) => request.reader.manifests(snapshot)?,
            (Some(_), Some(appends), _) => appends.manifests(&request.reader)?,
        };
        let mut dropped = [PruneCounts::new(request.verbose), PruneCounts::new(request.verbose)];
        let [by_data, by_deletes] = &mut dropped;
        let mut data = Vec::new();
        let mut deletes = Vec::new();
        for manifest in manifests {
            let spec = specs.get(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)?;
            let is_data = manifest.content == ManifestContent::Data;
            let counts = if is_data { &mut *by_data } else { &mut *by_deletes };
            let is_other = |paths: &Arc<HashSet<String>>| is_data && !paths.contains(&manifest.manifest_path);
            if request.to_change.as_ref().is_some_and(is_other) {
                continue;
            }
            if filter.keeps_manifest(&manifest, spec, counts) {
                if is_data { data.push(manifest) } else { deletes.push(manifest) }
            }
        }
        Ok(Self { request, specs, filter, used, dropped, data, deletes })
    }
}
