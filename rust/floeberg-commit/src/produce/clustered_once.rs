//! How do the files of manifests become clustered by partition, with each manifest read once?
//!
//! In: manifests of one spec and one content, with few values of the fields that order files. Out: new manifests with the same live
//! files, each with neighbouring values; or nothing, where files are better counted first.
//! Spec: Manifests (EXISTING entries); First Row ID Inheritance; Sequence Number Inheritance.
//!
//! ```text
//! read    entries, some manifests at a time -> the part in the making of each tuple of values -> parts of some hundred files
//! join    parts in the order of the values: the one with file number n of N in its middle -> manifest n * count / N
//! ```
//!
//! Invariant: nothing is written before all manifests are read. Memory holds the parts, which are compressed, and entries of a few
//! manifests. Files of one tuple of values stay in the order of their manifests.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use floeberg_avro::write::random_marker;
use floeberg_core::schema::StructType;
use floeberg_core::{Context as _, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    ManifestEntries, ManifestPart, ManifestWriter, WrittenManifest, partition_order,
};

use super::clustering::{Clustering, whole_entries};
use super::context::ActionContext;
use super::rolling::RollingManifests;

/// How many parts a manifest has, about: it gets whole ones.
const PARTS_OF_A_MANIFEST: u64 = 16;
/// The fewest files of a part: a block that is compressed should have some.
const LEAST_FILES_OF_A_PART: u64 = 64;
/// The most tuples of values: each has a compressor, and a block in the making.
const MOST_TUPLES: usize = 256;

/// Writes the new manifests. `None` where parts would be small, where memory does not hold them, and where entries have fields that this
/// version does not know.
///
/// Errors: those of reading and writing manifests.
pub(super) fn cluster_once(
    context: &ActionContext<'_>,
    clustering: Clustering<'_>,
) -> Result<Option<Vec<WrittenManifest>>> {
    let Some(shares) = Shares::of(clustering)? else { return Ok(None) };
    let rolling = RollingManifests::new(context, clustering.spec_id, clustering.content, None)?;
    let partition_type = context.spec(clustering.spec_id)?.partition_type(&context.metadata)?;
    let once =
        Once { context, clustering, shares, rolling, sync: random_marker(), partition_type: &partition_type };
    let Some(all) = once.read()? else { return Ok(None) };
    once.join(all).map(Some)
}

/// How files are shared out.
#[derive(Debug, Clone, Copy)]
struct Shares {
    files: u64,
    manifests: u64,
    files_of_a_part: u64,
}

impl Shares {
    /// `None` where parts would be small, or memory does not hold them.
    fn of(clustering: Clustering<'_>) -> Result<Option<Self>> {
        let lengths = clustering.manifests.iter().map(|manifest| manifest.manifest_length);
        let bytes: u64 = lengths.map(|length| u64::try_from(length).unwrap_or(0)).sum();
        let counts = clustering.manifests.iter().map(|manifest| {
            let live = manifest.added_files_count?.checked_add(manifest.existing_files_count?)?;
            u64::try_from(live).ok()
        });
        // Format version 1 need not count.
        let Some(files) = counts.sum::<Option<u64>>() else { return Ok(None) };
        let manifests = clustering.count.max(1);
        let files_of_a_part = files / manifests.saturating_mul(PARTS_OF_A_MANIFEST);
        let is_worth_it = files_of_a_part >= LEAST_FILES_OF_A_PART
            && least_tuples(clustering) <= MOST_TUPLES
            && bytes <= memory_budget()?;
        Ok(is_worth_it.then_some(Self { files, manifests, files_of_a_part }))
    }

    /// The manifest of a part: its number, below the number of manifests.
    fn manifest_of(self, files_before: u64, files: u64) -> u64 {
        let middle = u128::from(files_before) * 2 + u128::from(files);
        let number = middle * u128::from(self.manifests) / (u128::from(self.files.max(1)) * 2);
        u64::try_from(number).unwrap_or(u64::MAX).min(self.manifests - 1)
    }
}

/// So many tuples of values there are at least, by the lower bounds of the first field.
fn least_tuples(clustering: Clustering<'_>) -> usize {
    let Some(first) = clustering.fields.first() else { return 1 };
    let summaries =
        clustering.manifests.iter().filter_map(|manifest| manifest.partitions.as_ref()?.get(*first));
    summaries.filter_map(|summary| summary.lower_bound.as_ref()).collect::<HashSet<_>>().len()
}

/// The parts of each tuple of values, by bytes with the order of the values.
type ByValues = BTreeMap<Vec<u8>, Mutex<Parts>>;

