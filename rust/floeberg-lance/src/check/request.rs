//! What of a Lance table is checked?
//!
//! In: what a user asks for, and the versions that there are. Out: the versions that are checked, and one whose files are not.

use floeberg_core::finding::{Level, check_sample};
use floeberg_core::{Error, Result};

use crate::metadata::{DETACHED, ListedVersion, NamingScheme};

/// The versions that are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VersionsToCheck {
    /// The newest one.
    #[default]
    Newest,
    /// One.
    One(u64),
    /// Those up to the first one that are after the second; only files that the second does not name are opened. `None` is the newest.
    Since(Option<u64>, u64),
    /// All of the branch.
    All,
}

/// What is checked of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckRequest {
    /// How deep.
    pub level: Level,
    /// Which versions. Names of manifests, tags and branches are checked as a whole.
    pub versions: VersionsToCheck,
    /// Which part of the files is opened, from 0 to 1. `None` is all.
    pub sample: Option<f64>,
}

/// Versions, and one whose files are not opened again.
pub(super) type Chosen = (Vec<ListedVersion>, Option<ListedVersion>);

impl CheckRequest {
    /// Errors: `InvalidInput` for a sample that is no part.
    pub(super) fn check(&self) -> Result<()> {
        check_sample(self.sample)
    }

    /// The versions, of those that there are, which ascend.
    ///
    /// Errors: `NotFound` for a version that is not there; `InvalidInput` for a range that ends before it starts.
    pub(super) fn choose(&self, all: &[ListedVersion]) -> Result<Chosen> {
        let find = |version: u64| {
            if version & DETACHED != 0 {
                return Ok(ListedVersion { version, scheme: NamingScheme::V2 });
            }
            all.iter().find(|listed| listed.version == version).copied().ok_or_else(|| {
                Error::not_found(format!(
                    "the table has no version {version}: there are {} versions from {} to {}",
                    all.len(),
                    all.first().map_or(0, |listed| listed.version),
                    all.last().map_or(0, |listed| listed.version)
                ))
            })
        };
        let newest = all.last().copied();
        Ok(match self.versions {
            VersionsToCheck::Newest => (newest.into_iter().collect(), None),
            VersionsToCheck::One(version) => (vec![find(version)?], None),
            VersionsToCheck::Since(last, since) => {
                let base = find(since)?;
                let last = last.map(find).transpose()?.or(newest).map_or(since, |last| last.version);
                if last < since {
                    return Err(Error::invalid_input(format!(
                        "since: expected a version up to {last}, the last one that is checked, found {since}"
                    )));
                }
                let is_new = |listed: &&ListedVersion| listed.version > since && listed.version <= last;
                (all.iter().filter(is_new).copied().collect(), Some(base))
            }
            VersionsToCheck::All => (all.to_vec(), None),
        })
    }
}
