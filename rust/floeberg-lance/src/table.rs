//! What is a Lance table, once it is open?
//!
//! In: a location, and which version is meant. Out: that version: schema, fragments, deletes, row ids, transaction, and what other
//! versions there are.
//!
//! Invariant: a table is one version of one branch, and stays it.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{Location, Relocation, Store, StoreOptions, location, open_store};
use roaring::RoaringBitmap;

use crate::checkout::{Checkout, Found};
use crate::deletes;
use crate::metadata::{self, Bases, Branch, ListedVersion, ManifestFile, Schema, Tag};
use crate::plan::Plan;
use crate::row_ids::{RowIdIndex, RowIds, RowVersions};
use crate::wire::{Fragment, IndexMetadata, LineageOf, Manifest, ManifestHead, Transaction};

/// Transactions name fragments, and are about as large as manifests at most.
pub(crate) const LARGEST_TRANSACTION: u64 = u32::MAX as u64;

/// How a table is opened.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Which version is meant.
    pub checkout: Checkout,
    /// Prefixes of base paths, and where they are now.
    pub relocate: Vec<(String, String)>,
    /// The options of the stores.
    pub storage: StoreOptions,
}

/// A version of a Lance table. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Table {
    root: String,
    branch: Option<String>,
    branch_identity: Option<String>,
    file: Arc<ManifestFile>,
    manifest: Arc<Manifest>,
    schema: Arc<Schema>,
    bases: Arc<Bases>,
    store: Arc<dyn Store>,
    options: Arc<OpenOptions>,
}

impl Table {
    /// Opens a version of the table in a folder.
    ///
    /// The location is user input (see [`Location::from_user`]). Errors: `NotFound` for a folder without a table, and for a
    /// version, tag or branch that is not there; `InvalidData` for a damaged manifest; `Unsupported` for features that are
    /// not known; those of the store.
    pub fn open(location: &str, options: &OpenOptions) -> Result<Self> {
        let store = open_store(&options.storage)?;
        let root = Location::from_user(location)?;
        Self::open_in(store, location::without_end_slashes(&root), options)
    }

    /// Opens a version of the table in a folder of a store. Errors: those of [`Self::open`].
    pub fn open_in(store: Arc<dyn Store>, root: &str, options: &OpenOptions) -> Result<Self> {
        let found = options.checkout.find(store.as_ref(), root)?;
        let file = ManifestFile::open(store.as_ref(), &found.folder, found.version)?;
        Self::of_file(file, store, root, found, Arc::new(options.clone()))
    }

    /// A version whose manifest was read and checked. Errors: those of [`Self::open`].
    pub(crate) fn of_file(
        file: ManifestFile,
        store: Arc<dyn Store>,
        root: &str,
        found: Found,
        options: Arc<OpenOptions>,
    ) -> Result<Self> {
        let head = &file.manifest.head;
        let schema = Schema::new(&head.fields, &head.schema_metadata).context("path", &file.path)?;
        let bases = Bases::new(&found.folder, &head.base_paths, &Relocation::new(&options.relocate)?);
        Ok(Self {
            root: root.to_owned(),
            branch: found.branch,
            branch_identity: found.identity,
            manifest: Arc::clone(&file.manifest),
            file: Arc::new(file),
            schema: Arc::new(schema),
            bases: Arc::new(bases),
            store,
            options,
        })
    }

    /// Another version of the branch. Errors: those of [`Self::open`].
    pub fn at(&self, version: ListedVersion) -> Result<Self> {
        Ok(Self {
            branch_identity: self.branch_identity.clone(),
            ..self.at_branch(self.branch.clone(), version)?
        })
    }

    /// A version of another branch; `None` is the main one. Errors: those of [`Self::open`].
    pub fn at_branch(&self, branch: Option<String>, version: ListedVersion) -> Result<Self> {
        let folder = metadata::branch_folder(&self.root, branch.as_deref());
        let file = ManifestFile::open(self.store.as_ref(), &folder, version)?;
        let found = Found { branch, folder, version, identity: None };
        Self::of_file(file, Arc::clone(&self.store), &self.root, found, Arc::clone(&self.options))
    }

