//! Where does what does not fit into memory go for a while?
//!
//! Out: a file of the machine that nobody else sees.
//!
//! Invariant: its name is gone before a byte is written, so that the system takes it back even after a crash.

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
