//! How is a whole local file put in place in one step?
//!
//! ```text
//! .name.7-12-3.tmp    written and on the disk
//!       | link: fails where `name` is there      | rename: replaces `name`
//!       v                                        v
//! name                the folder is on the disk before the answer
//! ```
//!
//! Invariant: under its own name, a file is never seen in part. Files left by a crash have names that start with a dot, which
//! readers of tables ignore.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, ErrorKind, Result};

use super::folders::sync_folder_of;
use super::not_written;
use super::sink::Unfinished;
use crate::location::Location;

pub(super) fn put_if_absent(location: &str, bytes: &[u8]) -> Result<()> {
    let path = Location::parse(location).local_path()?;
    // Checked first, so that a late writer writes nothing; the link decides.
    if let Ok(found) = fs::symlink_metadata(&path) {
        return Err(taken(&path, &found, location));
    }
    let written = written_beside(&path, bytes).map_err(|error| not_written(error, location))?;
    match fs::hard_link(written.path(), &path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Over a network the answer to a link that was made may have been lost, and the request sent again.
            if !is_linked(written.path()) {
                return Err(not_written(error, location));
            }
        }
        Err(error) if is_without_links(&error) => {
            let message = "the file system has no hard links, which an atomic write needs";
            return Err(Error::unsupported(message).with("path", location).caused_by(error));
        }
        Err(error) => return Err(failed_in_place(error, location)),
    }
    drop(written);
    sync_folder_of(&path).map_err(|error| not_written(error, location).outcome_unknown())
}

/// The error for a name that something has already. What is no file was made by nobody who writes files: that no file was written is
/// certain, and no writer is to look there for its own.
fn taken(path: &Path, found: &fs::Metadata, location: &str) -> Error {
    let leads_nowhere = || fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let what = match found.file_type() {
        kind if kind.is_dir() => "a folder is",
        kind if kind.is_symlink() && leads_nowhere() => "a link to nothing is",
        _ => return not_written(io::ErrorKind::AlreadyExists.into(), location),
    };
    Error::new(ErrorKind::Storage, format!("{what} where the new file should be: remove it"))
        .with("path", location)
}

pub(super) fn put(location: &str, bytes: &[u8]) -> Result<()> {
    let path = Location::parse(location).local_path()?;
    let mut written = written_beside(&path, bytes).map_err(|error| not_written(error, location))?;
    fs::rename(written.path(), &path).map_err(|error| failed_in_place(error, location))?;
    written.keep();
    sync_folder_of(&path).map_err(|error| not_written(error, location).outcome_unknown())
}

/// A file with these bytes on the disk, under a hidden name in the same folder.
fn written_beside(path: &Path, bytes: &[u8]) -> io::Result<Unfinished> {
    loop {
        match Unfinished::create(&hidden_beside(path)) {
            Ok(mut file) => {
                file.write_whole(bytes)?;
                file.sync()?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// A name that no other process or thread uses at this time.
pub(super) fn hidden_beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // A process of another machine, or of another container, may have the same id.
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    path.with_file_name(format!(".{moment:x}-{}-{number}.tmp", process::id()))
}

/// Does the file have a second name?
#[cfg(unix)]
fn is_linked(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn is_linked(_: &Path) -> bool {
    false
}

/// Does the error mean that the file system has no hard links? Some (FAT, several network shares) report missing permission.
fn is_without_links(error: &io::Error) -> bool {
    const NOT_PERMITTED: i32 = 1;
    error.kind() == io::ErrorKind::Unsupported || (cfg!(unix) && error.raw_os_error() == Some(NOT_PERMITTED))
}

/// If the last step failed, it certainly did not happen only if the system gives the reason.
fn failed_in_place(error: io::Error, location: &str) -> Error {
    use io::ErrorKind::{
        InvalidFilename, IsADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
    };
    let is_certain = matches!(
        error.kind(),
        InvalidFilename | IsADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem | StorageFull
    );
    let error = not_written(error, location);
    if is_certain { error } else { error.outcome_unknown() }
}
