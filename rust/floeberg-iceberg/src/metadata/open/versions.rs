//! Which versions does a table in a folder have?
//!
//! In: a store, and the folder of a table or its metadata folder. Out: its metadata files, the newest first. None is read.
//! Spec: File System Tables.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::Store;
use floeberg_io::location::{file_name, join};

use super::folder::HINT;
use super::name::{Scheme, parse_name, suffix_rank};
use super::table::METADATA_FOLDER;

/// The files of a metadata folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderVersions {
    /// The metadata folder.
    pub folder: String,
    /// The version and the location of each metadata file, the newest first. Of several files of a version, the one that counts.
    pub versions: Vec<(u64, String)>,
    /// The names of all files of the folder.
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
        let names: Vec<String> =
            entries.into_iter().filter(|entry| !entry.is_folder).map(|entry| entry.name).collect();
        let mut versions: Vec<(u64, usize, &String)> = Vec::new();
        for name in &names {
            match parse_name(name) {
                Some((Scheme::FileSystem, version)) => versions.push((version, suffix_rank(name), name)),
                Some((Scheme::Metastore, _)) => {
                    return Err(Error::invalid_input(format!(
                        "expected metadata files that the folder numbers, such as v1.metadata.json, found {name:?}: a \
                         catalog knows the current one"
                    ))
                    .with("path", &folder));
                }
                None => {}
            }
        }
        if versions.is_empty() {
            continue;
        }
        versions.sort_by_key(|(version, rank, _)| (std::cmp::Reverse(*version), *rank));
        versions.dedup_by_key(|(version, _, _)| *version);
        let versions =
            versions.iter().map(|(version, _, name)| (*version, join(&folder, name))).collect::<Vec<_>>();
        return Ok(FolderVersions { folder, versions, names });
    }
    Err(Error::not_found("no table in a folder is here: looked for metadata/v<V>.metadata.json")
        .with("path", location))
}