struct Parts {
    whole: Vec<ManifestPart>,
    open: ManifestWriter<Vec<u8>>,
    open_files: u64,
}

struct Once<'a> {
    context: &'a ActionContext<'a>,
    clustering: Clustering<'a>,
    shares: Shares,
    rolling: RollingManifests<'a>,
    /// All parts have one marker.
    sync: [u8; 16],
    partition_type: &'a StructType,
}

impl Once<'_> {
    /// The parts of all files.
    fn read(&self) -> Result<Option<ByValues>> {
        let reader = self.context.reader;
        let wanted = whole_entries(self.context);
        let mut all = ByValues::new();
        for some in self.clustering.manifests.chunks(reader.threads.max(1)) {
            let read = ordered(some, reader.threads, &reader.cancel, |manifest| {
                self.context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)
            })?;
            if read.iter().any(|entries| !entries.unknown_fields().is_empty()) {
                return Ok(None);
            }
            let mut rows: BTreeMap<Vec<u8>, Vec<(usize, usize)>> = BTreeMap::new();
            for (number, entries) in read.iter().enumerate() {
                self.assign(number, entries, &mut rows)?;
            }
            let new: Vec<&Vec<u8>> = rows.keys().filter(|values| !all.contains_key(*values)).collect();
            if all.len() + new.len() > MOST_TUPLES {
                return Ok(None);
            }
            for values in new {
                let open = self.rolling.parts(self.sync)?;
                all.insert(values.clone(), Mutex::new(Parts { whole: Vec::new(), open, open_files: 0 }));
            }
            let work: Vec<_> =
                rows.iter().filter_map(|(values, rows)| Some((all.get(values)?, rows))).collect();
            ordered(&work, reader.threads, &reader.cancel, |(parts, rows)| {
                let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                rows.iter().try_for_each(|(number, row)| {
                    let (entry, carried) = read[*number].carried(*row, self.partition_type)?;
                    parts.open.add_carried(&entry.into_existing(), carried)?;
                    parts.open_files += 1;
                    if parts.open_files >= self.shares.files_of_a_part { parts.cut() } else { Ok(()) }
                })
            })?;
        }
        Ok(Some(all))
    }

    /// Puts the rows of a manifest to their values.
    fn assign(
        &self,
        number: usize,
        entries: &ManifestEntries,
        rows: &mut BTreeMap<Vec<u8>, Vec<(usize, usize)>>,
    ) -> Result<()> {
        let specs = self.context.specs()?;
        let spec = specs.get(self.clustering.spec_id)?;
        let found = spec.partitions(&entries.partition)?;
        let orders = partition_order(spec, &entries.partition, self.clustering.fields, &found.rows)?;
        let mut of_partition: Vec<Vec<(usize, usize)>> = vec![Vec::new(); orders.len()];
        for (row, partition) in found.of.iter().enumerate() {
            of_partition[*partition as usize].push((number, row));
        }
        for (order, of_partition) in orders.into_iter().zip(of_partition) {
            rows.entry(order).or_default().extend(of_partition);
        }
        Ok(())
    }

    /// Writes manifests of parts.
    fn join(&self, all: ByValues) -> Result<Vec<WrittenManifest>> {
        let reader = self.context.reader;
        let open: Vec<&Mutex<Parts>> = all.values().collect();
        ordered(&open, reader.threads, &reader.cancel, |parts| {
            parts.lock().unwrap_or_else(PoisonError::into_inner).cut()
        })?;
        let whole = |parts: Mutex<Parts>| parts.into_inner().unwrap_or_else(PoisonError::into_inner).whole;
        let parts = all.into_values().flat_map(whole);
        let mut manifests: Vec<(u64, Vec<ManifestPart>)> = Vec::new();
        let mut files = 0;
        for part in parts {
            let number = self.shares.manifest_of(files, part.files());
            files += part.files();
            match manifests.last_mut() {
                Some((last, parts)) if *last == number => parts.push(part),
                _ => manifests.push((number, vec![part])),
            }
        }
        let manifests: Vec<_> = manifests.into_iter().map(|(_, parts)| Mutex::new(parts)).collect();
        ordered(&manifests, reader.threads, &reader.cancel, |parts| {
            let parts = std::mem::take(&mut *parts.lock().unwrap_or_else(PoisonError::into_inner));
            self.rolling.join(parts, self.sync)
        })
    }
}

impl Parts {
    /// Ends the open part, if it has files.
    fn cut(&mut self) -> Result<()> {
        if self.open_files > 0 {
            self.whole.push(self.open.cut()?);
            self.open_files = 0;
        }
        Ok(())
    }
}