    /// A version of the branch that was just written. No file is opened. Errors: those of [`Self::open`].
    pub(crate) fn written(
        &self,
        manifest: &Arc<Manifest>,
        file: &Bytes,
        version: ListedVersion,
    ) -> Result<Self> {
        let folder = self.bases.folder().to_owned();
        let file = ManifestFile::of_written(Arc::clone(manifest), file, version.path(&folder))?;
        let (branch, identity) = (self.branch.clone(), self.branch_identity.clone());
        let found = Found { branch, folder, version, identity };
        Self::of_file(file, Arc::clone(&self.store), &self.root, found, Arc::clone(&self.options))
    }

    /// The rows of this version with the columns of another one, by the ids of their fields. Columns may all be null.
    #[must_use]
    pub fn with_columns_of(&self, other: &Self) -> Self {
        Self { schema: Arc::new(other.schema.optional()), ..self.clone() }
    }

    /// The same rows with some of the columns, or with columns that say other things of themselves.
    pub(crate) fn with_schema(&self, schema: Schema) -> Self {
        Self { schema: Arc::new(schema), ..self.clone() }
    }

    /// What distinguishes its branch from another one of its name; `None` where that is not known.
    pub(crate) fn branch_identity(&self) -> Option<&str> {
        self.branch_identity.as_deref()
    }

    /// Is the manifest that was read the one at a place? Errors: `NotFound` without a file there; those of the store.
    pub(crate) fn is_manifest_at(&self, path: &str) -> Result<bool> {
        self.file.is_at(self.store.as_ref(), path)
    }

    /// A version whose manifest is in memory, such as a part of one that another process opened. No file is opened.
    ///
    /// `folder` is that of the branch, `path` the place of its manifest, for errors. Errors: those of [`Self::open`].
    pub fn of_manifest(folder: &str, path: &str, manifest: &Bytes, options: &OpenOptions) -> Result<Self> {
        let manifest = Manifest::parse(manifest).context("path", path)?;
        let file = ManifestFile::in_memory(manifest, path)?;
        let head = &file.manifest.head;
        let schema = Schema::new(&head.fields, &head.schema_metadata).context("path", path)?;
        let bases = Bases::new(folder, &head.base_paths, &Relocation::new(&options.relocate)?);
        Ok(Self {
            root: folder.to_owned(),
            branch: head.branch.clone(),
            branch_identity: None,
            manifest: Arc::clone(&file.manifest),
            schema: Arc::new(schema),
            bases: Arc::new(bases),
            store: open_store(&options.storage)?,
            options: Arc::new(options.clone()),
            file: Arc::new(file),
        })
    }

    /// How it was opened.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Where its files are read.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Is it read from elsewhere than it says? Then it cannot be written.
    pub fn is_relocated(&self) -> bool {
        !self.options.relocate.is_empty()
    }

    /// Do rows have ids that stay when they move?
    pub fn has_stable_row_ids(&self) -> bool {
        self.manifest.head.reader_feature_flags & metadata::STABLE_ROW_IDS != 0
    }

    /// The message of the indices as it is written. Errors: `InvalidData`; those of the store.
    pub(crate) fn index_section(&self) -> Result<Option<Bytes>> {
        self.file.indices(self.store.as_ref())
    }

    /// The folder of the table.
    pub fn location(&self) -> &str {
        &self.root
    }

    /// The branch of the version; `None` is the main one.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The version.
    pub fn version(&self) -> u64 {
        self.manifest.head.version
    }

    /// The manifest of the version.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where the manifest is.
    pub fn manifest_location(&self) -> &str {
        &self.file.path
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The folders of its files.
    pub fn bases(&self) -> &Bases {
        &self.bases
    }

    /// The versions of the branch, ascending. No manifest is read. Errors: those of the store.
    pub fn versions(&self) -> Result<Vec<ListedVersion>> {
        metadata::versions(self.store.as_ref(), self.bases.folder())
    }

    /// What a version of the branch says beside its fragments, such as when it was made. Errors: those of [`Self::open`].
    pub fn version_head(&self, version: ListedVersion) -> Result<ManifestHead> {
        metadata::read_head(self.store.as_ref(), self.bases.folder(), version)
    }

    /// The tags, by name. Errors: `InvalidData`; those of the store.
    pub fn tags(&self) -> Result<Vec<Tag>> {
        metadata::tags(self.store.as_ref(), &self.root)
    }

    /// The branches but the main one, by name. Errors: `InvalidData`; those of the store.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        metadata::branches(self.store.as_ref(), &self.root)
    }

