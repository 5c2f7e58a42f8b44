//! How are files read and written, in any store?
//!
//! The interface blocks: callers are threads of a scan or of a plan, and a store that needs a runtime (the
//! object stores) owns one inside.
//!
//! Contract:
//! 1. A location is opaque: it is used as the table wrote it, never normalised or percent-decoded.
//! 2. A range past the end of the file is an error, never a short result.
//! 3. Every error names the location, as `path`.
//! 4. Writing returns only when the file is durable: its bytes and its name.
//! 5. An error of writing [is marked](floeberg_core::Error::is_outcome_unknown) if it may have taken effect.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};

use crate::keys::{FileKey, KeyRing};
use crate::listing::{FoundFile, ListedFolder};
use crate::location::shown;

/// A file up to this size, in bytes, is read in one request from a store that is far away, where a manifest says its size: a second
/// request would take longer than the bytes.
pub const SMALL_FILE: u64 = 4 << 20;

/// A store of files.
pub trait Store: Debug + Send + Sync {
    /// Opens a file for reading. Errors: `NotFound`, `PermissionDenied`, `Storage`, `Unsupported` (scheme);
    /// object stores skip this request, and report the first three at the first read.
    fn open(&self, location: &str) -> Result<Arc<dyn Source>>;

    /// Opens a file for reading that never changes, since metadata names it: a process may keep it, if it is small. Errors: those
    /// of [`open`](Self::open).
    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.open(location)
    }

    /// The same for a file whose size a manifest claims: a store that is far away asks for less with it. The claim may be wrong.
    fn open_sized(&self, location: &str, _size: u64) -> Result<Arc<dyn Source>> {
        self.open(location)
    }

    /// Does a file exist?
    fn exists(&self, location: &str) -> Result<bool>;

    /// The files and folders directly in a folder, in any order. A missing folder is `NotFound` if the store
    /// knows folders, and else empty.
    fn list(&self, folder: &str) -> Result<Vec<Entry>>;

    /// The names of the files directly in a folder, in any order: [`Self::list`] where sizes do not matter, and folders are left
    /// out.
    fn file_names(&self, folder: &str) -> Result<Vec<String>> {
        let entries = self.list(folder)?.into_iter();
        Ok(entries.filter(|entry| !entry.is_folder).map(|entry| entry.name).collect())
    }

    /// The files below a folder, at any depth, in any order. Links to folders are not followed.
    ///
    /// Errors: those of [`list`](Self::list); `Unsupported` where the store does not say when files were written.
    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        let message = "the store does not say when its files were written";
        Err(Error::unsupported(message).with("path", shown(folder)))
    }

    /// The files directly in a folder, and the locations of its folders, in any order: one level of [`files_below`](Self::files_below).
    ///
    /// Errors: those of [`files_below`](Self::files_below).
    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        let message = "the store does not say when its files were written";
        Err(Error::unsupported(message).with("path", shown(folder)))
    }

    /// The files below a folder, as [`files_below`](Self::files_below) finds them, folder by folder. Sizes and times are given where they
    /// come with the names.
    ///
    /// Errors: those of [`files_below`](Self::files_below).
    fn names_below(&self, folder: &str) -> Result<Vec<ListedFolder>> {
        Ok(ListedFolder::of_files(self.files_below(folder)?))
    }

    /// The size and the time of a file that was listed; `None` if it is not there any more.
    ///
    /// Errors: those of [`modified_ms`](Self::modified_ms).
    fn listed_file(&self, location: &str) -> Result<Option<FoundFile>> {
        let found = || {
            let (size, modified_ms) = (self.open(location)?.size()?, self.modified_ms(location)?);
            Ok(FoundFile { location: location.to_owned(), size, modified_ms })
        };
        match found() {
            Err(error) if Error::kind(&error) == ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    /// When a file was written, in milliseconds since 1970, by the clock of the store.
    ///
    /// Errors: those of [`open`](Self::open); `Unsupported` where the store does not say it.
    fn modified_ms(&self, location: &str) -> Result<i64> {
        let message = "the store does not say when its files were written";
        Err(Error::unsupported(message).with("path", shown(location)))
    }

    /// Starts a new file, of a name that nobody else uses; nothing is guaranteed before [`Sink::finish`]. Missing folders are
    /// created.
    ///
    /// Errors: `AlreadyExists` if the file exists, which object stores do not ask for; `PermissionDenied`, `Storage`, `Unsupported` for a read-only
    /// store.
    fn create(&self, location: &str) -> Result<Box<dyn Sink>>;

    /// Starts a new file of a format that encrypts itself, with the key to do it; without one, the table is not encrypted.
    ///
    /// Errors: those of [`create`](Self::create).
    fn create_native(&self, location: &str) -> Result<(Box<dyn Sink>, Option<FileKey>)> {
        Ok((self.create(location)?, None))
    }

    /// The keys of the table whose files these are, if it is encrypted.
    fn keys(&self) -> Option<&Arc<KeyRing>> {
        None
    }

    /// Writes a whole new file atomically: readers see all of it or nothing, and one of two writers
    /// wins.
    ///
    /// Errors: those of [`create`](Self::create); `Unsupported` if the store cannot guarantee it.
    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()>;

    /// Writes a whole file atomically, and replaces one that exists.
    fn put(&self, location: &str, bytes: Bytes) -> Result<()>;

    /// Removes a file. A missing file is not an error.
    fn remove(&self, location: &str) -> Result<()>;
}

/// A file that is being written.
///
/// Dropping an unfinished one removes what it wrote, but only in the process that started it, not in a fork.
pub trait Sink: Debug + Send {
    /// Writes the next bytes. After an error the file can only be dropped.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Makes the file durable: its bytes and its name. Returns its size in bytes.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// One file, open.
pub trait Source: Debug + Send + Sync {
    /// The location it was opened with.
    fn location(&self) -> &str;

    /// Its size in bytes.
    fn size(&self) -> Result<u64>;

    /// The bytes of a range.
    fn read(&self, range: Range<u64>) -> Result<Bytes>;

    /// The bytes of several ranges, in order. Near ranges may be fetched together, others concurrently.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>>;

    /// The whole file. Errors: `LimitExceeded` if it is larger than `limit` bytes.
    fn read_all(&self, limit: u64) -> Result<Bytes>;

    /// The size of the file, and its last bytes: at least so many, or all. A store that is far away is asked for as many as the
    /// readers of this table [needed](Self::needed_end) so far.
    fn read_end(&self, least: u64) -> Result<(u64, Bytes)> {
        let size = self.size()?;
        Ok((size, self.read(size.saturating_sub(least)..size)?))
    }

    /// The stored file and its key, for a format that decrypts itself; `None` for a file without a key.
    fn native(&self) -> Option<(Arc<dyn Source>, FileKey)> {
        None
    }

    /// Remembers how many of the last bytes of this file its reader needed.
    fn needed_end(&self, _bytes: u64) {}
}

/// A file or folder in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder, without separators.
    pub name: String,
    /// Is it a folder?
    pub is_folder: bool,
    /// Its size in bytes; 0 for a folder.
    pub size: u64,
}
