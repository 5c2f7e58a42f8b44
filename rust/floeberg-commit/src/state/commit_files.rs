//! Which files of earlier attempts can the next attempt of a commit use?
//!
//! In: written manifests, keyed by what they were made of. Out: the same manifests again, and at the end the files that are not
//! needed.
//! Spec: Sequence Numbers (a retry rewrites the manifest list alone).
//!
//! Invariant: a file is recorded before its first byte is written, so it can be removed after any failure. A manifest is used
//! again only for exactly the same work.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use floeberg_core::{Context, Result};
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, WrittenManifest};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::Receipt;
use floeberg_io::Store;
use floeberg_io::location::join;

use super::snapshot_id::new_snapshot_id;
use super::summary::Counted;
use floeberg_io::random::random_uuid;

/// What a commit made, over all its attempts.
#[derive(Debug)]
pub(crate) struct CommitFiles {
    /// Names its files.
    uuid: String,
    named: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Every file that this commit may have written.
    files: BTreeSet<String>,
    snapshot_ids: HashMap<usize, i64>,
    /// The snapshot ids of all attempts.
    drawn: BTreeSet<i64>,
    /// Manifests that do not list what an operation adds.
    looked_through: HashSet<(usize, String)>,
    /// Operations whose new files are there.
    there: BTreeSet<usize>,
    made: HashMap<ManifestKey, RewrittenManifests>,
    /// Copies of rows and delete files, by what they were made of.
    copies: HashMap<String, Receipt>,
    /// The manifests that an operation writes again.
    chosen: HashMap<usize, HashSet<String>>,
}

/// What manifests are made of: equal keys give equal manifests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ManifestKey {
    /// Which operation of the commit.
    pub operation: usize,
    /// The work that the manifest is the result of.
    pub kind: ManifestWork,
    /// The snapshot id in the manifests.
    pub snapshot_id: i64,
    /// In which they are written.
    pub format_version: u8,
    /// The schema in the manifests, which filters are also bound to.
    pub schema_id: i32,
    /// The manifests that went in.
    pub inputs: Vec<ManifestFile>,
}

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ManifestWork {
    /// New files of a spec were listed.
    List {
        /// The spec.
        spec_id: i32,
        /// Data files or delete files.
        content: ManifestContent,
    },
    /// Files were taken out.
    Filter,
    /// Manifests became one.
    Merge,
    /// Files were clustered by partition.
    Cluster,
}

/// What came out.
#[derive(Debug, Clone, Default)]
pub(crate) struct RewrittenManifests {
    /// The manifests; empty if the input manifest stays as it is.
    pub manifests: Vec<WrittenManifest>,
    /// What was taken out.
    pub removed: Vec<Counted>,
    /// Do manifests stay that were to become one, since what they have cannot be in one?
    pub is_refused: bool,
}

impl CommitFiles {
    pub fn new() -> Self {
        Self { uuid: random_uuid(), named: AtomicU64::new(0), state: Mutex::default() }
    }

    /// The snapshot id of an operation. It is the same in every attempt, unless the table has a snapshot with that id by now.
    pub fn snapshot_id(&self, operation: usize, metadata: &TableMetadata) -> i64 {
        let mut state = self.lock();
        let known = state.snapshot_ids.get(&operation).copied();
        if let Some(id) = known.filter(|id| metadata.snapshot(*id).is_err()) {
            return id;
        }
        let id = new_snapshot_id(metadata);
        state.snapshot_ids.insert(operation, id);
        state.drawn.insert(id);
        id
    }

    /// Did an attempt have this snapshot?
    pub fn has_drawn(&self, snapshot_id: i64) -> bool {
        self.lock().drawn.contains(&snapshot_id)
    }

    /// Was a manifest checked, and found to list no file that an operation adds?
    pub fn is_looked_through(&self, operation: usize, manifest: &str) -> bool {
        self.lock().looked_through.contains(&(operation, manifest.to_owned()))
    }

    /// Remembers manifests that list no file that an operation adds.
    pub fn looked_through(&self, operation: usize, manifests: impl Iterator<Item = String>) {
        self.lock().looked_through.extend(manifests.map(|manifest| (operation, manifest)));
    }

