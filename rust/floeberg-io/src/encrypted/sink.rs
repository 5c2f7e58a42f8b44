//! How is an encrypted stream written?
//!
//! In: plain bytes. Out: a file of blocks.
//! Spec: AES GCM Stream.
//!
//! Invariant: a file without a byte has one block without any, as Iceberg Java writes it, so that it is authentic too.

use std::sync::Arc;

use floeberg_core::{Error, Result};

use super::blocks::{BLOCK, aad, header};
use crate::keys::{CIPHER_OVERHEAD, Cipher, FileKey, KeyRing};
use crate::location::shown;
use crate::store::Sink;

/// A file that is encrypted as it is written.
#[derive(Debug)]
pub(super) struct EncryptingSink {
    inner: Box<dyn Sink>,
    location: String,
    keys: Arc<KeyRing>,
    cipher: Cipher,
    prefix: Box<[u8]>,
    /// The plain bytes of the block that is not full yet.
    block: Vec<u8>,
    stored: Vec<u8>,
    number: u32,
}

impl EncryptingSink {
    pub fn new(mut inner: Box<dyn Sink>, location: &str, key: &FileKey, keys: Arc<KeyRing>) -> Result<Self> {
        let cipher = Cipher::new(key.key())?;
        inner.write(&header())?;
        Ok(Self {
            inner,
            location: location.to_owned(),
            keys,
            cipher,
            prefix: key.aad_prefix().into(),
            block: Vec::new(),
            stored: Vec::new(),
            number: 0,
        })
    }

    fn write_block(&mut self) -> Result<()> {
        let mut authenticated = Vec::with_capacity(self.prefix.len() + 4);
        aad(&self.prefix, self.number, &mut authenticated);
        self.stored.clear();
        self.stored.reserve(self.block.len() + CIPHER_OVERHEAD);
        self.cipher.seal_into(&self.block, &authenticated, &mut self.stored)?;
        self.inner.write(&self.stored)?;
        self.block.clear();
        self.number =
            self.number.checked_add(1).filter(|number| *number < i32::MAX as u32).ok_or_else(|| {
                Error::limit("an encrypted file has at most 2^31 blocks").with("path", shown(&self.location))
            })?;
        Ok(())
    }
}

impl Sink for EncryptingSink {
    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = BLOCK as usize - self.block.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK as usize {
                self.write_block()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if !self.block.is_empty() || self.number == 0 {
            self.write_block()?;
        }
        let size = self.inner.finish()?;
        self.keys.finished(&self.location, size);
        Ok(size)
    }
}
