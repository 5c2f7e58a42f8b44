//! How do recipes cross between processes?
//!
//! ```text
//! "FLBG"   kind    0x00   version   body
//! 4 bytes  UTF-8   u8     u16 LE    the rest
//! ```
//!
//! Invariant: what a newer Floeberg wrote is refused by name of both versions, never guessed at.

use floeberg_core::{Error, Result};
use pyo3::PyErr;
use pyo3::exceptions::PyTypeError;

const MAGIC: &[u8; 4] = b"FLBG";

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
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    /// The body of the bytes.
    ///
    /// Errors: `InvalidInput` for bytes of something else, `Unsupported` for a newer version.
    pub fn open(self, bytes: &[u8]) -> Result<&[u8]> {
        let Self { kind, version } = self;
        let damaged = |found: &str| Error::invalid_input(format!("expected a pickled {kind}, found {found}"));
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("bytes that Floeberg did not write"))?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(|| damaged("cut bytes"))?;
        let (found, rest) = (&rest[..end], &rest[end + 1..]);
        if found != kind.as_bytes() {
            return Err(damaged(&format!("a pickled {}", String::from_utf8_lossy(found))));
        }
        let (written, body) = rest.split_first_chunk().ok_or_else(|| damaged("cut bytes"))?;
        let written = u16::from_le_bytes(*written);
        if written > version {
            return Err(Error::unsupported(format!(
                "a {kind} was pickled in version {written} by a newer Floeberg; this one reads up to version {version}"
            )));
        }
        Ok(body)
    }
}

/// The error of an object that cannot be pickled, saying what to send instead.
pub fn refuse(what: &str, instead: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} cannot be pickled: send {instead}"))
}
