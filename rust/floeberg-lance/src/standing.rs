//! Is a version that was opened still one of the table at its location?
//!
//! In: a version that was opened, maybe long ago. Out: whether it is there as it was read, was cleaned up, or is of a table or a
//! branch that was removed; other versions of the same table.
//!
//! Invariant: versions of another table are never taken for those of this one where it can be known: a version is compared by the
//! end of its manifest, which takes one small read. Of one that was cleaned up it is known only in part.

use std::collections::HashSet;

use floeberg_core::{Error, ErrorKind, Result};

use crate::metadata::{self, DETACHED, ListedVersion, NamingScheme};
use crate::table::Table;

/// What became of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is there as it was read.
    Same,
    /// It was removed, and there are newer ones.
    Gone,
    /// Another version has its number, or there is none that is as new.
    Other,
}

impl Standing {
    /// Of a version. Errors: `NotFound` where there is no table any more; those of the store.
    pub fn of(table: &Table) -> Result<Self> {
        let known = |is_same| if is_same { Self::Same } else { Self::Other };
        match table.is_manifest_at(table.manifest_location()) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found.map(known),
        }
        let versions = table.versions()?;
        let newest = versions[versions.len() - 1];
        // Manifests may have been named in the newer way since.
        let listed = ListedVersion { version: table.version(), scheme: newest.scheme };
        let path = listed.path(table.bases().folder());
        if versions.contains(&listed) && path != table.manifest_location() {
            return table.is_manifest_at(&path).map(known);
        }
        let is_detached = table.version() & DETACHED != 0;
        let is_older = is_detached || table.version() < newest.version;
        Ok(if is_older && is_of_branch(table)? { Self::Gone } else { Self::Other })
    }
}

impl Table {
    /// Checks that the table, or the branch, was not removed and made anew since it was opened. A version that was cleaned up is no
    /// error.
    ///
    /// Errors: `NotFound`; those of the store.
    pub fn check_same(&self) -> Result<()> {
        match Standing::of(self)? {
            Standing::Same | Standing::Gone => Ok(()),
            Standing::Other => Err(made_anew(self, ErrorKind::NotFound)),
        }
    }

    /// The newest version of the branch. No manifest is read where it is this one.
    ///
    /// Errors: `NotFound` for a table that was removed, or made anew; those of [`Self::open`].
    pub fn newest(&self) -> Result<Self> {
        let versions = self.versions()?;
        let newest = versions[versions.len() - 1];
        let standing = Standing::of(self)?;
        if standing == Standing::Same && newest.version == self.version() {
            return Ok(self.clone());
        }
        if standing == Standing::Other {
            return Err(made_anew(self, ErrorKind::NotFound));
        }
        let found = self.at(newest)?;
        if standing == Standing::Gone && !may_follow(&found, self) {
            return Err(made_anew(self, ErrorKind::NotFound));
        }
        Ok(found)
    }

    /// Another version of the branch, by its number. Nothing is listed while the version that is open is there.
    ///
    /// Errors: `NotFound` for a version that is not there, and for a table that was made anew; those of [`Self::open`].
    pub fn at_version(&self, version: u64) -> Result<Self> {
        if version == self.version() {
            return Ok(self.clone());
        }
        self.check_same()?;
        let name = self.manifest_location().rsplit('/').next().unwrap_or_default();
        let scheme = metadata::version_of(name).map_or(NamingScheme::V2, |(_, scheme)| scheme);
        self.at(ListedVersion { version, scheme })
    }
}

/// Is the branch of a version still the one that it was? A branch that is made anew begins with another version of its parent, so
/// that old versions are missing in it as if they were cleaned up.
fn is_of_branch(table: &Table) -> Result<bool> {
    let (Some(name), Some(identity)) = (table.branch(), table.branch_identity()) else { return Ok(true) };
    match metadata::branch(table.store().as_ref(), table.location(), name) {
        Ok(found) => Ok(found.identity() == identity),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Can a version be of the table of an earlier one that was cleaned up? It is certain where they share a data file, since names are
/// random. Otherwise nothing says it, but ids of fragments and rows only grow.
pub(crate) fn may_follow(later: &Table, earlier: &Table) -> bool {
    let (new, old) = (later.manifest(), earlier.manifest());
    if new.head.version < old.head.version {
        return false;
    }
    let names = |table: &Table| -> HashSet<String> {
        let fragments = &table.manifest().fragments;
        (0..fragments.len())
            .flat_map(|place| fragments.files(place))
            .map(|file| file.path.to_owned())
            .collect()
    };
    let known = names(earlier);
    if names(later).iter().any(|name| known.contains(name)) {
        return true;
    }
    new.head.max_fragment_id >= old.head.max_fragment_id && new.head.next_row_id >= old.head.next_row_id
}

/// The error of who holds a version of a table that was removed.
pub(crate) fn made_anew(table: &Table, kind: ErrorKind) -> Error {
    let what =
        table.branch().map_or_else(|| "the table".to_owned(), |branch| format!("the branch {branch:?}"));
    let message = format!(
        "{what} was removed and made anew since version {} of it was opened: what is here now is another one. Open it again",
        table.version()
    );
    Error::new(kind, message).with("path", table.manifest_location())
}
