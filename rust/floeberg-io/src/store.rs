//! Where do bytes come from, and where do they go?
//!
//! The interface blocks: callers are threads of a scan or of a plan, and a store that needs a runtime (the
//! object stores) owns one inside.
//!
//! Contract:
//! 1. A location is opaque: it is passed on as the table wrote it, never normalised or percent-decoded.
//! 2. A range that reaches past the end is an error, never a short answer.
//! 3. Every error names the location, as `path`.
//! 4. Writing answers once what was written is durable: the bytes and the name, not before.
//! 5. An error of writing that leaves unknown whether it took effect [says so](floeberg_core::Error::is_outcome_unknown).

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::Result;

/// A place that holds files.
pub trait Store: Debug + Send + Sync {
    /// Opens a file for reading. Errors: `NotFound`, `PermissionDenied`, `Storage`, `Unsupported` (scheme);
    /// object stores spare the request and tell the first three at the first read.
    fn open(&self, location: &str) -> Result<Arc<dyn Source>>;

    /// Does a file exist?
    fn exists(&self, location: &str) -> Result<bool>;

    /// The files and folders directly in a folder, in no order. A folder that is not there is `NotFound`
    /// where the store can tell, else empty.
    fn list(&self, folder: &str) -> Result<Vec<Entry>>;

    /// Starts a new file; nothing is promised before [`Sink::finish`]. Folders that are missing are made.
    ///
    /// Errors: `AlreadyExists` where there is one already, `PermissionDenied`, `Storage`, `Unsupported` for a store
    /// that is only read.
    fn create(&self, location: &str) -> Result<Box<dyn Sink>>;

    /// Writes a whole file where there is none, in one step: readers see all of it or nothing, and of two writers one
    /// wins.
    ///
    /// Errors: those of [`create`](Self::create); `Unsupported` where the store cannot promise it.
    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()>;

    /// Writes a whole file, in place of the one that was there, in one step.
    fn put(&self, location: &str, bytes: Bytes) -> Result<()>;

    /// Removes a file. Is Ok where there is none.
    fn remove(&self, location: &str) -> Result<()>;
}

/// A file that is being written.
///
/// One that is dropped unfinished removes what it wrote, in the process that began it: a fork leaves it alone.
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

    /// The bytes of several ranges, in their order. Near ranges may be fetched together, far ones at once.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>>;

    /// The whole file. Errors: `LimitExceeded` where it is larger than `limit` bytes.
    fn read_all(&self, limit: u64) -> Result<Bytes>;
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
