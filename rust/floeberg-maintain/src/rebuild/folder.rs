//! Which files lie in the folder of a table?
//!
//! In: the folder. Out: metadata files, Avro files beside them, and the locations of all files.
//! Spec: File System Tables; Metastore Tables.
//!
//! Invariant: a folder of another table format, or of several tables, is an error. Nothing is opened.

use std::collections::HashSet;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::location::{canonical, file_name, join, shown, without_end_slashes};
use floeberg_io::{ListedFolder, Store};

use crate::listed::other_format;
use crate::place::Places;

/// The files of a folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) location: String,
    pub(super) metadata_files: Vec<String>,
    pub(super) avro_files: Vec<String>,
    /// The other files.
    pub(super) others: Vec<String>,
    /// Folders that have the name of a metadata file, a manifest list or a manifest.
    pub(super) folders: Vec<String>,
    all: HashSet<String>,
}

impl Folder {
    /// Lists a folder.
    ///
    /// Errors: `NotFound` for a folder that does not exist; `InvalidInput` for one without files, of another format, or with other tables
    /// in it; those of the store.
    pub(super) fn list(store: &dyn Store, location: &str) -> Result<Self> {
        let location = without_end_slashes(location);
        let wrong = |message: String| Error::invalid_input(message).with("path", shown(location));
        let listed = store.names_below(location).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::not_found("there is no folder to rebuild a table from")
                .with("path", shown(location))
                .caused_by(error),
            _ => error,
        })?;
        let mut found = Self {
            location: location.to_owned(),
            metadata_files: Vec::new(),
            avro_files: Vec::new(),
            others: Vec::new(),
            folders: Vec::new(),
            all: HashSet::new(),
        };
        let own = join(canonical(location), "metadata");
        let mut of_others = None;
        for file in listed.iter().flat_map(files_of) {
            let place = canonical(&file);
            let below = place.strip_prefix(canonical(location)).unwrap_or(place);
            if let Some(name) = other_format(below) {
                let format = match name {
                    "_versions" => "Lance",
                    "_delta_log" => "Delta Lake",
                    _ => "Hudi",
                };
                return Err(wrong(format!(
                    "expected the folder of an Iceberg table, found one of {format}: it has {name:?}"
                )));
            }
            let name = file_name(&file).unwrap_or_default();
            let is_own = place.strip_suffix(name).is_some_and(|folder| without_end_slashes(folder) == own);
            let is_metadata = name.contains(".metadata.json") && !name.starts_with('.');
            if is_metadata && !is_own {
                of_others.get_or_insert_with(|| file.clone());
            }
            found.all.insert(place.to_owned());
            let kind = match (is_own, is_metadata, name.starts_with('.')) {
                (_, _, true) => continue,
                (true, true, _) => &mut found.metadata_files,
                (true, false, _) if file_end(name) == Some("avro") => &mut found.avro_files,
                (true, ..) | (_, true, _) => continue,
                (false, false, _) => &mut found.others,
            };
            kind.push(file);
        }
        if found.all.is_empty() {
            return Err(wrong(
                "the folder has no files: there is nothing to rebuild a table from".to_owned(),
            ));
        }
        if let Some(other) = of_others {
            let message = "the folder has the metadata of a table below it: expected the folder of one table";
            return Err(wrong(message.to_owned()).with("metadata", other));
        }
        let own_folder = join(location, "metadata");
        let entries = match store.list(&own_folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            entries => entries?,
        };
        let is_named_as_file = |name: &str| {
            !name.starts_with('.') && (name.contains(".metadata.json") || file_end(name) == Some("avro"))
        };
        let folders = entries.iter().filter(|entry| entry.is_folder && is_named_as_file(&entry.name));
        found.folders = folders.map(|entry| join(&own_folder, &entry.name)).collect();
        for files in [&mut found.metadata_files, &mut found.avro_files, &mut found.others, &mut found.folders]
        {
            files.sort_unstable();
        }
        Ok(found)
    }

    /// Is a file there? Those of other folders are asked for.
    pub(super) fn has(&self, store: &dyn Store, written: &str) -> Result<bool> {
        if self.all.contains(canonical(written)) { Ok(true) } else { store.exists(written) }
    }
}

fn files_of(folder: &ListedFolder) -> impl Iterator<Item = String> {
    (0..folder.len()).map(|number| folder.location(number))
}

/// Errors: `InvalidInput` for a target in the folder of the old table, or around it; `AlreadyExists` for one that has files.
pub(super) fn check_target(store: &dyn Store, location: &str, target: &str) -> Result<()> {
    let mut places = Places::default();
    let (old, new) = (places.of_folder(location), places.of_new_folder(target));
    let rest = new.path.strip_prefix(&old.path).filter(|_| new.prefix == old.prefix);
    if rest.is_some_and(|rest| old.path.is_empty() || rest.is_empty() || rest.starts_with('/')) {
        return Err(Error::invalid_input(
            "expected a new folder outside of that of the old table: its files stay as they are, and a table in another one's folder \
             takes its files for its own",
        )
        .with("path", shown(target)));
    }
    let there = match store.names_below(without_end_slashes(target)) {
        Ok(listed) => listed.iter().flat_map(files_of).next(),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match there {
        None => Ok(()),
        Some(file) => {
            let message = "expected a new or an empty folder for the rebuilt table, found files in it";
            Err(Error::new(ErrorKind::AlreadyExists, message).with("path", file))
        }
    }
}

/// The end of a name, without its dot.
pub(super) fn file_end(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, end)| end)
}