    /// Checks once that the new files of an operation exist.
    pub fn see_once(&self, operation: usize, see: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.lock().there.contains(&operation) {
            return Ok(());
        }
        see()?;
        self.lock().there.insert(operation);
        Ok(())
    }

    /// The location of a new manifest in a folder.
    pub fn name_manifest(&self, folder: &str) -> String {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        join(folder, &format!("{}-m{number}.avro", self.uuid))
    }

    /// The location of a new manifest list in a folder.
    pub fn name_manifest_list(&self, folder: &str, snapshot_id: i64) -> String {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        join(folder, &format!("snap-{snapshot_id}-{number}-{}.avro", self.uuid))
    }

    /// The manifests that an earlier attempt of an operation chose.
    pub fn chosen(&self, operation: usize) -> Option<HashSet<String>> {
        self.lock().chosen.get(&operation).cloned()
    }

    /// Remembers the manifests that an operation chose.
    pub fn choose(&self, operation: usize, manifests: HashSet<String>) {
        self.lock().chosen.insert(operation, manifests);
    }

    /// Remembers files that an attempt wrote otherwise.
    pub fn wrote<'a>(&self, locations: impl Iterator<Item = &'a str>) {
        self.lock().files.extend(locations.map(str::to_owned));
    }

    /// Writes a file of the commit from pieces, whole and durable.
    pub fn write<B: AsRef<[u8]>>(&self, store: &dyn Store, location: &str, pieces: &[B]) -> Result<()> {
        self.lock().files.insert(location.to_owned());
        let written = store.create(location).and_then(|mut sink| {
            pieces.iter().try_for_each(|piece| sink.write(piece.as_ref()))?;
            sink.finish()
        });
        written.context("path", location).map(drop)
    }

    /// The result of the work, from an earlier attempt or made now.
    pub fn once(
        &self,
        work: ManifestKey,
        make: impl FnOnce() -> Result<RewrittenManifests>,
    ) -> Result<RewrittenManifests> {
        let known = self.lock().made.get(&work).cloned();
        if let Some(made) = known {
            return Ok(made);
        }
        let made = make()?;
        self.lock().made.insert(work, made.clone());
        Ok(made)
    }

    /// Were rows copied already, by an earlier attempt or another process?
    pub fn has_copies(&self, of: &str) -> bool {
        self.lock().copies.contains_key(of)
    }

    /// Copies of rows, or delete files, that were made or taken.
    pub fn copies(&self, of: &str) -> Option<Receipt> {
        self.lock().copies.get(of).cloned()
    }

    /// Takes copies of rows that another process made: the commit removes their files where it does not need them.
    pub fn take_copies(&self, of: &str, copies: Receipt) {
        let mut state = self.lock();
        state.files.extend(copies.locations().map(str::to_owned));
        state.copies.insert(of.to_owned(), copies);
    }

    /// Copies of rows, from an earlier attempt or made now.
    pub fn copied_once(&self, of: &str, make: impl FnOnce() -> Result<Receipt>) -> Result<Receipt> {
        let known = self.lock().copies.get(of).cloned();
        if let Some(copies) = known {
            return Ok(copies);
        }
        let copies = make()?;
        self.lock().copies.insert(of.to_owned(), copies.clone());
        Ok(copies)
    }

    /// Removes the files of the commit except these, and forgets its results. Returns the files that could not be removed.
    pub fn remove_all_but(&self, store: &dyn Store, needed: &BTreeSet<String>) -> Vec<String> {
        let mut state = self.lock();
        state.made.clear();
        state.copies.clear();
        let files = std::mem::take(&mut state.files);
        let (kept, left_over): (BTreeSet<_>, BTreeSet<_>) =
            files.into_iter().partition(|file| needed.contains(file));
        let failed: Vec<String> =
            left_over.into_iter().filter(|location| store.remove(location).is_err()).collect();
        state.files = kept;
        state.files.extend(failed.iter().cloned());
        failed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
