//! How is a local file written piece by piece?
//!
//! In: the location of a new file, and its bytes. Out: the file, on the disk.
//!
//! Invariant: an unfinished file is removed by the process that started it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use floeberg_core::Result;

use super::direct;
use super::folders::{make_folder_of, sync_folder_of};
use super::not_written;
use crate::location::Location;
use crate::store::Sink;

/// A local file that is being written.
#[derive(Debug)]
struct LocalSink {
    location: String,
    unfinished: Unfinished,
    size: u64,
}

/// A file that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: File,
    path: PathBuf,
    begun_in: u32,
    is_kept: bool,
}

pub(super) fn create(location: &str) -> Result<Box<dyn Sink>> {
    let path = Location::parse(location).local_path()?;
    let unfinished = Unfinished::create(&path).map_err(|error| not_written(error, location))?;
    Ok(Box::new(LocalSink { location: location.to_owned(), unfinished, size: 0 }))
}

impl Sink for LocalSink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.unfinished.write(bytes).map_err(|error| not_written(error, &self.location))?;
        self.size += bytes.len() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        let unfinished = &mut self.unfinished;
        let finished = unfinished.sync().and_then(|()| sync_folder_of(&unfinished.path));
        finished.map_err(|error| not_written(error, &self.location))?;
        self.unfinished.keep();
        Ok(self.size)
    }
}

impl Unfinished {
    /// Creates a new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let open = || OpenOptions::new().write(true).create_new(true).open(path);
        let file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_folder_of(path)?;
                open()
            }
            opened => opened,
        }?;
        Ok(Self { file, path: path.to_owned(), begun_in: process::id(), is_kept: false })
    }

    /// Writes the next bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Writes all bytes of a file whose size is known.
    pub fn write_whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        if direct::write(&self.file, &self.path, bytes)? { Ok(()) } else { self.write(bytes) }
    }

    /// Writes the bytes to the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Its location.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the file.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_kept && self.begun_in == process::id() {
            // If this fails, the file is an orphan: nothing refers to it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
