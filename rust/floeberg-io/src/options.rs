//! Which options does a store have?
//!
//! In: options of a user or a catalog, as strings. Out: the same, safe to print.
//!
//! Invariant: only values of keys that are known to be harmless are printed.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use floeberg_core::{Error, Result};

use crate::keys::{KeyManagement, KeyRing};

/// Keys whose values may be printed, unless they have the user or the query of a URL. All other values may not.
const HARMLESS: [&str; 30] = [
    "s3.endpoint",
    "s3.region",
    "s3.path-style-access",
    "s3.anonymous",
    "s3.force-virtual-addressing",
    "s3.connect-timeout",
    "s3.request-timeout",
    "s3.profile-name",
    "s3.sse.type",
    "client.profile-name",
    "fs.s3a.endpoint",
    "fs.s3a.endpoint.region",
    "fs.s3a.path.style.access",
    "fs.s3a.connection.ssl.enabled",
    "fs.s3a.assumed.role.arn",
    "gcs.endpoint",
    "gcs.project-id",
    "gcs.anonymous",
    "adls.endpoint",
    "adls.account-name",
    "adls.anonymous",
    "client.region",
    "io.retries",
    "io.connect-timeout",
    "io.request-timeout",
    "io.read-timeout",
    "io.hedge-after",
    "AWS_REGION",
    "storage-options.provider",
    "storage-options.expires-at-ms",
];

/// The option that names the provider of options that end, or that are not here yet.
pub const PROVIDER: &str = "storage-options.provider";

/// Options that name a profile of AWS. Without a provider of the user, the package has one for them.
const PROFILES: [&str; 2] = ["s3.profile-name", "client.profile-name"];

/// Options of stores by name (`s3.endpoint`, `gcs.oauth2.token`, `AWS_REGION`, ...), all of them strings.
///
/// Displayed with the values of harmless keys only. Beside them are the keys of an encrypted table, which are no strings, and which
/// two options are not compared by.
#[derive(Clone, Default)]
pub struct StoreOptions {
    named: BTreeMap<String, String>,
    management: Option<Arc<dyn KeyManagement>>,
    keys: Option<Arc<KeyRing>>,
}

impl PartialEq for StoreOptions {
    fn eq(&self, other: &Self) -> bool {
        self.named == other.named
    }
}

impl Eq for StoreOptions {}

impl Hash for StoreOptions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.named.hash(state);
    }
}

impl StoreOptions {
    /// No options: those of the environment are used.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a service that manages the keys of encrypted tables.
    #[must_use]
    pub fn with_key_management(self, management: Option<Arc<dyn KeyManagement>>) -> Self {
        Self { management, ..self }
    }

    /// The service that manages keys.
    pub fn key_management(&self) -> Option<&Arc<dyn KeyManagement>> {
        self.management.as_ref()
    }

    /// The same with the keys of a table: its files are read and written with them.
    #[must_use]
    pub fn with_keys(self, keys: Option<Arc<KeyRing>>) -> Self {
        Self { keys, ..self }
    }

    /// The keys of the table.
    pub fn keys(&self) -> Option<&Arc<KeyRing>> {
        self.keys.as_ref()
    }

    /// The options alone.
    pub(crate) fn without_keys(&self) -> Self {
        Self { named: self.named.clone(), ..Self::default() }
    }

    /// Sets an option.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.named.insert(key.into(), value.into());
    }

    /// The value of an option.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.named.get(key).map(String::as_str)
    }

    /// Does a provider give some of them?
    pub(crate) fn have_provider(&self) -> bool {
        self.get(PROVIDER).is_some() || PROFILES.iter().any(|key| self.get(key).is_some())
    }

    /// Is there no option?
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All options by name. The values may be secrets.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.named.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The values that may not be printed, except very short ones, which would occur in any text.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.iter()
            .filter(|(key, value)| value.len() >= 6 && !is_harmless(key, value))
            .map(|(_, value)| value)
    }

    /// An option that is `true` or `false`, in any case; `false` when absent. Errors: `InvalidInput`.
    pub fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key).map(str::to_ascii_lowercase).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => {
                let message = format!("expected `true` or `false` for the option `{key}`");
                Err(Error::invalid_input(message))
            }
        }
    }

    /// An option that is a number of at least 0. Errors: `InvalidInput`.
    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        let parsed = self.get(key).map(str::parse::<f64>).transpose();
        parsed
            .ok()
            .filter(|number| number.is_none_or(|number| number.is_finite() && number >= 0.0))
            .ok_or_else(|| {
                Error::invalid_input(format!("expected a number of at least 0 for the option `{key}`"))
            })
    }
}

/// The keys of some files of an encrypted table for another process, sealed; `None` for a plain table.
///
/// Errors: those of the service that manages keys.
pub fn sealed_keys<'a>(
    storage: &StoreOptions,
    locations: impl IntoIterator<Item = &'a str>,
) -> Result<Option<Vec<u8>>> {
    storage.keys().map(|keys| keys.sealed(locations)).transpose()
}

/// The options with keys that another process sent. Nothing is unwrapped yet.
///
/// Errors: `InvalidInput` for other bytes; those of opening the service.
pub fn with_sealed_keys(storage: StoreOptions, sealed: Option<&[u8]>) -> Result<StoreOptions> {
    let Some(sealed) = sealed else { return Ok(storage) };
    let keys = Arc::new(KeyRing::from_sealed(sealed)?);
    let management = Some(Arc::clone(keys.management()));
    Ok(storage.with_key_management(management).with_keys(Some(keys)))
}

/// May the value be printed?
fn is_harmless(key: &str, value: &str) -> bool {
    HARMLESS.contains(&key) && !value.contains(['@', '?'])
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for StoreOptions {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let named = pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Self { named, ..Self::default() }
    }
}

impl fmt::Display for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (key, value) in &self.named {
            let shown = if is_harmless(key, value) { value } else { "***" };
            map.entry(&format_args!("{key}"), &format_args!("{shown}"));
        }
        map.finish()
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreOptions{self}")
    }
}
