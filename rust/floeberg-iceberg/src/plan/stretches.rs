//! Which pieces of data manifests are planned on their own?
//!
//! In: a row of the manifest list. Out: its stretches, those that were decoded before and those that are to be; then the
//! files of each.
//!
//! Invariant: a manifest is read only where the cache does not have all of it, with the statistics that are wanted.

use std::sync::Arc;

use floeberg_core::Result;

use super::manifests::manifest_bytes::{ManifestBytes, read_manifest};
use super::manifests::manifest_cache::Found;
use super::planned_stretch::PlannedStretch;
use super::planning::Planning;
use crate::metadata::{EntryRequest, ManifestFile, StretchEntries};
use crate::threads::Job;
use crate::wire::avro::Stretch;

/// Bytes of a manifest, as they are stored, that one thread decodes: some thousands of entries.
const STRETCH_BYTES: usize = 2 << 20;

/// A stretch of a manifest, whose entries are to be decoded or were before.
#[derive(Debug)]
pub(super) enum Stretches {
    Decoded {
        manifest: Arc<ManifestFile>,
        is_first: bool,
        entries: Arc<StretchEntries>,
    },
    Stored {
        manifest: Arc<ManifestBytes>,
        stretch: Stretch,
        /// Which of how many it is.
        place: (usize, usize),
        /// The columns whose statistics are decoded, ascending.
        statistics_of: Arc<Vec<i32>>,
    },
}

impl Job for Planning {
    type Task = ManifestFile;
    type Part = Stretches;
    type Item = PlannedStretch;

    const THREAD: &'static str = "floeberg-plan";

    fn open(&self, manifest: ManifestFile) -> Result<Vec<Stretches>> {
        self.request.cancel.check()?;
        let also = match self.cached(&manifest) {
            Found::Whole(stretches) => {
                let manifest = Arc::new(manifest);
                let each = |(number, entries)| Stretches::Decoded {
                    manifest: Arc::clone(&manifest),
                    is_first: number == 0,
                    entries,
                };
                return Ok(stretches.into_iter().enumerate().map(each).collect());
            }
            Found::Without(also) => also,
        };
        let statistics_of = Arc::new(self.with_cached(also));
        let manifest = Arc::new(read_manifest(&self.request, &manifest)?);
        let stretches = manifest.stretches(STRETCH_BYTES)?;
        let count = stretches.len();
        let each = |(number, stretch)| Stretches::Stored {
            manifest: Arc::clone(&manifest),
            stretch,
            place: (number, count),
            statistics_of: Arc::clone(&statistics_of),
        };
        Ok(stretches.into_iter().enumerate().map(each).collect())
    }

    fn work(&self, part: Stretches, give: &mut dyn FnMut(PlannedStretch) -> Result<bool>) -> Result<()> {
        let planned = match part {
            Stretches::Decoded { manifest, is_first, entries } => self.plan(&manifest, is_first, &entries)?,
            Stretches::Stored { manifest: bytes, stretch, place, statistics_of } => {
                let manifest = bytes.manifest();
                let spec = self.specs.get(manifest.partition_spec_id)?;
                let wanted = EntryRequest {
                    statistics_of: statistics_of.to_vec(),
                    without_details: self.request.appends.is_none(),
                    ..EntryRequest::default()
                };
                let entries = Arc::new(bytes.entries_of(&stretch, spec, &wanted)?);
                if self.keeps() {
                    self.request.cache.keep(self.used, manifest, &statistics_of, place, &entries);
                }
                self.plan(manifest, place.0 == 0, &entries)?
            }
        };
        give(planned).map(drop)
    }

    fn bytes(planned: &PlannedStretch) -> u64 {
        planned.files.as_ref().map_or(0, |files| files.get_array_memory_size() as u64)
    }
}
