//! Where in a JSON document is a value?
//!
//! In: keys and positions while a document is read downward. Out: a path for errors, `snapshots[3].timestamp-ms`.
//!
//! Invariant: nothing is allocated until an error is written.

use std::fmt;

use floeberg_core::Error;
use serde_json::Value as Json;

/// A path in a document: a step below another path.
#[derive(Debug, Clone, Copy)]
pub struct JsonPath<'a> {
    parent: Option<&'a JsonPath<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> JsonPath<'a> {
    /// The document itself, by its kind.
    pub fn root(name: &'a str) -> Self {
        Self { parent: None, step: Step::Key(name) }
    }

    /// The value of a key.
    pub fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// An element of a list.
    pub fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// The error for an unexpected value.
    pub fn expected(&self, what: &str, found: &Json) -> Error {
        self.invalid(format!("expected {what}, found {}", describe(found)))
    }

    /// The error for a missing key.
    pub fn missing(&self, key: &str) -> Error {
        self.invalid(format_args!("the required key {key:?} is missing"))
    }

    /// The error for a value that breaks a rule.
    pub fn invalid(&self, why: impl fmt::Display) -> Error {
        Error::invalid_data(format!("{self}: {why}"))
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below_root = self.parent.is_some_and(|parent| parent.parent.is_some());
        match (self.parent, self.step) {
            (None, Step::Key(name)) => f.write_str(name),
            (None, Step::Index(index)) => write!(f, "[{index}]"),
            (Some(parent), Step::Key(key)) => {
                write!(f, "{parent}{}{}", if below_root { "." } else { ": " }, Shortened(key))
            }
            (Some(parent), Step::Index(index)) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// What a value is, in words, with as much of it as fits a line.
fn describe(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(value) => format!("the number {value}"),
        Json::String(value) => format!("the string {:?}", Shortened(value).to_string()),
        Json::Array(values) => format!("a list of {}", values.len()),
        Json::Object(keys) => format!("an object of {} keys", keys.len()),
    }
}

/// A text cut at 64 characters.
pub(super) struct Shortened<'a>(pub(super) &'a str);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(64) {
            Some((end, _)) => write!(f, "{}...", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}
