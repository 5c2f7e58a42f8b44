//! How are bytes read from a position without moving the file's cursor?
//!
//! In: an open file, a position and a buffer. Out: the buffer, filled.
//!
//! Invariant: no call depends on the cursor of the file, which threads and forked processes share.

use std::fs::File;
use std::io::{self, Read};

/// Fills the buffer from a position. Errors: `UnexpectedEof` if the file ends first.
pub(crate) fn read_exact(file: &File, buffer: &mut [u8], position: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], position + filled as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    // It moves the cursor too, which nothing here uses.
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

/// The bytes of a file from its start, wherever its cursor is.
pub(super) struct Reader<'a> {
    file: &'a File,
    position: u64,
}

impl<'a> Reader<'a> {
    /// At the start of the file.
    pub(super) fn new(file: &'a File) -> Self {
        Self { file, position: 0 }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(self.file, buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}
