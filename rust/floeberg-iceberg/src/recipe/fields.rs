//! Taking fields out of a recipe's JSON.

use floeberg_core::{Error, Result};
use serde_json::Value as Json;

/// The field of a name. Errors: `InvalidInput`, since recipes are made by Floeberg itself.
pub(super) fn field<'a>(json: &'a Json, name: &str) -> Result<&'a Json> {
    json.get(name).ok_or_else(|| wrong(name, "nothing"))
}

pub(super) fn string(json: &Json, name: &str) -> Result<String> {
    let found = field(json, name)?;
    found.as_str().map(str::to_owned).ok_or_else(|| wrong(name, found))
}

pub(super) fn optional_string(json: &Json, name: &str) -> Result<Option<String>> {
    if field(json, name)?.is_null() { Ok(None) } else { string(json, name).map(Some) }
}

pub(super) fn long(json: &Json, name: &str) -> Result<i64> {
    let found = field(json, name)?;
    found.as_i64().ok_or_else(|| wrong(name, found))
}

pub(super) fn optional_long(json: &Json, name: &str) -> Result<Option<i64>> {
    if field(json, name)?.is_null() { Ok(None) } else { long(json, name).map(Some) }
}

pub(super) fn int(json: &Json, name: &str) -> Result<i32> {
    i32::try_from(long(json, name)?).map_err(|_| wrong(name, &json[name]))
}

pub(super) fn ints(json: &Json, name: &str) -> Result<Vec<i32>> {
    let numbers = array(json, name)?.iter();
    let numbers = numbers.map(|number| number.as_i64().and_then(|number| i32::try_from(number).ok()));
    numbers.collect::<Option<_>>().ok_or_else(|| wrong(name, &json[name]))
}

pub(super) fn array<'a>(json: &'a Json, name: &str) -> Result<&'a Vec<Json>> {
    let found = field(json, name)?;
    found.as_array().ok_or_else(|| wrong(name, found))
}

pub(super) fn wrong(name: &str, found: impl std::fmt::Display) -> Error {
    Error::invalid_input(format!("a read recipe is damaged: field {name:?} is {found}"))
}
