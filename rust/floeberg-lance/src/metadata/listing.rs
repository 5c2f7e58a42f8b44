//! Which versions does a table have?
//!
//! In: the folder of a table, or of a branch. Out: its versions, by their names, and the name that the next one takes.
//! Spec: Lance, Manifest Naming Schemes.
//!
//! Invariant: no manifest is read. A listing is the authority; a hint is a guess of others.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{Entry, Store, location};

use super::names::{DETACHED, NamingScheme, version_of};

/// The folder of manifests.
pub const VERSIONS: &str = "_versions";
/// The folder of transactions.
pub const TRANSACTIONS: &str = "_transactions";

/// A version in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedVersion {
    /// The version.
    pub version: u64,
    /// How its manifest is named.
    pub scheme: NamingScheme,
}

impl ListedVersion {
    /// Where its manifest is.
    pub fn path(&self, folder: &str) -> String {
        location::join(&location::join(folder, VERSIONS), &self.scheme.file_name(self.version))
    }
}

/// The versions of a folder, detached ones left out, ascending.
///
/// Errors: `NotFound` where there are none; `InvalidData` where two schemes are mixed; those of the store.
pub fn versions(store: &dyn Store, folder: &str) -> Result<Vec<ListedVersion>> {
    let (mut versions, _) = all(store, folder)?;
    if versions.is_empty() {
        return Err(Error::not_found("no Lance table is here: there is no manifest in `_versions`")
            .with("path", location::shown(folder)));
    }
    versions.sort_unstable_by_key(|listed| listed.version);
    if versions.iter().any(|listed| listed.scheme != versions[0].scheme) {
        let message = "expected manifests that are named in one way, found names of both ways in `_versions`: \
                       a migration may be going on, or was broken off";
        return Err(Error::invalid_data(message).with("path", location::shown(folder)));
    }
    Ok(versions)
}

/// The versions of a folder that are in no line, ascending.
pub fn detached_versions(store: &dyn Store, folder: &str) -> Result<Vec<ListedVersion>> {
    let (_, mut detached) = all(store, folder)?;
    detached.sort_unstable_by_key(|listed| listed.version);
    Ok(detached)
}

/// Is there a Lance table in a folder?
pub fn is_table(store: &dyn Store, folder: &str) -> Result<bool> {
    let (versions, detached) = all(store, folder)?;
    Ok(!versions.is_empty() || !detached.is_empty())
}

/// Gives all manifests of a folder the names of [`NamingScheme::V2`], and says how many had others.
///
/// Nobody may write meanwhile. It can be broken off at any time, and be done again. Errors: those of the store;
/// `InvalidData` where one version has two manifests that differ.
pub fn migrate_to_v2(store: &dyn Store, folder: &str) -> Result<usize> {
    let (versions, _) = all(store, folder)?;
    let mut moved = 0;
    for listed in versions.iter().filter(|listed| listed.scheme == NamingScheme::V1) {
        let (from, to) =
            (listed.path(folder), ListedVersion { scheme: NamingScheme::V2, ..*listed }.path(folder));
        let bytes = store.open(&from)?.read_all(u64::MAX)?;
        if let Err(error) = store.put_if_absent(&to, bytes.clone()) {
            // What a run before this one wrote is there already.
            if error.kind() != ErrorKind::AlreadyExists || store.open(&to)?.read_all(u64::MAX)? != bytes {
                return Err(error);
            }
        }
        store.remove(&from)?;
        moved += 1;
    }
    Ok(moved)
}

fn all(store: &dyn Store, folder: &str) -> Result<(Vec<ListedVersion>, Vec<ListedVersion>)> {
    let names = match store.file_names(&location::join(folder, VERSIONS)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    let found = names.iter().filter_map(|name| {
        let (version, scheme) = version_of(name)?;
        Some(ListedVersion { version, scheme })
    });
    Ok(found.partition(|listed| listed.version & DETACHED == 0))
}

/// What is in a folder; nothing where there is no folder.
pub(crate) fn entries(store: &dyn Store, folder: &str) -> Result<Vec<Entry>> {
    match store.list(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}
