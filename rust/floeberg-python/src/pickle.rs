//! How do recipes cross between processes?
//!
//! ```text
//! "FLB2"   kind    0x00   version   checksum          body
//! 4 bytes  UTF-8   u8     u16 LE    u32 LE, CRC-32    the rest
//! ```
//!
//! The checksum is that of all else after the first four bytes.
//!
//! Invariant: bytes of a newer Floeberg are refused, and the error names both versions. Bytes that were changed by a single bit
//! are refused too.

use floeberg_core::{Error, Result};
use pyo3::PyErr;
use pyo3::exceptions::PyTypeError;

const MAGIC: &[u8; 4] = b"FLB2";
/// What pickles began with that had no checksum.
const OLD_MAGIC: &[u8; 4] = b"FLBG";

/// What is written, and in which version.
#[derive(Debug, Clone, Copy)]
pub struct Envelope {
    /// The kind: the name of the Python class.
    pub kind: &'static str,
    /// The version of its body, from 1.
    pub version: u16,
}

impl Envelope {
    /// The bytes of a body.
    pub fn wrap(self, body: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(self.kind.as_bytes());
        bytes.push(0);
        let version = self.version.to_le_bytes();
        bytes.extend_from_slice(&version);
        bytes.extend_from_slice(&checksum(self.kind, version, body).to_le_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    /// The body of the bytes.
    ///
    /// Errors: `InvalidInput` for bytes of something else, damaged ones, and those of before there were checksums; `Unsupported`
    /// for a newer version.
    pub fn open(self, bytes: &[u8]) -> Result<&[u8]> {
        let Self { kind, version } = self;
        let damaged = |found: &str| Error::invalid_input(format!("expected a pickled {kind}, found {found}"));
        if bytes.starts_with(OLD_MAGIC) {
            return Err(damaged("one of an older Floeberg, without a checksum: pickle it again"));
        }
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("bytes that Floeberg did not write"))?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(|| damaged("truncated bytes"))?;
        let (found, rest) = (&rest[..end], &rest[end + 1..]);
        if found != kind.as_bytes() {
            return Err(damaged(&format!("a pickled {}", String::from_utf8_lossy(found))));
        }
        let (version_bytes, rest) = rest.split_first_chunk().ok_or_else(|| damaged("truncated bytes"))?;
        let written = u16::from_le_bytes(*version_bytes);
        if written > version {
            return Err(Error::unsupported(format!(
                "a {kind} was pickled in version {written} by a newer Floeberg; this one reads up to version {version}"
            )));
        }
        let (expected, body) = rest.split_first_chunk().ok_or_else(|| damaged("truncated bytes"))?;
        if checksum(kind, *version_bytes, body) != u32::from_le_bytes(*expected) {
            return Err(damaged("damaged bytes: their checksum does not match"));
        }
        Ok(body)
    }
}

fn checksum(kind: &str, version: [u8; 2], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in [kind.as_bytes(), &[0], &version, body] {
        hasher.update(part);
    }
    hasher.finalize()
}

/// The error of an object that cannot be pickled, saying what to send instead.
pub fn refuse(what: &str, instead: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} cannot be pickled: send {instead}"))
}
