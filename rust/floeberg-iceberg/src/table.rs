//! What is a table, once it is open?
//!
//! Its metadata at one time, and the location of its files. Out: a [`Scan`](crate::Scan) of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_io::{Location, Relocation, Store, StoreOptions, open_store};

use crate::manifest::{
    AllManifests, ManifestCache, ManifestContent, ManifestFile, ManifestReader, ReachableFiles,
};
use crate::metadata::{Snapshot, TableMetadata, explain_missing_file, open_metadata, parse_table_metadata};
use crate::plan::ScanPlanner;
use floeberg_exec::budget::{manifest_cache_budget, thread_budget};

/// How a table is opened.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Written prefixes and their current locations.
    pub relocate: Vec<(String, String)>,
    /// The options of the stores.
    pub storage: StoreOptions,
    /// The most bytes of decoded manifests that the table keeps for its next plan; 0 keeps none. `None` is
    /// `FLOEBERG_MANIFEST_CACHE`, or else 256 MiB.
    pub manifest_cache: Option<u64>,
    /// What plans scans of the table; `None` is Floeberg itself.
    pub planner: Option<Arc<dyn ScanPlanner>>,
}

impl OpenOptions {
    /// The same with the keys of a table, if it is encrypted and a service manages keys.
    fn keyed(self, metadata: &TableMetadata) -> Result<Self> {
        Ok(Self { storage: metadata.keyed(self.storage)?, ..self })
    }

    /// The input of a user, resolved: a location after relocation, and absolute targets of relocation.
    pub(crate) fn resolved(mut self, location: &str) -> Result<(String, Self)> {
        // An empty target is left for `Relocation` to refuse, which names the pair.
        for (_, target) in self.relocate.iter_mut().filter(|(_, target)| !target.is_empty()) {
            *target = Location::from_user(target)?;
        }
        let relocated = Relocation::new(&self.relocate)?.apply(&Location::from_user(location)?);
        Ok((relocated, self))
    }
}

/// An Iceberg table at one metadata file. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Table {
    metadata: Arc<TableMetadata>,
    metadata_location: String,
    relocation: Arc<Relocation>,
    store: Arc<dyn Store>,
    options: Arc<OpenOptions>,
    manifest_cache: Arc<ManifestCache>,
}

impl Table {
    /// Opens a table directory or a metadata file.
    ///
    /// The location, and the targets of relocation, are user input (see [`Location::from_user`]): relative paths become
    /// absolute, so that the table is the same in a process with another working directory.
    ///
    /// Errors: `NotFound`, naming what was looked for; `InvalidData` for damaged metadata; `Unsupported` for an
    /// unknown format version or scheme; those of the store.
    pub fn open(location: &str, options: OpenOptions) -> Result<Self> {
        let (location, options) = options.resolved(location)?;
        Self::open_at(&location, options)
    }

    /// Opens the metadata file that a table names as its own ([`Table::metadata_location`]). Its location is not relocated
    /// again.
    ///
    /// Errors: those of [`Table::open`].
    pub fn open_at(metadata_location: &str, options: OpenOptions) -> Result<Self> {
        let relocation = Relocation::new(&options.relocate)?;
        let store = open_store(&options.storage)?;
        let cache_bytes = options.manifest_cache.map_or_else(manifest_cache_budget, Ok)?;
        let (metadata_location, metadata) = open_metadata(store.as_ref(), metadata_location)?;
        let options = options.keyed(&metadata).context("path", &metadata_location)?;
        let store = if options.storage.keys().is_some() { open_store(&options.storage)? } else { store };
        Ok(Self {
            metadata: Arc::new(metadata),
            metadata_location,
            relocation: Arc::new(relocation),
            store,
            options: Arc::new(options),
            manifest_cache: Arc::new(ManifestCache::new(cache_bytes)),
        })
    }

    /// Opens metadata that a catalog gave as JSON, with the location of its file, which is not read.
    ///
    /// Errors: those of [`Table::open`], of reading the metadata.
    pub fn from_metadata(metadata: &[u8], metadata_location: &str, options: OpenOptions) -> Result<Self> {
        let metadata = parse_table_metadata(metadata, metadata_location)?;
        Self::written(Arc::new(metadata), metadata_location.to_owned(), options)
    }

    /// The same table with the manifest cache of an earlier state, which keeps its bound, and the keys that it knows.
    ///
    /// Errors: those of opening a store; `InvalidData` for damaged keys.
    pub fn with_manifests_of(self, earlier: &Self) -> Result<Self> {
        let manifest_cache = Arc::clone(&earlier.manifest_cache);
        let of_earlier = &earlier.options.storage;
        let management = self.options.storage.key_management().or(of_earlier.key_management()).cloned();
        if !self.metadata.has_master_key() {
            return Ok(Self { manifest_cache, ..self });
        }
        let storage = self.options.storage.clone();
        let storage = storage.with_key_management(management).with_keys(of_earlier.keys().cloned());
        Ok(Self { manifest_cache, ..self.with_storage(storage)? })
    }

