//! Are the files of a version there?
//!
//! In: a version that was opened, maybe long ago. Out: nothing, or an error that names what a cleanup removed since.
//!
//! Invariant: a cleanup never touches the newest version of a branch, so that nothing is listed for it but the versions.

use std::collections::{HashMap, HashSet};

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{Store, location};

use crate::metadata::{DETACHED, entries};
use crate::standing::{Standing, made_anew};
use crate::table::Table;

/// Checks that a version can still be read, before something else begins to name its files.
///
/// Errors: `NotFound`, naming the file, and for a table that was made anew; `InvalidData`; those of the store.
pub(crate) fn check_present(table: &Table) -> Result<()> {
    let (version, store) = (table.version(), table.store().as_ref());
    check_manifest(table)?;
    if version & DETACHED == 0 {
        let versions = table.versions()?;
        if versions.last().is_some_and(|newest| newest.version == version) {
            return Ok(());
        }
    }
    let mut folders = Folders { store, names: HashMap::new() };
    let fragments = &table.manifest().fragments;
    for place in 0..fragments.len() {
        let data = fragments.files(place).map(|file| table.bases().data_file(file.base_id, file.path));
        let deletion = fragments.deletion_file(place)?;
        let deletion = deletion.map(|file| table.bases().deletion_file(fragments.ids()[place], &file));
        for file in data.chain(deletion) {
            let file = file?;
            if !folders.have(&file)? {
                return Err(gone(table, &file));
            }
        }
    }
    Ok(())
}

/// Checks that the manifest of a version is there, as it was read. Errors: `NotFound`; those of the store.
pub(crate) fn check_manifest(table: &Table) -> Result<()> {
    match Standing::of(table)? {
        Standing::Same => Ok(()),
        Standing::Gone => Err(gone(table, table.manifest_location())),
        Standing::Other => Err(made_anew(table, ErrorKind::NotFound)),
    }
}

fn gone(table: &Table, file: &str) -> Error {
    Error::not_found(format!(
        "version {} was cleaned up meanwhile: a file of it is gone. Open the table again, and keep a version by a tag",
        table.version()
    ))
    .with("path", file)
}

/// Folders that were listed, each once.
struct Folders<'a> {
    store: &'a dyn Store,
    names: HashMap<String, HashSet<String>>,
}

impl Folders<'_> {
    fn have(&mut self, file: &str) -> Result<bool> {
        let (Some(folder), Some(name)) = (location::parent(file), location::file_name(file)) else {
            return Ok(false);
        };
        if !self.names.contains_key(folder) {
            let listed = entries(self.store, folder)?;
            let names = listed.into_iter().filter(|entry| !entry.is_folder).map(|entry| entry.name);
            self.names.insert(folder.to_owned(), names.collect());
        }
        Ok(self.names.get(folder).is_some_and(|names| names.contains(name)))
    }
}
