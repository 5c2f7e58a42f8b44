//! How do rows wait in a temporary file?
//!
//! In: bytes. Out: the same bytes, as often as they are asked for.
//!
//! ```text
//! blocks, each: nonce, 12 bytes | ciphertext | tag, 16 bytes      all but the last of 256 KiB of plain bytes
//! ```
//!
//! Invariant: no plain byte is on the disk. The key is of one file, and is never written: it is gone with the process.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use floeberg_core::Result;

use crate::keys::{CIPHER_OVERHEAD, Cipher, random_bytes};
use crate::local::{read_exact, scratch_file};

/// The plain bytes of a block.
const BLOCK: usize = 256 << 10;
/// The stored bytes of a block.
const STORED_BLOCK: usize = BLOCK + CIPHER_OVERHEAD;
/// How long the key of a file is.
const KEY_LENGTH: usize = 32;

/// A temporary file that is being written.
#[derive(Debug)]
pub struct SpillWriter {
    file: File,
    cipher: Cipher,
    block: Vec<u8>,
    stored: Vec<u8>,
    number: u64,
}

/// A temporary file that was written. Copies share it, and it is gone with the last one.
#[derive(Debug, Clone)]
pub struct SpillFile {
    file: Arc<File>,
    cipher: Arc<Cipher>,
    size: u64,
}

/// The bytes of a temporary file, from the first one on.
#[derive(Debug)]
pub struct SpillReader {
    file: SpillFile,
    /// Where the next stored block begins.
    position: u64,
    number: u64,
    plain: Vec<u8>,
    /// How many bytes of the block were given.
    given: usize,
}

impl SpillWriter {
    /// An empty file in the system's folder for temporary files.
    ///
    /// Errors: `Storage` and `PermissionDenied`, naming the folder.
    pub fn new() -> Result<Self> {
        let cipher = Cipher::new(&random_bytes(KEY_LENGTH)?)?;
        Ok(Self { file: scratch_file()?, cipher, block: Vec::new(), stored: Vec::new(), number: 0 })
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<SpillFile> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        let size = self.file.metadata()?.len();
        Ok(SpillFile { file: Arc::new(self.file), cipher: Arc::new(self.cipher), size })
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.stored.clear();
        let sealed = self.cipher.seal_into(&self.block, &self.number.to_le_bytes(), &mut self.stored);
        sealed.map_err(io::Error::other)?;
        self.file.write_all(&self.stored)?;
        self.block.clear();
        self.number += 1;
        Ok(())
    }
}

impl Write for SpillWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = &bytes[..bytes.len().min(BLOCK - self.block.len())];
        self.block.extend_from_slice(now);
        if self.block.len() == BLOCK {
            self.write_block()?;
        }
        Ok(now.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SpillFile {
    /// Its bytes.
    pub fn reader(&self) -> SpillReader {
        SpillReader { file: self.clone(), position: 0, number: 0, plain: Vec::new(), given: 0 }
    }
}

impl SpillReader {
    /// Decrypts the next block. Is there one?
    fn next_block(&mut self) -> io::Result<bool> {
        let left = self.file.size - self.position;
        if left == 0 {
            return Ok(false);
        }
        let mut stored = vec![0; left.min(STORED_BLOCK as u64) as usize];
        read_exact(&self.file.file, &mut stored, self.position)?;
        self.plain.clear();
        self.given = 0;
        let opened = self.file.cipher.open_into(&stored, &self.number.to_le_bytes(), &mut self.plain);
        opened.map_err(io::Error::other)?;
        self.position += stored.len() as u64;
        self.number += 1;
        Ok(true)
    }
}

impl Read for SpillReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.plain.len() && !self.next_block()? {
            return Ok(0);
        }
        let left = &self.plain[self.given..];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn bytes_are_read_back_twice_and_are_not_plain_on_the_disk() {
        for length in [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 253) as u8).collect();
            let mut writer = SpillWriter::new().unwrap();
            bytes.chunks(70_001).for_each(|piece| writer.write_all(piece).unwrap());
            let file = writer.finish().unwrap();
            for _ in 0..2 {
                let mut read = Vec::new();
                file.reader().read_to_end(&mut read).unwrap();
                assert_eq!(read, bytes);
            }
            let mut stored = vec![0; file.size as usize];
            read_exact(&file.file, &mut stored, 0).unwrap();
            let start = &bytes[..length.min(64)];
            assert!(length == 0 || !stored.windows(64.min(length + 1)).any(|window| window == start));
        }
    }
}
