//! Which files are below a local folder?
//!
//! Invariant: only files that are really there, below the folder itself: a link to a folder is not followed, and a link to a file is no
//! file of this folder.

use std::fs::{self, Metadata};
use std::time::UNIX_EPOCH;

use floeberg_core::{Error, ErrorKind, Result};

use super::{failed, is_absence, read_folder};
use crate::listing::{FoundFile, ListedFolder};
use crate::location::{Location, join};

/// The regular files below a folder, at any depth. A name that is not UTF-8 stands in no location.
pub(super) fn files_below(folder: &str) -> Result<Vec<FoundFile>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        match files_in(&folder) {
            Ok((files, inner)) => {
                found.extend(files);
                folders.extend(inner);
            }
            // Removed since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound && !found.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The regular files in a folder, and its folders.
pub(super) fn files_in(folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for entry in read_folder(folder)? {
        let entry = entry.map_err(|error| failed(error, folder))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let location = join(folder, &name);
        // By its folder, which the system need not look up again; links are not followed.
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => folders.push(location),
            Ok(metadata) if metadata.is_file() => {
                let modified_ms = modified_ms(&metadata, &location)?;
                found.push(FoundFile { location, size: metadata.len(), modified_ms });
            }
            Ok(_) => {}
            Err(error) if is_absence(&error) => {}
            Err(error) => return Err(failed(error, &location)),
        }
    }
    Ok((found, folders))
}

/// The names of the regular files below a folder, at any depth. Files are not asked for their times: on most systems the kind comes with
/// the name.
pub(super) fn names_below(folder: &str) -> Result<Vec<ListedFolder>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    let mut is_first = true;
    while let Some(folder) = folders.pop() {
        match names_in(&folder, &mut folders) {
            Ok(listed) => found.push(listed),
            // Removed since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound && !is_first => {}
            Err(error) => return Err(error),
        }
        is_first = false;
    }
    Ok(found)
}

/// The names of the regular files in a folder; adds its folders to others.
fn names_in(folder: &str, folders: &mut Vec<String>) -> Result<ListedFolder> {
    // Asked before the names: a file that comes later is not older.
    let path = Location::parse(folder).local_path()?;
    let metadata = fs::metadata(path).map_err(|error| failed(error, folder))?;
    let mut listed = ListedFolder::of_names(join(folder, ""), modified_ms(&metadata, folder)?);
    for entry in read_folder(folder)? {
        let entry = entry.map_err(|error| failed(error, folder))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folders.push(join(folder, name)),
            Ok(kind) if kind.is_file() => listed.add(name),
            Ok(_) => {}
            Err(error) if is_absence(&error) => {}
            Err(error) => return Err(failed(error, &join(folder, name))),
        }
    }
    Ok(listed)
}

/// A regular file that was listed; `None` if it is gone, or something else by now.
pub(super) fn listed_file(location: &str) -> Result<Option<FoundFile>> {
    match fs::symlink_metadata(Location::parse(location).local_path()?) {
        Ok(metadata) if metadata.is_file() => Ok(Some(FoundFile {
            location: location.to_owned(),
            size: metadata.len(),
            modified_ms: modified_ms(&metadata, location)?,
        })),
        Ok(_) => Ok(None),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(failed(error, location)),
    }
}

/// When a file was written, in milliseconds since 1970. Errors: `InvalidData` for a time that no file has.
pub(super) fn modified_ms(metadata: &Metadata, location: &str) -> Result<i64> {
    let modified = metadata.modified().map_err(|error| failed(error, location))?;
    let since = modified.duration_since(UNIX_EPOCH);
    let millis =
        since.map_or_else(|before| -(before.duration().as_millis() as i128), |at| at.as_millis() as i128);
    i64::try_from(millis).map_err(|_| Error::invalid_data("a file has no time").with("path", location))
}
