//! How is a folder created durably?
//!
//! In: a path. Out: its folder, which exists and is durable.
//!
//! Invariant: a folder that was created here is in its parent on the disk before a file is created in it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates the folder of a file if it is missing, and those above it.
pub(super) fn make_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => make(folder),
        _ => Ok(()),
    }
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Ok(()) => sync_folder_of(folder),
        // Another writer creates the same folder, or it existed.
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
    // Windows does not need it: names are durable when files are.
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder)?.sync_all() {
        // File systems without it report it like this, and offer nothing better.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}
