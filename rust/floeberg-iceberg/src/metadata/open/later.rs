//! Is there a later version of a table beside a metadata file?
//!
//! In: a metadata file. Out: the hint that belongs to it.
//! Spec: File System Tables.
//!
//! Invariant: only the files of a table in a file system say it by their names. Of others, catalogs know the current file.

use floeberg_core::{Error, Result};
use floeberg_io::Store;
use floeberg_io::location::{file_name, join, parent, shown};

use super::folder::{HINT, Hint, read_hint};
use super::name::{Scheme, names_of, parse_name, parse_version};

/// Checks that a metadata file is the latest version of a table in a file system. Returns the location of the version hint, if there is
/// one beside it; `None` for the file of a catalog.
///
/// Errors: `InvalidInput` if there is a later version; those of the store.
pub fn check_latest_version(store: &dyn Store, metadata_location: &str) -> Result<Option<String>> {
    let Some((folder, name)) = parent(metadata_location).zip(file_name(metadata_location)) else {
        return Ok(None);
    };
    let Some((Scheme::FileSystem, version)) = parse_name(name) else { return Ok(None) };
    let later = |what: &str| {
        Err(Error::invalid_input(format!(
            "{what} names a later version of the table, which is still in use: expected the last metadata file of a table \
             that was dropped"
        ))
        .with("path", shown(metadata_location)))
    };
    let hint = read_hint(store, folder)?;
    if let Hint::Says(text) = &hint
        && parse_version(text).is_some_and(|hinted| hinted > version)
    {
        return later(HINT);
    }
    let next = format!("v{}", version.saturating_add(1));
    for next in names_of(&next) {
        if store.exists(&join(folder, &next))? {
            return later(&next);
        }
    }
    Ok(if matches!(hint, Hint::Absent) { None } else { Some(join(folder, HINT)) })
}
