//! How are tags created, moved and removed?
//!
//! Spec: Lance, Tags.

use bytes::Bytes;
use floeberg_core::value::datetime::format_timestamptz_ns;
use floeberg_core::{Error, ErrorKind, Result};
use serde_json::{Map, Value as Json, json};

use super::put::{put_new, put_over, remove};
use crate::commit::now;
use crate::metadata::{self, tag_path};
use crate::presence::check_manifest;
use crate::table::Table;

/// Gives a version of a table a name.
///
/// Errors: `AlreadyExists` for a tag that is there; `InvalidInput` for a name that no tag may have, and a detached version;
/// `NotFound` for a version that was cleaned up, or is of a table that was removed; those of the store.
pub fn create_tag(table: &Table, name: &str) -> Result<()> {
    metadata::check_new_tag(name)?;
    let mut json = Map::new();
    set_version(&mut json, table)?;
    let moment = moment()?;
    json.insert("createdAt".to_owned(), Json::from(moment.clone()));
    json.insert("updatedAt".to_owned(), Json::from(moment));
    json.insert("metadata".to_owned(), json!({}));
    let path = tag_path(table.location(), name);
    put_new(table.store().as_ref(), &path, &bytes_of(&json)?).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Error::new(ErrorKind::AlreadyExists, format!("the table has a tag {name:?} already"))
                .with("path", path)
        }
        _ => error,
    })
}

/// Gives a tag to another version. Errors: `NotFound`; those of [`create_tag`].
pub fn update_tag(table: &Table, name: &str) -> Result<()> {
    let store = table.store().as_ref();
    let mut json = metadata::tag(store, table.location(), name)?.json;
    set_version(&mut json, table)?;
    // Older writers have it in snake case.
    json.retain(|key, _| !matches!(key.as_str(), "updated_at" | "manifest_size"));
    json.insert("updatedAt".to_owned(), Json::from(moment()?));
    put_over(store, &tag_path(table.location(), name), &bytes_of(&json)?)
}

/// Removes a tag. The version stays. Errors: `NotFound`; `CommitStateUnknown`; those of the store.
pub fn remove_tag(table: &Table, name: &str) -> Result<()> {
    let store = table.store().as_ref();
    metadata::tag(store, table.location(), name)?;
    table.check_same()?;
    remove(store, &tag_path(table.location(), name))
}

fn set_version(json: &mut Map<String, Json>, table: &Table) -> Result<()> {
    if table.version() & metadata::DETACHED != 0 {
        return Err(Error::invalid_input("a detached version cannot have a tag"));
    }
    check_manifest(table)?;
    json.insert("branch".to_owned(), table.branch().map_or(Json::Null, Json::from));
    json.insert("version".to_owned(), Json::from(table.version()));
    json.insert("manifestSize".to_owned(), Json::from(manifest_size(table)?));
    Ok(())
}

/// The bytes of a version's manifest.
pub(super) fn manifest_size(table: &Table) -> Result<u64> {
    table.store().open(table.manifest_location())?.size()
}

fn moment() -> Result<String> {
    let now = now()?;
    let nanos = now.seconds.saturating_mul(1_000_000_000).saturating_add(i64::from(now.nanos));
    Ok(format_timestamptz_ns(nanos))
}

pub(super) fn bytes_of(json: &Map<String, Json>) -> Result<Bytes> {
    let bytes = serde_json::to_vec_pretty(json);
    bytes.map(Bytes::from).map_err(|error| Error::internal("a ref could not be written").caused_by(error))
}
