//! How is an object of the model written?
//!
//! In: known keys in the order of the specification, then the unknown ones. Out: the object.
//!
//! Invariant: a known key is never overwritten by an unknown one.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

/// An object in the making.
#[derive(Debug, Default)]
pub struct ObjectWriter(Map<String, Json>);

impl ObjectWriter {
    /// Puts a key.
    pub fn put(&mut self, key: &str, value: impl Into<Json>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Puts a key if it has a value.
    pub fn put_some(&mut self, key: &str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// The object, with unknown keys at its end.
    pub fn finish(self, unknown_keys: &Map<String, Json>) -> Json {
        Json::Object(self.finish_keys(unknown_keys))
    }

    /// The keys of the object, with unknown ones at its end.
    pub(super) fn finish_keys(mut self, unknown_keys: &Map<String, Json>) -> Map<String, Json> {
        for (key, value) in unknown_keys {
            self.0.entry(key.clone()).or_insert_with(|| value.clone());
        }
        self.0
    }
}

/// An object of strings.
pub fn emit_map(map: &BTreeMap<String, String>) -> Json {
    map.iter().map(|(key, value)| (key.clone(), value.as_str())).collect()
}