    /// The table with metadata that was just written to a location and is not read back.
    pub fn written(
        metadata: Arc<TableMetadata>,
        metadata_location: String,
        options: OpenOptions,
    ) -> Result<Self> {
        let cache_bytes = options.manifest_cache.map_or_else(manifest_cache_budget, Ok)?;
        let options = options.keyed(&metadata).context("path", &metadata_location)?;
        Ok(Self {
            metadata,
            metadata_location,
            relocation: Arc::new(Relocation::new(&options.relocate)?),
            store: open_store(&options.storage)?,
            options: Arc::new(options),
            manifest_cache: Arc::new(ManifestCache::new(cache_bytes)),
        })
    }

    /// The same table with metadata that was just written to a location. Decoded manifests stay cached.
    ///
    /// Errors: `InvalidData` for damaged keys.
    pub fn moved_on(&self, metadata: Arc<TableMetadata>, metadata_location: String) -> Result<Self> {
        let moved = Self { metadata, metadata_location, ..self.clone() };
        if !moved.metadata.has_master_key() {
            return Ok(moved);
        }
        let storage = self.options.storage.clone();
        moved.with_storage(storage)
    }

    /// The metadata.
    pub fn metadata(&self) -> &Arc<TableMetadata> {
        &self.metadata
    }

    /// The metadata file that was opened.
    pub fn metadata_location(&self) -> &str {
        &self.metadata_location
    }

    /// How it was opened.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// The relocation of written locations.
    pub fn relocation(&self) -> &Arc<Relocation> {
        &self.relocation
    }

    /// Its cache of decoded manifests. Clones of the table share it.
    pub fn manifest_cache(&self) -> &Arc<ManifestCache> {
        &self.manifest_cache
    }

    /// The same table, whose files are read with other options of stores.
    ///
    /// Errors: those of opening a store.
    pub fn with_storage(&self, storage: StoreOptions) -> Result<Self> {
        let of_now = &self.options.storage;
        let management = storage.key_management().or(of_now.key_management()).cloned();
        let keys = storage.keys().or(of_now.keys()).cloned();
        let storage = storage.with_key_management(management).with_keys(keys);
        let options = OpenOptions { storage, ..self.options.as_ref().clone() }.keyed(&self.metadata)?;
        Ok(Self { store: open_store(&options.storage)?, options: Arc::new(options), ..self.clone() })
    }

    /// The reader of its manifests, with as many threads as the process may use.
    pub fn manifest_reader(&self, cancel: &Cancel) -> Result<ManifestReader> {
        Ok(ManifestReader {
            store: Arc::clone(&self.store),
            relocation: Arc::clone(&self.relocation),
            cache: Arc::clone(&self.manifest_cache),
            threads: thread_budget()?,
            cancel: cancel.clone(),
            is_planned_by_server: self.options.planner.is_some(),
        })
    }

    /// The partition specs that a snapshot has data files of. Errors: those of reading its manifest list.
    pub fn live_specs(&self, snapshot: &Snapshot, cancel: &Cancel) -> Result<BTreeSet<i32>> {
        let manifests = self.manifest_reader(cancel)?.manifests(snapshot)?;
        let has_files = |manifest: &ManifestFile| {
            manifest.content == ManifestContent::Data
                && (manifest.added_files_count != Some(0) || manifest.existing_files_count != Some(0))
        };
        Ok(manifests.iter().filter(|each| has_files(each)).map(|each| each.partition_spec_id).collect())
    }

    /// The manifests of all its snapshots, each once.
    pub fn all_manifests(&self, cancel: &Cancel) -> Result<AllManifests> {
        Ok(AllManifests::new(self.manifest_reader(cancel)?, self.metadata.snapshots.clone()))
    }

    /// The files that can be reached from its metadata.
    pub fn reachable_files(&self, cancel: &Cancel) -> Result<ReachableFiles> {
        ReachableFiles::new(self.manifest_reader(cancel)?, &self.metadata, &self.metadata_location)
    }

    /// Adds a hint to the error of a missing file, if the table is not at its recorded location.
    pub(crate) fn explain_missing_file(&self, error: Error) -> Error {
        explain_missing_file(error, &self.metadata, &self.metadata_location, &self.relocation)
    }

    /// Where its files are read from.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
}
