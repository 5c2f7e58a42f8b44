//! Where are the files of the table that is checked?
//!
//! Invariant: nothing comes from a cache. A file that is missing or damaged is a finding; a store that fails, or refuses, is an error.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::finding::{Findings, split};
use floeberg_io::{Location, Relocation, Store, location, open_store};

use super::rules::versions::MANIFEST_READABLE;
use crate::checkout::Found;
use crate::metadata::{self, Bases, ListedVersion, ManifestFile, Schema, branch_folder};
use crate::table::{OpenOptions, Table};

/// A branch of a table, of which nothing need be sound.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) store: Arc<dyn Store>,
    /// The folder of the table.
    pub(super) root: String,
    pub(super) branch: Option<String>,
    /// The folder of the branch.
    pub(super) folder: String,
    relocation: Arc<Relocation>,
    options: Arc<OpenOptions>,
}

impl Reading {
    /// The main branch of what is at a location. Nothing is read. Errors: `InvalidInput`; `Unsupported` for a scheme without a store.
    pub(super) fn of_location(place: &str, options: &OpenOptions) -> Result<Self> {
        let root = location::without_end_slashes(&Location::from_user(place)?).to_owned();
        Self::new(open_store(&options.storage)?, root, None, Arc::new(options.clone()))
    }

    /// The branch of a table that is open. Errors: those of relocated prefixes.
    pub(super) fn of_table(table: &Table) -> Result<Self> {
        let branch = table.branch().map(str::to_owned);
        let options = Arc::new(table.options().clone());
        Self::new(Arc::clone(table.store()), table.location().to_owned(), branch, options)
    }

    /// Another branch of the same table. Errors: those of relocated prefixes.
    pub(super) fn of_branch(&self, name: String) -> Result<Self> {
        Self::new(Arc::clone(&self.store), self.root.clone(), Some(name), Arc::clone(&self.options))
    }

    fn new(
        store: Arc<dyn Store>,
        root: String,
        branch: Option<String>,
        options: Arc<OpenOptions>,
    ) -> Result<Self> {
        let relocation = Arc::new(Relocation::new(&options.relocate)?);
        let folder = branch_folder(&root, branch.as_deref());
        Ok(Self { store, root, branch, folder, relocation, options })
    }

    /// The manifest of a version, and what is wrong with it as a file. Errors: those of the store.
    pub(super) fn document(&self, listed: ListedVersion) -> Result<(Findings, Option<Document>)> {
        let mut found = Findings::of_snapshot(&listed.path(&self.folder), listed.version as i64);
        match split(ManifestFile::open_unchecked(self.store.as_ref(), &self.folder, listed))? {
            Ok(file) => {
                let head = &file.manifest.head;
                let bases = Bases::new(&self.folder, &head.base_paths, &self.relocation);
                let schema = Schema::new(&head.fields, &head.schema_metadata).ok();
                Ok((found, Some(Document { listed, file, bases, schema })))
            }
            Err(error) => {
                found.add(&MANIFEST_READABLE, "", error);
                Ok((found, None))
            }
        }
    }

    /// The version as a table, where its manifest is sound. Errors: those of [`Table::open`].
    pub(super) fn table(&self, document: &Document) -> Result<Table> {
        metadata::check(&document.file.manifest, document.listed.version)?;
        let found = Found {
            branch: self.branch.clone(),
            folder: self.folder.clone(),
            version: document.listed,
            identity: None,
        };
        Table::of_file(
            document.file.clone(),
            Arc::clone(&self.store),
            &self.root,
            found,
            Arc::clone(&self.options),
        )
    }
}

/// A manifest that could be decoded.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) listed: ListedVersion,
    pub(super) file: ManifestFile,
    pub(super) bases: Bases,
    /// `None` where its fields make no schema.
    pub(super) schema: Option<Schema>,
}

impl Document {
    /// No finding yet, of the manifest.
    pub(super) fn findings(&self) -> Findings {
        Findings::of_snapshot(&self.file.path, self.listed.version as i64)
    }
}
