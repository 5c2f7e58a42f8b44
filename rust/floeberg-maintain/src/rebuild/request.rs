//! What is rebuilt, and what was found out about it?
//!
//! In: the wishes of a caller. Out: the new table, and every file that is not in it, with the reason.
//! Spec: none.

use std::sync::{Arc, Mutex, PoisonError};

use floeberg_commit::Rebuild;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::{OpenOptions, Table};
use floeberg_io::{Relocation, Store, StoreOptions, open_store};

use crate::check::Reading;
use crate::place::{Place, Places};

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct RebuildRequest {
    /// The folder of the old table.
    pub location: String,
    /// The folder of the new table.
    pub target: String,
    /// The files that are live; `None` where metadata and manifests are to say it.
    pub files: Option<Vec<String>>,
    /// The snapshot that the new table stands on; `None` is the newest that can be read whole.
    pub snapshot_id: Option<i64>,
    /// The columns, where no manifest says them.
    pub schema: Option<Schema>,
    /// The name mapping of the table, as the JSON of its property, where its metadata is gone.
    pub name_mapping: Option<String>,
    /// Are data files left out that are gone?
    pub drops_missing_data_files: bool,
    /// Are delete files left out that are gone?
    pub drops_missing_delete_files: bool,
    /// The options of the stores.
    pub storage: StoreOptions,
}

/// A file that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The file.
    pub location: String,
    /// Why.
    pub reason: String,
}

/// A data file or delete file, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftFile {
    /// Its location, as written.
    pub location: String,
    /// `data`, `position deletes` or `equality deletes`.
    pub content: &'static str,
    /// Rows; for delete files deletes.
    pub rows: i64,
    /// Why it is named.
    pub reason: String,
}

/// A new table, planned. Nothing is written.
#[derive(Debug)]
pub struct RebuildPlan {
    /// The new table.
    pub rebuild: Rebuild,
    /// `metadata`, `manifest-list`, `manifests` or `files`.
    pub source: &'static str,
    /// The files that say which files are live.
    pub source_files: Vec<String>,
    /// The snapshot of the old table that the new one stands on.
    pub snapshot_id: Option<i64>,
    /// Files that could not be used.
    pub passed_over: Vec<PassedOver>,
    /// Live data files.
    pub data_files: u64,
    /// Live delete files, and deletion vectors.
    pub delete_files: u64,
    /// Rows of the live data files; rows that are deleted count too.
    pub rows: i64,
    /// Files that other manifests say something about, which nothing proves.
    pub unproven: Vec<LeftFile>,
    /// Live files that are gone, and are left out.
    pub missing: Vec<LeftFile>,
    /// What is better done, or what nothing proves; `None` where there is nothing to say.
    pub advice: Option<String>,
}

/// Where the files of the old table are read.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) store: Arc<dyn Store>,
    pub(super) storage: StoreOptions,
    pub(super) reading: Reading,
    pub(super) cancel: Cancel,
    places: Mutex<Places<'static>>,
}

impl Reader {
    /// Errors: `Unsupported` for options that no store has.
    pub(super) fn new(storage: &StoreOptions, cancel: &Cancel) -> Result<Self> {
        let store = open_store(storage)?;
        let relocation = Arc::new(Relocation::default());
        let reading = Reading { store: Arc::clone(&store), relocation };
        let places = Mutex::default();
        Ok(Self { store, storage: storage.clone(), reading, cancel: cancel.clone(), places })
    }

    /// The form in which files are compared: tables, stores and callers write one file in several ways.
    pub(super) fn place(&self, location: &str) -> Place {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.of_file(location)
    }

    /// A table that is not written yet.
    pub(super) fn table(&self, metadata: &Arc<TableMetadata>) -> Result<Table> {
        let location = format!("{}/rebuilt.metadata.json", metadata.metadata_folder());
        let options = OpenOptions { storage: self.storage.clone(), ..OpenOptions::default() };
        Table::written(Arc::clone(metadata), location, options)
    }
}