    /// The indices, which are carried and not used. Errors: `InvalidData`; those of the store.
    pub fn indices(&self) -> Result<Vec<IndexMetadata>> {
        let section = self.file.indices(self.store.as_ref())?;
        section.map_or(Ok(Vec::new()), |section| {
            IndexMetadata::parse_section(&section).context("path", &self.file.path)
        })
    }

    /// What made the version; `None` where nothing says it. Errors: `InvalidData`; those of the store.
    pub fn transaction(&self) -> Result<Option<Transaction>> {
        if let Some(section) = self.file.transaction(self.store.as_ref())? {
            return Transaction::parse(&section).context("path", &self.file.path).map(Some);
        }
        let name = &self.manifest.head.transaction_file;
        if name.is_empty() {
            return Ok(None);
        }
        let path = self.bases.transaction_file(name).context("path", &self.file.path)?;
        let bytes = self.store.open(&path)?.read_all(LARGEST_TRANSACTION)?;
        let made = Transaction::parse(&bytes).context("path", &path)?;
        // Conflicts are looked for by it: that of another version would hide one.
        if metadata::transaction_file(made.read_version, &made.uuid) != *name {
            let message = format!(
                "expected the transaction that its file is named by, found {:?} of version {}",
                made.uuid, made.read_version
            );
            return Err(Error::invalid_data(message).with("path", path));
        }
        Ok(Some(made))
    }

    /// The fragments that hold the rows. Errors: `InvalidData`, naming the manifest.
    pub fn plan(&self) -> Result<Plan> {
        Plan::new(Arc::clone(&self.manifest), Arc::clone(&self.bases), &self.file.path)
    }

    /// All that is known of a fragment, by its place. Errors: `InvalidData`, naming the manifest.
    pub fn fragment(&self, place: usize) -> Result<Fragment> {
        self.manifest.fragments.fragment(place).context("path", &self.file.path)
    }

    /// The number of rows that are not deleted. Only deletion files that do not say how many rows they delete are read.
    ///
    /// Errors: `InvalidData` for a fragment that does not say how many rows it has; those of [`Self::deleted_rows`].
    pub fn count(&self) -> Result<u64> {
        self.plan()?;
        let fragments = &self.manifest.fragments;
        let mut rows = 0_u64;
        for place in 0..fragments.len() {
            let deleted = match fragments.deleted_rows(place) {
                0 if fragments.has_deletion_file(place) => self.deleted_rows(place)?.len(),
                known => known,
            };
            rows = rows.saturating_add(fragments.physical_rows()[place].saturating_sub(deleted));
        }
        Ok(rows)
    }

    /// The deleted rows of a fragment, by its place. Errors: `InvalidData`, naming the file; those of the store.
    pub fn deleted_rows(&self, place: usize) -> Result<RoaringBitmap> {
        let fragments = &self.manifest.fragments;
        let Some(file) = fragments.deletion_file(place).context("path", &self.file.path)? else {
            return Ok(RoaringBitmap::new());
        };
        let path =
            self.bases.deletion_file(fragments.ids()[place], &file).context("path", &self.file.path)?;
        deletes::read(self.store.as_ref(), &path, &file, fragments.physical_rows()[place])
    }

    /// The stable ids of a fragment's rows, by its place; `None` where rows have none.
    ///
    /// Errors: `InvalidData`, naming the manifest; `Unsupported` for ids in a hidden column, which are read with the data.
    pub fn row_ids(&self, place: usize) -> Result<Option<RowIds>> {
        let Some(bytes) = self.inline(self.manifest.fragments.row_ids(place), place, "row ids")? else {
            return Ok(None);
        };
        let check = || {
            let ids = RowIds::parse(bytes)?;
            ids.check_length(self.manifest.fragments.physical_rows()[place])?;
            ids.check_below(self.manifest.head.next_row_id)?;
            Ok(ids)
        };
        self.of_fragment(place, check()).map(Some)
    }

