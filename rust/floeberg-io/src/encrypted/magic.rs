//! Is a file an encrypted stream?
//!
//! Spec: AES GCM Stream file format.

use floeberg_core::{Error, Result};

/// What an encrypted file starts with.
pub(super) const MAGIC: [u8; 4] = *b"AGS1";

/// Errors: `Unsupported` for the start of an encrypted file, where nothing names its key.
pub fn refuse_encrypted(start: &[u8]) -> Result<()> {
    if start.starts_with(&MAGIC) {
        return Err(Error::unsupported(
            "the file is encrypted (AES GCM stream), and nothing names its key: open the table with `key_management`, or with the \
             option `encryption.kms-impl`",
        ));
    }
    Ok(())
}
