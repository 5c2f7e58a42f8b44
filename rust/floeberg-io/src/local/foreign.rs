//! How does a local file become durable that another library writes?
//!
//! In: the location of the file. Out: its folder before it is written, and afterwards its bytes and its name on the disk.
//!
//! Invariant: files of other stores are left to the library that writes them.

use std::fs::File;

use floeberg_core::Result;

use super::folders::{make_folder_of, sync_folder_of};
use super::not_written;
use crate::location::Location;

/// Creates the folder of a file that another library is about to write, durably. Errors: `PermissionDenied`, `Storage`.
pub fn prepare_foreign_file(location: &str) -> Result<()> {
    let parsed = Location::parse(location);
    if !parsed.is_local() {
        return Ok(());
    }
    make_folder_of(&parsed.local_path()?).map_err(|error| not_written(error, location))
}

/// Makes a file durable that another library wrote: its bytes and its name. Errors: `NotFound`, `PermissionDenied`, `Storage`.
pub fn sync_foreign_file(location: &str) -> Result<()> {
    let parsed = Location::parse(location);
    if !parsed.is_local() {
        return Ok(());
    }
    let path = parsed.local_path()?;
    let synced = File::open(&path).and_then(|file| file.sync_all()).and_then(|()| sync_folder_of(&path));
    synced.map_err(|error| not_written(error, location))
}
