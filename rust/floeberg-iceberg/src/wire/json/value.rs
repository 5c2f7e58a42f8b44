//! Does a JSON value have the type of its key?
//!
//! In: a value and its path. Out: the typed value, or an error that names the path, what was expected and
//! what was found.
//! Spec: Appendix C.

use std::collections::BTreeMap;

use floeberg_core::Result;
use serde_json::{Map, Value as Json};

use super::JsonPath;

/// Any value, unchanged.
pub fn raw(json: Json, _place: &JsonPath<'_>) -> Result<Json> {
    Ok(json)
}

/// An object, unchanged.
pub fn object(json: Json, path: &JsonPath<'_>) -> Result<Map<String, Json>> {
    match json {
        Json::Object(keys) => Ok(keys),
        other => Err(path.expected("an object", &other)),
    }
}

/// A string.
pub fn string(json: Json, path: &JsonPath<'_>) -> Result<String> {
    match json {
        Json::String(value) => Ok(value),
        other => Err(path.expected("a string", &other)),
    }
}

/// True or false.
#[expect(
    clippy::needless_pass_by_value,
    reason = "has the shape of its siblings, so that it can be passed for them"
)]
pub fn boolean(json: Json, path: &JsonPath<'_>) -> Result<bool> {
    json.as_bool().ok_or_else(|| path.expected("true or false", &json))
}

/// A 32-bit integer.
#[expect(
    clippy::needless_pass_by_value,
    reason = "has the shape of its siblings, so that it can be passed for them"
)]
pub fn int(json: Json, path: &JsonPath<'_>) -> Result<i32> {
    let value = json.as_i64().and_then(|value| i32::try_from(value).ok());
    value.ok_or_else(|| path.expected("a 32-bit integer", &json))
}

/// A 64-bit integer.
#[expect(
    clippy::needless_pass_by_value,
    reason = "has the shape of its siblings, so that it can be passed for them"
)]
pub fn long(json: Json, path: &JsonPath<'_>) -> Result<i64> {
    json.as_i64().ok_or_else(|| path.expected("a 64-bit integer", &json))
}

/// A list, each element read by another reader.
pub fn list<T>(
    read: impl Fn(Json, &JsonPath<'_>) -> Result<T>,
) -> impl FnOnce(Json, &JsonPath<'_>) -> Result<Vec<T>> {
    move |json, path| match json {
        Json::Array(values) => {
            values.into_iter().enumerate().map(|(index, value)| read(value, &path.index(index))).collect()
        }
        other => Err(path.expected("a list", &other)),
    }
}

/// An object whose values are strings.
pub fn string_map(json: Json, path: &JsonPath<'_>) -> Result<BTreeMap<String, String>> {
    object(json, path)?
        .into_iter()
        .map(|(key, value)| {
            let value = string(value, &path.key(&key))?;
            Ok((key, value))
        })
        .collect()
}
