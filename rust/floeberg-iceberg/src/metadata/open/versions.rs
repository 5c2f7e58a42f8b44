//! Which versions does a table in a folder have?
//!
//! In: a store, and the folder of a table or its metadata folder. Out: its metadata files, the newest first. None is read.
//! Spec: File System Tables.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::location::{file_name, join};
use floeberg_io::{Entry, Store};

use super::folder::HINT;
use super::name::{Scheme, parse_name, suffix_rank};
use super::table::METADATA_FOLDER;

/// A metadata file of a version, or a folder with the name of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionFile {
    /// The version.
    pub version: u64,
    /// Its location.
    pub location: String,
    /// Is it a folder? Writers cannot use its name then.
    pub is_folder: bool,
}

/// The version of a metadata file by its name; `None` for a file that a catalog knows.
pub fn file_version(location: &str) -> Option<u64> {
    match parse_name(file_name(location)?)? {
        (Scheme::FileSystem, version) => Some(version),
        (Scheme::Metastore, _) => None,
    }
}

/// The files of a metadata folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderVersions {
    /// The metadata folder.
    pub folder: String,
    /// Each metadata file, the newest version first. Of several files of a version, the one that counts is the first.
    pub versions: Vec<VersionFile>,
    /// The names of all files and folders in it.
    pub names: Vec<String>,
}

impl FolderVersions {
    /// Where the hint is.
    pub fn hint(&self) -> String {
        join(&self.folder, HINT)
    }
}

/// The versions of a table in a folder.
///
/// Errors: `NotFound` without any; `InvalidInput` where a catalog knows the current one, by the names of the files; those of the store.
pub fn folder_versions(store: &dyn Store, location: &str) -> Result<FolderVersions> {
    let below = join(location, METADATA_FOLDER);
    let folders = if file_name(location) == Some(METADATA_FOLDER) {
        vec![location.to_owned(), below]
    } else {
        vec![below]
    };
    for folder in folders {
        let entries = match store.list(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let mut versions = Vec::new();
        for Entry { name, is_folder, .. } in &entries {
            match parse_name(name) {
                Some((Scheme::FileSystem, version)) => {
                    let location = join(&folder, name);
                    let file = VersionFile { version, location, is_folder: *is_folder };
                    versions.push((std::cmp::Reverse(version), suffix_rank(name), file));
                }
                Some((Scheme::Metastore, _)) if !is_folder => {
                    return Err(Error::invalid_input(format!(
                        "expected metadata files that the folder numbers, such as v1.metadata.json, found {name:?}: a \
                         catalog knows the current one"
                    ))
                    .with("path", &folder));
                }
                _ => {}
            }
        }
        if versions.iter().all(|(_, _, file)| file.is_folder) {
            continue;
        }
        versions.sort_by_key(|(version, rank, _)| (*version, *rank));
        let versions = versions.into_iter().map(|(_, _, file)| file).collect();
        let names = entries.into_iter().map(|entry| entry.name).collect();
        return Ok(FolderVersions { folder, versions, names });
    }
    Err(Error::not_found("no table in a folder is here: looked for metadata/v<V>.metadata.json")
        .with("path", location))
}
