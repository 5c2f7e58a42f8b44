//! May a property of a table have this value?
//!
//! In: properties to set, and all properties that the table has then. Out: nothing, or the property that cannot be followed.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: a value that cannot be followed is refused when it is set, and not by every write and commit after it. Tables with
//! such properties can still be read. Unknown names take any value.

use std::collections::BTreeMap;

use floeberg_core::schema::NameMapping;
use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::write::check_write_property;
use floeberg_properties::{
    ENCRYPTION_KEY_ID as KEY_ID, ENCRYPTION_KEY_LENGTH, Kind, Known, Use, flag, known, share, whole, word,
};

use crate::produce::manifest_options;

/// Checks properties to set. `after` are all properties of the table then: a level must fit its codec.
///
/// Errors: `InvalidInput`, naming the property; `Unsupported` for the key of an encrypted table.
pub(super) fn check_values(set: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Result<()> {
    check_key(set.keys())?;
    check_each(set, after)
}

/// The same for the properties of a new table, which may name the key of an encrypted one.
pub(super) fn check_new_values(set: &BTreeMap<String, String>) -> Result<()> {
    check_each(set, set)
}

fn check_each(set: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Result<()> {
    for name in set.keys() {
        if let Some(known) = known(name) {
            check_value(name, known, after).context("property", name)?;
        }
    }
    Ok(())
}

/// Checks that no name is one of the keys of encrypted tables: a table keeps its master key.
///
/// Errors: `Unsupported`.
pub(crate) fn check_key<'a>(mut names: impl Iterator<Item = &'a String>) -> Result<()> {
    let Some(name) = names.find(|name| [KEY_ID, ENCRYPTION_KEY_LENGTH.name].contains(&name.as_str())) else {
        return Ok(());
    };
    Err(Error::unsupported(format!(
        "the property {name:?} cannot be set, changed or removed after a table was created, since its files are encrypted by it or are \
         plain: create an encrypted table, and copy the rows into it"
    )))
}

fn check_value(name: &str, known: &Known, after: &BTreeMap<String, String>) -> Result<()> {
    if let Use::Refused(why) = known.in_use {
        return Err(Error::unsupported(format!("the property {name:?} cannot be set: {why}")));
    }
    let text = after.get(name).map_or("", String::as_str);
    match known.kind {
        Kind::Flag => flag(after, name, false).map(drop),
        Kind::Whole(least) => whole(after, name, least).map(drop),
        Kind::Share => share(after, name).map(drop),
        Kind::Words(words) => word(name, text, words).map(drop),
        Kind::Mapping => NameMapping::from_json(text).map(drop).map_err(Error::of_input),
        Kind::Metrics | Kind::Parquet | Kind::Avro | Kind::Orc => {
            check_write_property(name, known.kind, after)
        }
        Kind::Manifest => manifest_options(after).map(drop),
        Kind::Text => Ok(()),
    }
}
