//! How are files of this machine read and written?
//!
//! In: locations of local files in any of their spellings. Out: open files, ranges of them, listings; new files.
//!
//! Invariant: only regular files are opened, so a read never waits for a pipe and always ends.

mod direct;
mod folders;
mod foreign;
mod identity;
mod positioned;
mod sink;
mod whole;
mod below;
mod scratch;
#[cfg(test)]
mod tests;

pub use foreign::{prepare_foreign_file, sync_foreign_file};
pub use identity::{FileIdentity, file_identity};
pub(crate) use positioned::read_exact;
pub(crate) use scratch::scratch_file;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};

use crate::listing::{FoundFile, ListedFolder};
use crate::location::Location;
use crate::ranges::{Coalescing, Fetches, checked_length, out_of_range, too_large};
use crate::store::{Entry, Sink, Source, Store};

/// A system call costs about as much as copying a gap of this size. Longer fetches gain nothing, and keep alive
/// what their neighbours no longer need.
const COALESCING: Coalescing = Coalescing { gap: 16 * 1024, longest: 1024 * 1024 };

/// The files of this machine, by the standard library, which supports every possible file name.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalStore;

impl Store for LocalStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        let path = Location::parse(location).local_path()?;
        // Checked before it is opened, since opening a pipe waits for its writer.
        let metadata = fs::metadata(&path).map_err(|error| failed(error, location))?;
        require_file(&metadata, location)?;
        let file = File::open(&path).map_err(|error| failed(error, location))?;
        let size = file.metadata().map_err(|error| failed(error, location))?.len();
        Ok(Arc::new(LocalFile { location: location.to_owned(), file, size }))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        match fs::metadata(Location::parse(location).local_path()?) {
            Ok(metadata) => Ok(metadata.is_file()),
            Err(error) if is_absence(&error) => Ok(false),
            Err(error) => Err(failed(error, location)),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in read_folder(folder)? {
            let entry = entry.map_err(|error| failed(error, folder))?;
            // A location cannot express a name that is not UTF-8.
            let Ok(name) = entry.file_name().into_string() else { continue };
            match fs::metadata(entry.path()) {
                Ok(metadata) => {
                    let is_folder = metadata.is_dir();
                    entries.push(Entry { name, is_folder, size: if is_folder { 0 } else { metadata.len() } });
                }
                // Removed since it was listed, or a link to nothing.
                Err(error) if is_absence(&error) => {}
                Err(error) => return Err(failed(error, &crate::location::join(folder, &name))),
            }
        }
        Ok(entries)
    }

    fn file_names(&self, folder: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in read_folder(folder)? {
            let entry = entry.map_err(|error| failed(error, folder))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Most systems tell it with the name; a link may be of anything.
            let kind = entry.file_type().map_err(|error| failed(error, folder))?;
            let is_file = if kind.is_symlink() {
                fs::metadata(entry.path()).is_ok_and(|metadata| !metadata.is_dir())
            } else {
                !kind.is_dir()
            };
            if is_file {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        below::files_below(folder)
    }

    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        below::files_in(folder)
    }

    fn names_below(&self, folder: &str) -> Result<Vec<ListedFolder>> {
        below::names_below(folder)
    }

    fn listed_file(&self, location: &str) -> Result<Option<FoundFile>> {
        below::listed_file(location)
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        let path = Location::parse(location).local_path()?;
        below::modified_ms(&fs::metadata(path).map_err(|error| failed(error, location))?, location)
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        sink::create(location)
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        whole::put_if_absent(location, &bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        whole::put(location, &bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        match fs::remove_file(Location::parse(location).local_path()?) {
            Err(error) if !is_absence(&error) => Err(failed(error, location).outcome_unknown()),
            _ => Ok(()),
        }
    }
}

fn read_folder(folder: &str) -> Result<fs::ReadDir> {
    let path = Location::parse(folder).local_path()?;
    let metadata = fs::metadata(&path).map_err(|error| failed(error, folder))?;
    if !metadata.is_dir() {
        return Err(Error::invalid_input("expected a folder, found a file").with("path", folder));
    }
    fs::read_dir(&path).map_err(|error| failed(error, folder))
}

/// An open local file. Reads name their position, so that threads and forked processes share it safely.
#[derive(Debug)]
struct LocalFile {
    location: String,
    file: File,
    /// When it was opened.
    size: u64,
}

impl LocalFile {
    fn read_checked(&self, range: &Range<u64>) -> Result<Bytes> {
        let length = checked_length(range, self.size, &self.location)?;
        let mut buffer = zeroed(length).map_err(|error| error.with("path", &self.location))?;
        match read_exact(&self.file, &mut buffer, range.start) {
            Ok(()) => Ok(Bytes::from(buffer)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let size = self.file.metadata().map_or(self.size, |metadata| metadata.len());
                Err(out_of_range(range, size, &self.location))
            }
            Err(error) => Err(failed(error, &self.location)),
        }
    }
}

impl Source for LocalFile {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> Result<u64> {
        Ok(self.size)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        self.read_checked(&range)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        for range in ranges {
            checked_length(range, self.size, &self.location)?;
        }
        let plan = Fetches::new(ranges, COALESCING);
        let fetched =
            plan.fetches.iter().map(|fetch| self.read_checked(fetch)).collect::<Result<Vec<_>>>()?;
        Ok(plan.cut(ranges, &fetched))
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        if self.size > limit {
            return Err(too_large(self.size, limit, &self.location));
        }
        // One more byte shows, without a second allocation, that the file ends at its size.
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(self.size as usize + 1).map_err(|_| out_of_memory(self.size))?;
        positioned::Reader::new(&self.file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut buffer)
            .map_err(|error| failed(error, &self.location))?;
        let found = buffer.len() as u64;
        if found > limit {
            return Err(too_large(found, limit, &self.location));
        }
        if found < self.size {
            return Err(out_of_range(&(0..self.size), found, &self.location));
        }
        Ok(Bytes::from(buffer))
    }
}

/// Zeroes that the operating system allocates when they are touched; an error if it has no memory.
fn zeroed(length: usize) -> Result<Vec<u8>> {
    /// Above it, ask before `vec!`, which aborts the process.
    const LARGE: usize = 64 * 1024 * 1024;
    if length > LARGE {
        Vec::<u8>::new().try_reserve_exact(length).map_err(|_| out_of_memory(length as u64))?;
    }
    Ok(vec![0; length])
}

fn out_of_memory(length: u64) -> Error {
    Error::limit(format!("not enough memory for {length} bytes of a file"))
}

fn require_file(metadata: &Metadata, location: &str) -> Result<()> {
    let found = match metadata.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        _ => "a device or a pipe",
    };
    Err(Error::invalid_input(format!("expected a file, found {found}")).with("path", location))
}

/// Does the error mean that no file can exist at that path?
fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// Why a file was not written. An invalid name is an error of its own, not a missing file.
fn not_written(error: io::Error, location: &str) -> Error {
    let refused = match error.kind() {
        io::ErrorKind::InvalidFilename => {
            Error::invalid_input("the file system takes no name as long as this")
        }
        io::ErrorKind::NotADirectory => {
            Error::new(ErrorKind::Storage, "a file is where a folder of the new file should be")
        }
        _ => return failed(error, location),
    };
    refused.with("path", location).caused_by(error)
}

fn failed(error: io::Error, location: &str) -> Error {
    let (kind, message) = match error.kind() {
        _ if is_absence(&error) => (ErrorKind::NotFound, "the file does not exist".to_owned()),
        io::ErrorKind::AlreadyExists => (ErrorKind::AlreadyExists, "the file exists already".to_owned()),
        io::ErrorKind::PermissionDenied => (ErrorKind::PermissionDenied, "access was denied".to_owned()),
        io::ErrorKind::ReadOnlyFilesystem => {
            (ErrorKind::PermissionDenied, "the file system is read-only".to_owned())
        }
        io::ErrorKind::StorageFull => (ErrorKind::Storage, "no space is left on the device".to_owned()),
        io::ErrorKind::InvalidInput => (ErrorKind::InvalidInput, format!("not a valid path: {error}")),
        _ => (ErrorKind::Storage, format!("the file system failed: {error}")),
    };
    let passing = matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::StaleNetworkFileHandle);
    Error::new(kind, message).with("path", location).retryable(passing).caused_by(error)
}