    /// Checks the stable ids of a fragment that are in the manifest, also where nobody asks for them. Errors: those of
    /// [`Self::row_ids`].
    pub(crate) fn check_row_ids(&self, place: usize) -> Result<()> {
        match self.manifest.fragments.row_ids(place) {
            LineageOf::Inline(_) => self.row_ids(place).map(drop),
            LineageOf::Absent | LineageOf::Column => Ok(()),
        }
    }

    /// The versions in which a fragment's rows came into the table; `None` where that is not known.
    ///
    /// Errors: those of [`Self::row_ids`].
    pub fn created_at_versions(&self, place: usize) -> Result<Option<RowVersions>> {
        self.row_versions(self.manifest.fragments.created_at_versions(place), place)
    }

    /// The versions in which a fragment's rows were last changed; `None` where that is not known.
    ///
    /// Errors: those of [`Self::row_ids`].
    pub fn last_updated_at_versions(&self, place: usize) -> Result<Option<RowVersions>> {
        self.row_versions(self.manifest.fragments.last_updated_at_versions(place), place)
    }

    fn row_versions(&self, lineage: LineageOf<'_>, place: usize) -> Result<Option<RowVersions>> {
        let Some(bytes) = self.inline(lineage, place, "versions of rows")? else { return Ok(None) };
        let check = || {
            let versions = RowVersions::parse(bytes)?;
            versions.check_length(self.manifest.fragments.physical_rows()[place])?;
            Ok(versions)
        };
        self.of_fragment(place, check()).map(Some)
    }

    fn inline<'a>(&self, lineage: LineageOf<'a>, place: usize, what: &str) -> Result<Option<&'a [u8]>> {
        match lineage {
            LineageOf::Absent => Ok(None),
            LineageOf::Inline(bytes) => Ok(Some(bytes)),
            LineageOf::Column => self.of_fragment(
                place,
                Err(Error::unsupported(format!(
                    "{what} that are a hidden column of a data file are not in the manifest"
                ))),
            ),
        }
    }

    fn of_fragment<T>(&self, place: usize, result: Result<T>) -> Result<T> {
        result.context("fragment", self.manifest.fragments.ids()[place]).context("path", &self.file.path)
    }

    /// The addresses of rows that have stable ids: the id of the fragment in the upper 32 bits, the row in the lower; `None` for
    /// an id that no row has, or that is deleted.
    ///
    /// Errors: `InvalidInput` for a table without stable ids; those of [`Self::row_ids`] and [`Self::deleted_rows`];
    /// `InvalidData` for an id that two rows have.
    pub fn addresses(&self, ids: &[u64]) -> Result<Vec<Option<u64>>> {
        let fragments = &self.manifest.fragments;
        let index = self.row_id_index()?;
        let mut deleted: std::collections::HashMap<usize, RoaringBitmap> = std::collections::HashMap::new();
        let mut addresses = Vec::with_capacity(ids.len());
        for id in ids {
            let mut found = None;
            for (place, row) in index.candidates(*id) {
                if fragments.has_deletion_file(place) && !deleted.contains_key(&place) {
                    deleted.insert(place, self.deleted_rows(place)?);
                }
                if deleted.get(&place).is_some_and(|deleted| deleted.contains(row as u32)) {
                    continue;
                }
                if found.replace(fragments.ids()[place] << 32 | row).is_some() {
                    let message = format!("expected row id {id} in one row, found it in two");
                    return Err(Error::invalid_data(message).with("path", &self.file.path));
                }
            }
            addresses.push(found);
        }
        Ok(addresses)
    }

    /// The index of stable ids. Errors: those of [`Self::addresses`].
    pub fn row_id_index(&self) -> Result<RowIdIndex> {
        let fragments = &self.manifest.fragments;
        let mut sequences = Vec::with_capacity(fragments.len());
        for place in 0..fragments.len() {
            let ids = self.row_ids(place)?.ok_or_else(|| {
                Error::invalid_input("the table has no stable row ids: rows have addresses alone")
            })?;
            sequences.push((place, ids));
        }
        Ok(RowIdIndex::new(sequences))
    }
}
