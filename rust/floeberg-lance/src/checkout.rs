//! Which version of a table is meant?
//!
//! In: a version, a tag, a branch or a moment. Out: the branch, and the version in it.
//! Spec: Lance, Dataset Versioning, Tags and Branches.
//!
//! Invariant: what contradicts itself is an error; a moment means the last version that was made until then.

use floeberg_core::{Error, Result};
use floeberg_io::Store;

use crate::metadata::{self, DETACHED, ListedVersion, NamingScheme, branch_folder, read_head};

/// Which version is meant. By default it is the newest of the main branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkout {
    /// A version, of the branch.
    pub version: Option<u64>,
    /// A tag, which names a version and its branch.
    pub tag: Option<String>,
    /// A branch; `None` is the main one.
    pub branch: Option<String>,
    /// The last version that was made until then, in microseconds since 1970.
    pub as_of: Option<i64>,
}

/// A version that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) branch: Option<String>,
    pub(crate) folder: String,
    pub(crate) version: ListedVersion,
    /// What distinguishes the branch from another one of its name; `None` for the main one, and where nobody looked.
    pub(crate) identity: Option<String>,
}

impl Checkout {
    /// The version in a table. Errors: `NotFound`, saying what there is; `InvalidInput` for a contradiction; those of the store.
    pub(crate) fn find(&self, store: &dyn Store, root: &str) -> Result<Found> {
        let given = [self.version.is_some(), self.tag.is_some(), self.as_of.is_some()];
        let is_double = given.iter().filter(|is_given| **is_given).count() > 1;
        if is_double || (self.tag.is_some() && self.branch.is_some()) {
            return Err(Error::invalid_input(
                "expected one of version, tag and as_of, and a branch not beside a tag, found several",
            ));
        }
        let (branch, identity, version) = match (&self.tag, &self.branch) {
            (Some(tag), _) => {
                let tag = metadata::tag(store, root, tag)?;
                (tag.branch, None, Some(tag.version))
            }
            (None, Some(branch)) if branch != metadata::MAIN => {
                let found = metadata::branch(store, root, branch)?;
                let identity = Some(found.identity());
                (Some(found.name), identity, self.version)
            }
            _ => (None, None, self.version),
        };
        let folder = branch_folder(root, branch.as_deref());
        let version = version_in(store, &folder, version, self.as_of)?;
        Ok(Found { branch, folder, version, identity })
    }
}

fn version_in(
    store: &dyn Store,
    folder: &str,
    version: Option<u64>,
    as_of: Option<i64>,
) -> Result<ListedVersion> {
    if let Some(version) = version.filter(|version| version & DETACHED != 0) {
        // It is in no list that matters, and has one name.
        return Ok(ListedVersion { version, scheme: NamingScheme::V2 });
    }
    let versions = metadata::versions(store, folder)?;
    let (first, last) = (versions[0], versions[versions.len() - 1]);
    if let Some(version) = version {
        let found = versions.binary_search_by_key(&version, |listed| listed.version);
        return found.map(|at| versions[at]).map_err(|_| {
            Error::not_found(format!(
                "the table has no version {version}: there are {} versions from {} to {}",
                versions.len(),
                first.version,
                last.version
            ))
        });
    }
    let Some(as_of) = as_of else { return Ok(last) };
    for listed in versions.iter().rev() {
        let head = read_head(store, folder, *listed)?;
        let made = head.timestamp_micros().ok_or_else(|| {
            Error::invalid_data(format!(
                "expected the moment when version {} was made, found none",
                listed.version
            ))
            .with("path", listed.path(folder))
        })?;
        if made <= as_of {
            return Ok(*listed);
        }
    }
    Err(Error::not_found("the table has no version that was made until then: the first is newer"))
}
