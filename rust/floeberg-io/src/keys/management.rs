//! Who wraps and unwraps keys?
//!
//! Invariant: what travels to another process is what the service can be opened by there, never a key of a file.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use floeberg_core::{Error, Result};

use super::secret::Secret;

/// A service that keeps master keys, and wraps other keys by them.
pub trait KeyManagement: Any + Debug + Send + Sync {
    /// Is there such a service? Options may name none.
    ///
    /// Errors: `InvalidInput` for options that are wrong.
    fn is_there(&self) -> Result<bool> {
        Ok(true)
    }

    /// Wraps a key by the master key with an id.
    fn wrap_key(&self, key: &[u8], wrapping_key_id: &str) -> Result<Vec<u8>>;

    /// Unwraps a key.
    fn unwrap_key(&self, wrapped_key: &[u8], wrapping_key_id: &str) -> Result<Secret>;

    /// Makes a key, and wraps it; `None` where the service makes none.
    fn generate_key(&self, _wrapping_key_id: &str) -> Result<Option<(Secret, Vec<u8>)>> {
        Ok(None)
    }

    /// By which bytes another process opens the service: see [`open_key_management`].
    ///
    /// Errors: `InvalidInput` for one that cannot be sent, saying what to use instead.
    fn to_bytes(&self) -> Result<Vec<u8>>;
}

/// Opens a service by its bytes.
type Opener = fn(&[u8]) -> Result<Arc<dyn KeyManagement>>;

static OPENER: OnceLock<Opener> = OnceLock::new();

/// Sets how this process opens the services of others. The first one stays.
pub fn set_key_management_opener(opener: Opener) {
    let _ = OPENER.set(opener);
}

/// Opens a service that another process [described](KeyManagement::to_bytes).
///
/// Errors: `Unsupported` in a process without an opener; those of the opener.
pub fn open_key_management(bytes: &[u8]) -> Result<Arc<dyn KeyManagement>> {
    match OPENER.get() {
        Some(opener) => opener(bytes),
        None => Err(Error::unsupported("this process cannot open a service that manages keys")),
    }
}
