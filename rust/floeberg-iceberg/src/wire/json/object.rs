//! Which keys does an object have, and which of them are known?
//!
//! In: an object and its place. Out: typed values by key, and at the end the keys that nobody asked for.
//! Spec: Appendix C.
//!
//! Invariant: a key is known exactly if it was asked for; null is absence.

use floeberg_core::Result;
use serde_json::{Map, Value as Json};

use super::Place;

/// Takes an object apart.
#[derive(Debug)]
pub(crate) struct ObjectReader<'a> {
    place: &'a Place<'a>,
    keys: Map<String, Json>,
}

impl<'a> ObjectReader<'a> {
    /// Errors: `InvalidData` where the value is no object.
    pub(crate) fn new(json: Json, place: &'a Place<'a>) -> Result<Self> {
        match json {
            Json::Object(keys) => Ok(Self { place, keys }),
            other => Err(place.expected("an object", &other)),
        }
    }

    /// Where the object is.
    pub(crate) fn place(&self) -> &'a Place<'a> {
        self.place
    }

    /// Is the key there, with a value that is not null?
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.get(key).is_some_and(|value| !value.is_null())
    }

    /// The value of a key, read by one of the readers of this module.
    pub(crate) fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Json, &Place<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.keys.shift_remove(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => read(value, &self.place.key(key)).map(Some),
        }
    }

    /// The value of a key that must be there.
    pub(crate) fn required<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Json, &Place<'_>) -> Result<T>,
    ) -> Result<T> {
        self.optional(key, read)?.ok_or_else(|| self.place.missing(key))
    }

    /// The keys that were never asked for, in their order.
    pub(crate) fn unknown_keys(self) -> Map<String, Json> {
        self.keys
    }
}
