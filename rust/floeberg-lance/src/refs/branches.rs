//! How are branches created and removed?
//!
//! Spec: Lance, Branches.
//!
//! Invariant: the first version of a branch is there before its file says that there is a branch.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::random::random_uuid;
use serde_json::{Map, Value as Json, json};

use super::clone::clone_into;
use super::put::{put_new, remove};
use super::tags::{bytes_of, manifest_size};
use crate::commit::now;
use crate::metadata::{self, Branch, branch_folder, branch_path};
use crate::table::Table;

/// Makes a branch that begins with a version of a table.
///
/// Errors: `AlreadyExists` for a branch that is there; `InvalidInput` for a name that no branch may have; those of
/// [`shallow_clone`](super::shallow_clone).
pub fn create_branch(table: &Table, name: &str) -> Result<()> {
    metadata::check_new_branch(name)?;
    let exists = || Error::new(ErrorKind::AlreadyExists, format!("the table has a branch {name:?} already"));
    let (root, store) = (table.location(), table.store().as_ref());
    let path = branch_path(root, name);
    if store.exists(&path)? {
        return Err(exists().with("path", path));
    }
    let mut mapping = match table.branch() {
        Some(parent) => identifier(&metadata::branch(store, root, parent)?),
        None => Vec::new(),
    };
    mapping.push(json!([table.version(), random_uuid().replace('-', "")]));
    let folder = branch_folder(root, Some(name));
    clone_into(table, &folder, Some(name)).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::new(
            ErrorKind::AlreadyExists,
            format!(
                "versions of a branch {name:?} are there, whose creation or removal was broken off, or is going on: \
                 remove the branch first, if nobody makes it"
            ),
        )
        .with("path", folder),
        _ => error,
    })?;
    let mut json = Map::new();
    json.insert("parentBranch".to_owned(), table.branch().map_or(Json::Null, Json::from));
    json.insert("identifier".to_owned(), json!({ "version_mapping": mapping }));
    json.insert("parentVersion".to_owned(), Json::from(table.version()));
    json.insert("createAt".to_owned(), Json::from(now()?.seconds));
    json.insert("manifestSize".to_owned(), Json::from(manifest_size(table)?));
    json.insert("metadata".to_owned(), json!({}));
    put_new(store, &path, &bytes_of(&json)?).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists().with("path", path),
        _ => error,
    })
}

/// Removes a branch: its file first, and then its own versions. Its data files stay, for a cleanup of its folder. What is left of a
/// creation or a removal that was broken off, versions without a file, goes too.
///
/// Errors: `NotFound`; `InvalidInput` where another branch came from it, or a tag names it; those of the store.
pub fn remove_branch(table: &Table, name: &str) -> Result<()> {
    let (root, store) = (table.location(), table.store().as_ref());
    let folder = branch_folder(root, Some(name));
    let path = match metadata::branch(store, root, name) {
        Ok(branch) => Some(branch_path(root, &branch.name)),
        Err(error) if error.kind() == ErrorKind::NotFound && metadata::is_table(store, &folder)? => None,
        Err(error) => return Err(error),
    };
    table.check_same()?;
    for other in table.branches()? {
        if other.parent_branch.as_deref() == Some(name) {
            let message =
                format!("the branch {name:?} cannot be removed: the branch {:?} came from it", other.name);
            return Err(Error::invalid_input(message));
        }
    }
    if let Some(tag) = table.tags()?.into_iter().find(|tag| tag.branch.as_deref() == Some(name)) {
        let message =
            format!("the branch {name:?} cannot be removed: the tag {:?} names a version of it", tag.name);
        return Err(Error::invalid_input(message));
    }
    if let Some(path) = path {
        remove(store, &path)?;
    }
    let versions = match metadata::versions(store, &folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    // The oldest last: a branch whose removal was broken off still has a beginning.
    versions.iter().rev().try_for_each(|listed| remove(store, &listed.path(&folder)))
}

/// From where a branch came, each step a version and an id.
fn identifier(branch: &Branch) -> Vec<Json> {
    let mapping = branch.json.get("identifier").and_then(|found| found.get("version_mapping"));
    mapping.and_then(Json::as_array).cloned().unwrap_or_default()
}
