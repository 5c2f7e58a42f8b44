//! Where does data go that does not fit into memory?
//!
//! Out: a temporary file without a name.
//!
//! Invariant: its name is removed before a byte is written, so the system frees the space even after a crash.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;

use floeberg_core::Result;

use super::failed;
use super::whole::hidden_beside;

/// An empty file in the system's folder for temporary files (`TMPDIR`), to write and to read. It is gone when it is closed.
///
/// Errors: `Storage` and `PermissionDenied`, naming the folder.
pub fn scratch_file() -> Result<File> {
    let folder = env::temp_dir();
    let made = || loop {
        let path = hidden_beside(&folder.join("scratch"));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    made().map_err(|error| failed(error, &folder.to_string_lossy()))
}
