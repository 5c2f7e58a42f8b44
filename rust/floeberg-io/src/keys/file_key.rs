//! What does the key metadata of a file say?
//!
//! In: its bytes. Out: the key, the prefix of what is authenticated, and the length of the file.
//!
//! ```text
//! version, 1 byte | key: length, bytes | prefix: 0 or 1, length, bytes | file length: 0 or 1, number      (as Avro has them)
//! ```
//!
//! Invariant: no length is believed before the bytes are there.

use std::fmt;

use floeberg_core::{Error, Result};

use super::cipher::random_bytes;
use super::secret::Secret;

/// The only version there is.
const VERSION: u8 = 1;
/// How long a new prefix is, as in Iceberg Java.
const PREFIX_LENGTH: usize = 16;

/// The key of one file.
#[derive(Clone, PartialEq, Eq)]
pub struct FileKey {
    key: Secret,
    aad_prefix: Box<[u8]>,
    /// The stored length of the file, from a source that is authentic.
    length: Option<u64>,
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileKey").field("length", &self.length).finish_non_exhaustive()
    }
}

impl FileKey {
    /// A new key of so many bytes, with a new prefix.
    pub(crate) fn random(key_length: usize) -> Result<Self> {
        let key = Secret::new(random_bytes(key_length)?);
        Ok(Self { key, aad_prefix: random_bytes(PREFIX_LENGTH)?.into(), length: None })
    }

    /// The bytes of the key. They are not to be kept, or printed.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// What is authenticated with each part of the file.
    pub fn aad_prefix(&self) -> &[u8] {
        &self.aad_prefix
    }

    /// The stored length of the file, where it is known.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The same with a length, where it has none.
    #[must_use]
    pub(crate) fn or_length(mut self, length: Option<u64>) -> Self {
        self.length = self.length.or(length);
        self
    }

    /// The same with another length.
    #[must_use]
    pub(crate) fn with_length(mut self, length: u64) -> Self {
        self.length = Some(length);
        self
    }

    /// Reads key metadata.
    ///
    /// Errors: `Unsupported` for another version, and for a key of 24 bytes; `InvalidData` for other bytes. No error has any of them.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::invalid_data("the key metadata is damaged");
        let (version, rest) = bytes.split_first().ok_or_else(damaged)?;
        if *version != VERSION {
            return Err(Error::unsupported(format!(
                "key metadata of version {version} is not supported: only Iceberg's standard key metadata of version 1 is"
            )));
        }
        let mut rest = rest;
        let key = take(&mut rest).ok_or_else(damaged)?;
        let aad_prefix = match number(&mut rest).ok_or_else(damaged)? {
            0 => Box::default(),
            1 => take(&mut rest).ok_or_else(damaged)?.into(),
            _ => return Err(damaged()),
        };
        let length = match number(&mut rest).ok_or_else(damaged)? {
            0 => None,
            1 => Some(number(&mut rest).and_then(|length| u64::try_from(length).ok()).ok_or_else(damaged)?),
            _ => return Err(damaged()),
        };
        if !rest.is_empty() {
            return Err(damaged());
        }
        match key.len() {
            16 | 24 | 32 => Ok(Self { key: Secret::new(key.to_vec()), aad_prefix, length }),
            other => Err(Error::invalid_data(format!(
                "expected key metadata with a key of 16, 24 or 32 bytes, found one of {other} bytes"
            ))),
        }
    }

    /// The key metadata, in plain form: it goes into a manifest, or is encrypted.
    pub fn to_bytes(&self) -> Secret {
        let mut out = Vec::with_capacity(self.key.len() + self.aad_prefix.len() + 16);
        out.push(VERSION);
        put_bytes(&mut out, &self.key);
        put_number(&mut out, 1);
        put_bytes(&mut out, &self.aad_prefix);
        match self.length {
            None => put_number(&mut out, 0),
            Some(length) => {
                put_number(&mut out, 1);
                put_number(&mut out, length as i64);
            }
        }
        Secret::new(out)
    }
}

/// Is this key metadata with a key in plain form? It is not to be shown.
pub fn is_plain_key(bytes: &[u8]) -> bool {
    FileKey::parse(bytes).is_ok()
}

fn number(rest: &mut &[u8]) -> Option<i64> {
    let mut zigzag = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        zigzag |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64));
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn put_number(out: &mut Vec<u8>, number: i64) {
    let mut zigzag = ((number << 1) ^ (number >> 63)) as u64;
    while zigzag >= 0x80 {
        out.push(zigzag as u8 | 0x80);
        zigzag >>= 7;
    }
    out.push(zigzag as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as i64);
    out.extend_from_slice(bytes);
}
