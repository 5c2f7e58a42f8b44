//! Do two locations name one file?
//!
//! In: locations. Out: for each what is the same for all names of a file: symbolic links, hard links, and links of its folders.

use std::fs;
use std::path::Path;

use floeberg_core::Result;

use super::{failed, is_absence};
use crate::location::Location;

/// What a local file is, whatever its name. Two files that exist at one time have different ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileIdentity(String);

/// The identity of a local file; `None` for a location of another store, and where there is no file.
///
/// Errors: those of looking at the file.
pub fn file_identity(location: &str) -> Result<Option<FileIdentity>> {
    let parsed = Location::parse(location);
    if !parsed.is_local() {
        return Ok(None);
    }
    match identity_of(&parsed.local_path()?) {
        Ok(text) => Ok(Some(FileIdentity(text))),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(failed(error, location)),
    }
}

#[cfg(unix)]
fn identity_of(path: &Path) -> std::io::Result<String> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|metadata| format!("{}:{}", metadata.dev(), metadata.ino()))
}

/// Hard links are not recognised here.
#[cfg(not(unix))]
fn identity_of(path: &Path) -> std::io::Result<String> {
    fs::canonicalize(path).map(|path| path.to_string_lossy().into_owned())
}
