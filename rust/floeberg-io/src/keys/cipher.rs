//! How is one block encrypted?
//!
//! In: a key, a block, and what else is authenticated with it. Out: the stored block, or the plain one.
//! Spec: AES GCM Stream, Cipher Block structure.
//!
//! ```text
//! nonce, 12 bytes | ciphertext, as long as the block | tag, 16 bytes
//! ```
//!
//! Invariant: a nonce is random, and never used twice.

use std::fmt;

use floeberg_core::{Error, ErrorKind, Result};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

use super::secret::Secret;

/// How many bytes a stored block is longer than the plain one.
pub(crate) const CIPHER_OVERHEAD: usize = NONCE_LEN + 16;

/// Encrypts and decrypts with one key.
pub(crate) struct Cipher(LessSafeKey);

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher(***)")
    }
}

impl Cipher {
    /// Errors: `Unsupported` for a key of 24 bytes, which the library cannot use; `InvalidData` for any other length but 16 and 32.
    pub(crate) fn new(key: &[u8]) -> Result<Self> {
        let algorithm = match key.len() {
            16 => &AES_128_GCM,
            32 => &AES_256_GCM,
            24 => {
                return Err(Error::unsupported(
                    "AES with keys of 24 bytes is not supported: use keys of 16 or 32 bytes",
                ));
            }
            other => {
                return Err(Error::invalid_data(format!(
                    "expected an AES key of 16 or 32 bytes, found one of {other} bytes"
                )));
            }
        };
        let key =
            UnboundKey::new(algorithm, key).map_err(|_| Error::internal("an AES key was not accepted"))?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// The stored form of a block.
    pub(crate) fn seal(&self, block: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let mut stored = Vec::with_capacity(block.len() + CIPHER_OVERHEAD);
        self.seal_into(block, aad, &mut stored)?;
        Ok(stored)
    }

    /// Appends the stored form of a block.
    pub(crate) fn seal_into(&self, block: &[u8], aad: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let failed = |_| Error::internal("a block was not encrypted");
        let nonce = <[u8; NONCE_LEN]>::try_from(random_bytes(NONCE_LEN)?)
            .map_err(|_| Error::internal("a nonce has 12 bytes"))?;
        out.extend_from_slice(&nonce);
        let start = out.len();
        out.extend_from_slice(block);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag =
            self.0.seal_in_place_separate_tag(nonce, Aad::from(aad), &mut out[start..]).map_err(failed)?;
        out.extend_from_slice(tag.as_ref());
        Ok(())
    }

    /// The plain form of a stored block. Errors: those of [`Cipher::open_into`].
    pub(crate) fn open(&self, stored: &[u8], aad: &[u8]) -> Result<Secret> {
        let mut plain = Vec::with_capacity(stored.len());
        self.open_into(stored, aad, &mut plain)?;
        Ok(Secret::new(plain))
    }

    /// Appends the plain form of a stored block.
    ///
    /// Errors: `InvalidData` for a block that was not encrypted with this key, for this place, or was changed since.
    pub(crate) fn open_into(&self, stored: &[u8], aad: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Some((nonce, rest)) = stored.split_first_chunk::<NONCE_LEN>() else {
            return Err(Error::invalid_data("an encrypted block is cut short"));
        };
        let start = out.len();
        out.extend_from_slice(rest);
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.0.open_in_place(nonce, Aad::from(aad), &mut out[start..]).map(|plain| plain.len());
        // Nothing of a block that is not authentic is passed on.
        out.truncate(start + opened.as_ref().map_or(0, |length| *length));
        opened.map(drop).map_err(|_| {
            Error::invalid_data(
                "an encrypted block is not authentic: it was changed, or moved, or has another key",
            )
        })
    }
}

/// Random bytes of the system, which are right in a forked process too.
pub(crate) fn random_bytes(length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Error::new(ErrorKind::Storage, "the system gives no random bytes"))?;
    Ok(bytes)
}
