//! How do the files of manifests become clustered by partition?
//!
//! In: manifests of one spec and one content. Out: new manifests with the same live files, each with neighbouring partitions.
//! Spec: Manifests (EXISTING entries); First Row ID Inheritance; Sequence Number Inheritance.
//!
//! Manifests are read once where partitions have many files (`clustered_once.rs`), and otherwise twice:
//!
//! ```text
//! once    partitions of all files -> how many files each has -> the first and last number of its files, in their order
//! again   entries, some manifests at a time -> file number n of N -> manifest n * count / N
//! ```
//!
//! Invariant: each live file is in one new manifest, as EXISTING, with the snapshot, sequence numbers and row id that it had. Memory
//! holds entries of a few manifests, and the new manifests up to a limit: further ones are written in another round.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use floeberg_core::schema::StructType;
use floeberg_core::value::PartitionKey;
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{EntryRequest, ManifestEntries, WrittenManifest, partition_order};

use super::clustered_once::cluster_once;
use super::clustering::{Clustering, whole_entries};
use super::context::ActionContext;
use super::rolling::RollingManifests;
use super::unknown_fields::{Added, UnknownOfAll};

/// Writes the new manifests. `None` where the old ones have fields that this version does not know, of one id and of different types.
///
/// Errors: those of reading and writing manifests.
pub(crate) fn cluster(
    context: &ActionContext<'_>,
    clustering: Clustering<'_>,
) -> Result<Option<Vec<WrittenManifest>>> {
    if let Some(written) = cluster_once(context, clustering)? {
        return Ok(Some(written));
    }
    let (first, files) = first_files(context, clustering)?;
    let bytes: u64 = clustering
        .manifests
        .iter()
        .map(|manifest| u64::try_from(manifest.manifest_length).unwrap_or(0))
        .sum();
    // A new manifest waits in memory until it is whole.
    let rounds = bytes.div_ceil(memory_budget()?.max(1)).clamp(1, clustering.count);
    let each = clustering.count.div_ceil(rounds);
    let partition_type = context.spec(clustering.spec_id)?.partition_type(&context.metadata)?;
    let mut written = Vec::new();
    for round in 0..rounds {
        let numbers = round * each..clustering.count.min((round + 1) * each);
        let bytes_of_each = bytes / clustering.count;
        let round =
            Round { context, clustering, files, numbers, bytes_of_each, partition_type: &partition_type };
        let Some(new) = round.write(&first)? else { return Ok(None) };
        written.extend(new);
    }
    Ok(Some(written))
}

/// The number of the next file of each partition.
type NextFile = HashMap<PartitionKey, u64>;

/// The number of the first file of each partition, and how many files there are.
fn first_files(context: &ActionContext<'_>, clustering: Clustering<'_>) -> Result<(NextFile, u64)> {
    let wanted = EntryRequest { without_details: true, ..EntryRequest::default() };
    let reader = context.reader;
    let parts = ordered(clustering.manifests, reader.threads, &reader.cancel, |manifest| {
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        partitions_of(context, clustering, &entries)
    })?;
    let mut by_order: BTreeMap<(Vec<u8>, PartitionKeyBytes), u64> = BTreeMap::new();
    for (order, key, files) in parts.into_iter().flatten() {
        *by_order.entry((order, PartitionKeyBytes(key))).or_default() += files;
    }
    let (mut next, mut number) = (NextFile::new(), 0);
    for ((_, key), files) in by_order {
        next.insert(key.0, number);
        number += files;
    }
    Ok((next, number))
}

/// A partition key, ordered by its bytes.
#[derive(PartialEq, Eq)]
struct PartitionKeyBytes(PartitionKey);

impl Ord for PartitionKeyBytes {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.as_bytes().cmp(other.0.as_bytes())
    }
}

impl PartialOrd for PartitionKeyBytes {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The partitions of a manifest: bytes with the order of their values, their keys, and how many files each has.
fn partitions_of(
    context: &ActionContext<'_>,
    clustering: Clustering<'_>,
    entries: &ManifestEntries,
) -> Result<Vec<(Vec<u8>, PartitionKey, u64)>> {
    let specs = context.specs()?;
    let spec = specs.get(clustering.spec_id)?;
    let found = spec.partitions(&entries.partition)?;
    let mut files = vec![0_u64; found.keys.len()];
    for number in &found.of {
        if let Some(files) = files.get_mut(*number as usize) {
            *files += 1;
        }
    }
    let orders = partition_order(spec, &entries.partition, clustering.fields, &found.rows)?;
    let partitions = orders.into_iter().zip(found.keys).zip(files);
    Ok(partitions.map(|((order, key), files)| (order, key, files)).collect())
}

/// Some of the new manifests.
struct Round<'a> {
    context: &'a ActionContext<'a>,
    clustering: Clustering<'a>,
    files: u64,
    numbers: Range<u64>,
    /// About how many bytes a new manifest gets.
    bytes_of_each: u64,
    partition_type: &'a StructType,
}

