//! Which keys does an object have, and which of them are known?
//!
//! In: an object and its path. Out: typed values by key, and at the end the keys that were not read.
//! Spec: Appendix C.
//!
//! Invariant: a key is known exactly if it was read; null counts as absent.

use floeberg_core::Result;
use serde_json::{Map, Value as Json};

use super::JsonPath;

/// Takes an object apart.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    path: &'a JsonPath<'a>,
    keys: Map<String, Json>,
}

impl<'a> ObjectReader<'a> {
    /// Errors: `InvalidData` if the value is not an object.
    pub fn new(json: Json, path: &'a JsonPath<'a>) -> Result<Self> {
        match json {
            Json::Object(keys) => Ok(Self { path, keys }),
            other => Err(path.expected("an object", &other)),
        }
    }

    /// Where the object is.
    pub fn path(&self) -> &'a JsonPath<'a> {
        self.path
    }

    /// Is the key there, with a value that is not null?
    pub fn has(&self, key: &str) -> bool {
        self.keys.get(key).is_some_and(|value| !value.is_null())
    }

    /// The value of a key, read by one of the readers of this module.
    pub fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Json, &JsonPath<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.keys.shift_remove(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => read(value, &self.path.key(key)).map(Some),
        }
    }

    /// The value of a key that must be there.
    pub fn required<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Json, &JsonPath<'_>) -> Result<T>,
    ) -> Result<T> {
        self.optional(key, read)?.ok_or_else(|| self.path.missing(key))
    }

    /// The keys that were not read, in their order.
    pub fn unknown_keys(self) -> Map<String, Json> {
        self.keys
    }
}
