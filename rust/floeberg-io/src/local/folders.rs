//! How does a folder get a name for good?
//!
//! In: a path. Out: its folder, there and durable.
//!
//! Invariant: a folder that was made here is in its parent on the disk before a file is made in it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes the folder of a file where it is missing, and those above it.
pub(super) fn make_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => make(folder),
        _ => Ok(()),
    }
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Ok(()) => sync_folder_of(folder),
        // Another writer makes the same folder, or it was there.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder.parent().is_some() => {
            make_folder_of(folder)?;
            make(folder)
        }
        Err(error) => Err(error),
    }
}

/// Writes the names in the folder of a file to the disk.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Windows has no such thing: names are durable when files are.
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder)?.sync_all() {
        // File systems without it say so in this way; they can do no better.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}