impl Round<'_> {
    fn write(&self, first: &NextFile) -> Result<Option<Vec<WrittenManifest>>> {
        let mut unknown = UnknownOfAll::default();
        loop {
            match self.write_with(first.clone(), &mut unknown)? {
                Ok(written) => return Ok(Some(written)),
                // A manifest declares its fields before its entries. Nothing was written yet.
                Err(Added::Fields) => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// Writes them with these unknown fields; else what a manifest adds to them.
    fn write_with(
        &self,
        mut next: NextFile,
        unknown: &mut UnknownOfAll,
    ) -> Result<std::result::Result<Vec<WrittenManifest>, Added>> {
        let Clustering { spec_id, content, manifests, .. } = self.clustering;
        let new = || {
            let manifest = RollingManifests::new(self.context, spec_id, content, None)?;
            Ok::<_, Error>(Mutex::new(
                manifest.with_unknown(unknown.fields()).with_reserved(self.bytes_of_each),
            ))
        };
        let open: Vec<Mutex<RollingManifests<'_>>> =
            self.numbers.clone().map(|_| new()).collect::<Result<_>>()?;
        let reader = self.context.reader;
        let wanted = whole_entries(self.context);
        let mut done = 0;
        for some in manifests.chunks(reader.threads.max(1)) {
            let read = ordered(some, reader.threads, &reader.cancel, |manifest| {
                self.context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)
            })?;
            let added: Vec<Added> = read.iter().map(|entries| unknown.add(entries)).collect();
            for wanted in [Added::Other, Added::Fields] {
                if added.contains(&wanted) {
                    return Ok(Err(wanted));
                }
            }
            let mut rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); open.len()];
            for (number, entries) in read.iter().enumerate() {
                done += entries.len() as u64;
                self.assign(number, entries, &mut next, &mut rows)?;
            }
            let work: Vec<_> = open.iter().zip(&rows).filter(|(_, rows)| !rows.is_empty()).collect();
            ordered(&work, reader.threads, &reader.cancel, |(manifest, rows)| {
                let mut manifest = manifest.lock().unwrap_or_else(PoisonError::into_inner);
                rows.iter().try_for_each(|(number, row)| {
                    let (entry, carried) = read[*number].carried(*row, self.partition_type)?;
                    manifest.add_carried(&entry.into_existing(), carried)
                })
            })?;
        }
        if done != self.files {
            return Err(Error::internal("manifests list other files when they are read again"));
        }
        ordered(&open, reader.threads, &reader.cancel, |manifest| {
            manifest.lock().unwrap_or_else(PoisonError::into_inner).end()
        })?;
        let finish = |manifest: Mutex<RollingManifests<'_>>| {
            manifest.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
        };
        Ok(Ok(open.into_iter().map(finish).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()))
    }

    /// Puts the rows of a manifest to the new manifests that get them.
    fn assign(
        &self,
        number: usize,
        entries: &ManifestEntries,
        next: &mut NextFile,
        rows: &mut [Vec<(usize, usize)>],
    ) -> Result<()> {
        let specs = self.context.specs()?;
        let found = specs.get(self.clustering.spec_id)?.partitions(&entries.partition)?;
        let changed = || Error::internal("manifests list other partitions when they are read again");
        let mut numbers: Vec<u64> =
            found.keys.iter().map(|key| next.get(key).copied().ok_or_else(changed)).collect::<Result<_>>()?;
        for (row, partition) in found.of.iter().enumerate() {
            let file = numbers.get_mut(*partition as usize).ok_or_else(changed)?;
            let target =
                u128::from(*file) * u128::from(self.clustering.count) / u128::from(self.files.max(1));
            *file += 1;
            let target = u64::try_from(target).map_err(|_| changed())?;
            if self.numbers.contains(&target) {
                let at = usize::try_from(target - self.numbers.start).map_err(|_| changed())?;
                rows.get_mut(at).ok_or_else(changed)?.push((number, row));
            }
        }
        for (key, file) in found.keys.into_iter().zip(numbers) {
            next.insert(key, file);
        }
        Ok(())
    }
}
