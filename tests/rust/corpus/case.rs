//! One table of the corpus, with what its oracle says.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// A table directory and its `expected.json`.
#[derive(Debug)]
pub struct Case {
    /// `writer/case`.
    pub name: String,
    /// The folder that holds `table/` and `expected.json`.
    pub folder: PathBuf,
    /// What the oracle says; see `tests/conformance/README.md`.
    pub expected: Json,
}

impl Case {
    /// The current metadata file.
    pub fn metadata_file(&self) -> PathBuf {
        self.folder.join("table").join(self.text("metadata_file"))
    }

    /// The place of a file that the table names by where it was written.
    ///
    /// # Panics
    /// When the written location is not below the table's original place.
    pub fn place(&self, written: &str) -> PathBuf {
        let path =
            written.strip_prefix("file://").or_else(|| written.strip_prefix("file:")).unwrap_or(written);
        let below = path.strip_prefix(self.text("original_dir"));
        let below = below.unwrap_or_else(|| panic!("{}: {written} is not below original_dir", self.name));
        self.folder.join("table").join(below.trim_start_matches('/'))
    }

    /// A text of `expected.json`.
    ///
    /// # Panics
    /// When there is none under `key`.
    pub fn text(&self, key: &str) -> &str {
        self.expected[key].as_str().unwrap_or_else(|| panic!("{}: {key} is no text", self.name))
    }

    /// Whether the case is a view, which has neither snapshots nor files.
    pub fn is_view(&self) -> bool {
        self.expected["kind"] == "view"
    }
}

/// The folder of the corpus.
pub(crate) fn root() -> PathBuf {
    // Asked when the tests run: checkouts share what is built.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&here).join("conformance")
}

/// Every case, by name.
///
/// # Panics
/// When a folder of the corpus has no readable `expected.json`.
pub fn cases() -> Vec<Case> {
    let mut found = Vec::new();
    for writer in folders(&root().join("iceberg")) {
        for folder in folders(&writer) {
            let name = [&writer, &folder].map(|path| path.file_name().unwrap().to_str().unwrap()).join("/");
            let text =
                fs::read(folder.join("expected.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
            let expected = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.push(Case { name, folder, expected });
        }
    }
    assert!(!found.is_empty(), "the corpus is empty");
    found
}

pub(crate) fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
