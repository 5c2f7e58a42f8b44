//! The list of what fails today: `tests/conformance/KNOWN_FAILURES.toml`.

use std::fs;

use serde::Deserialize;

use crate::case::root;

/// An entry of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// `writer/case`.
    pub case: String,
    /// Which parts of the run fail.
    pub parts: Vec<String>,
    /// Why.
    pub reason: String,
    /// The issue that will close it; 0 for a fault of the writer.
    pub issue: u32,
    /// The kind of error that is expected.
    #[serde(default = "unsupported")]
    pub kind: String,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    failure: Vec<Failure>,
}

fn unsupported() -> String {
    "Unsupported".to_owned()
}

/// Every entry of the list.
///
/// # Panics
/// When the list is malformed.
pub fn known_failures() -> Vec<Failure> {
    let text = fs::read_to_string(root().join("KNOWN_FAILURES.toml")).expect("the list of known failures");
    toml::from_str::<List>(&text).unwrap_or_else(|error| panic!("KNOWN_FAILURES.toml: {error}")).failure
}
