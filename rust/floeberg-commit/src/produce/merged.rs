//! Which manifests become one?
//!
//! In: manifests, the newest first. Out: fewer and larger ones, and how many were replaced.
//! Spec: Manifests; Iceberg documentation, Configuration (`commit.manifest.*`).
//!
//! Invariant: only manifests of one spec and one content are merged, as Iceberg Java packs them: from the oldest on, so
//! that only the bin of the newest is not full. Entries keep their values, and fields that this version does not know.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use floeberg_core::{Context, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{EntryRequest, EntryStatus, ManifestEntry, ManifestFile, WrittenManifest};
use floeberg_properties::{MANIFEST_MERGE_ENABLED, MANIFEST_MIN_COUNT_TO_MERGE, MANIFEST_TARGET_SIZE};

use super::context::ActionContext;
use super::rolling::RollingManifests;
use super::unknown_fields::{Added, UnknownOfAll};
use crate::state::{ManifestWork, RewrittenManifests};

/// Merges manifests of one content. Returns them, and how many manifests of earlier snapshots they replace.
pub(super) fn merge(
    context: &ActionContext<'_>,
    manifests: Vec<ManifestFile>,
) -> Result<(Vec<ManifestFile>, usize)> {
    let properties = &context.metadata.properties;
    if !MANIFEST_MERGE_ENABLED.of(properties)? {
        return Ok((manifests, 0));
    }
    let Some(first) = manifests.first().cloned() else { return Ok((manifests, 0)) };
    let target = i64::try_from(MANIFEST_TARGET_SIZE.of(properties)?).unwrap_or(i64::MAX);
    let least = usize::try_from(MANIFEST_MIN_COUNT_TO_MERGE.of(properties)?).unwrap_or(usize::MAX);
    let mut by_spec: BTreeMap<Reverse<i32>, Vec<ManifestFile>> = BTreeMap::new();
    for manifest in manifests {
        by_spec.entry(Reverse(manifest.partition_spec_id)).or_default().push(manifest);
    }
    let bins: Vec<Vec<ManifestFile>> =
        by_spec.into_values().flat_map(|group| pack_from_end(group, target)).collect();
    let merged = ordered(&bins, context.reader.threads, &context.reader.cancel, |bin| {
        let is_small = bin.contains(&first) && bin.len() < least;
        if bin.len() == 1 || is_small { Ok((bin.clone(), 0)) } else { merge_bin(context, bin) }
    })?;
    let replaced = merged.iter().map(|(_, replaced)| replaced).sum();
    Ok((merged.into_iter().flat_map(|(manifests, _)| manifests).collect(), replaced))
}

/// Runs of neighbours of at most this many bytes together, packed from the end; the order stays.
fn pack_from_end(group: Vec<ManifestFile>, target: i64) -> Vec<Vec<ManifestFile>> {
    let mut bins: Vec<Vec<ManifestFile>> = Vec::new();
    let mut bytes = 0_i64;
    for manifest in group.into_iter().rev() {
        let after = bytes.saturating_add(manifest.manifest_length);
        match bins.last_mut() {
            Some(bin) if after <= target => {
                bin.push(manifest);
                bytes = after;
            }
            _ => {
                bytes = manifest.manifest_length;
                bins.push(vec![manifest]);
            }
        }
    }
    for bin in &mut bins {
        bin.reverse();
    }
    bins.reverse();
    bins
}

fn merge_bin(context: &ActionContext<'_>, bin: &[ManifestFile]) -> Result<(Vec<ManifestFile>, usize)> {
    let snapshot_id = context.snapshot_id();
    let work = context.work(ManifestWork::Merge, bin);
    let write = || {
        let merged = write_merged(context, bin)?;
        let is_refused = merged.is_none();
        let manifests = merged.unwrap_or_default();
        Ok(RewrittenManifests { manifests, is_refused, ..RewrittenManifests::default() })
    };
    let made = context.kept.once(work, write)?;
    if made.is_refused {
        return Ok((bin.to_vec(), 0));
    }
    let sequence_number = context.sequence_number()?;
    let replaced = bin.iter().filter(|manifest| manifest.added_snapshot_id != Some(snapshot_id)).count();
    Ok((made.manifests.iter().map(|manifest| manifest.in_commit(sequence_number)).collect(), replaced))
}

/// The merged manifests. `None` where they have fields that this version does not know, of one id and of different types.
fn write_merged(context: &ActionContext<'_>, bin: &[ManifestFile]) -> Result<Option<Vec<WrittenManifest>>> {
    let Some(first) = bin.first() else { return Ok(Some(Vec::new())) };
    let partition_type = context.spec(first.partition_spec_id)?.partition_type(&context.metadata)?;
    let wanted = EntryRequest { with_metrics: true, with_deleted: true, ..EntryRequest::default() };
    let mut unknown = UnknownOfAll::default();
    'again: loop {
        let rolling = RollingManifests::new(context, first.partition_spec_id, first.content, None)?;
        let mut rolling = rolling.with_unknown(unknown.fields());
        for manifest in bin {
            let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
            match unknown.add(&entries) {
                Added::Nothing => {}
                // A manifest declares its fields before its entries. Nothing was written yet.
                Added::Fields => continue 'again,
                Added::Other => return Ok(None),
            }
            let mut add = |row| {
                let entry = entries.entry(row, &partition_type)?;
                carried(entry, context.snapshot_id()).map_or(Ok(()), |entry| rolling.add(&entry))
            };
            (0..entries.len()).try_for_each(&mut add).context("manifest", &manifest.manifest_path)?;
        }
        return rolling.finish().map(Some);
    }
}

/// An entry in a merged manifest; `None` for a file that an earlier snapshot deleted.
fn carried(entry: ManifestEntry, snapshot_id: i64) -> Option<ManifestEntry> {
    let is_own = entry.snapshot_id == Some(snapshot_id);
    match entry.status {
        EntryStatus::Deleted => is_own.then_some(entry),
        // Values that depend on the base are inherited, so that the next attempt can use the manifest.
        EntryStatus::Added if is_own => Some(ManifestEntry::added(entry.data_file)),
        EntryStatus::Added | EntryStatus::Existing => Some(entry.into_existing()),
    }
}

#[cfg(test)]
mod tests;
