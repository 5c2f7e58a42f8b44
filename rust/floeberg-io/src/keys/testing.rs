//! A service for tests that wraps keys by adding to their bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use floeberg_core::{Error, Result};

use super::management::KeyManagement;
use super::secret::Secret;

/// Wraps keys by the id of the master key, and counts.
#[derive(Debug, Default)]
pub(crate) struct TestManagement {
    pub asked: AtomicUsize,
}

impl TestManagement {
    pub fn shared() -> Arc<Self> {
        Arc::default()
    }
}

impl KeyManagement for TestManagement {
    fn wrap_key(&self, key: &[u8], wrapping_key_id: &str) -> Result<Vec<u8>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut wrapped = wrapping_key_id.as_bytes().to_vec();
        wrapped.push(0);
        wrapped.extend(key.iter().map(|byte| byte ^ 0x5a));
        Ok(wrapped)
    }

    fn unwrap_key(&self, wrapped_key: &[u8], wrapping_key_id: &str) -> Result<Secret> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let own =
            wrapped_key.strip_prefix(wrapping_key_id.as_bytes()).and_then(|rest| rest.strip_prefix(&[0]));
        let own = own.ok_or_else(|| Error::invalid_input("the key is wrapped by another master key"))?;
        Ok(Secret::new(own.iter().map(|byte| byte ^ 0x5a).collect()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
