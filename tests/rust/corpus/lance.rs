//! One table of the Lance corpus, with what pylance says of it.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use crate::case::{folders, root};

/// A table directory and its `expected.json`.
#[derive(Debug)]
pub struct LanceCase {
    /// The case.
    pub name: String,
    /// The folder that holds `table/` and `expected.json`.
    pub folder: PathBuf,
    /// What pylance says; see `tests/conformance/README.md`.
    pub expected: Json,
}

impl LanceCase {
    /// The folder of the table.
    ///
    /// # Panics
    /// When its path is not text.
    pub fn table(&self) -> String {
        self.folder.join("table").to_str().unwrap().to_owned()
    }

    /// Where the tables were that others name by their path, and where they are.
    ///
    /// # Panics
    /// When the path of the corpus is not text.
    pub fn relocate(&self) -> Vec<(String, String)> {
        let others = self.expected["extra_dirs"].as_object();
        let own = (self.expected["original_dir"].as_str().unwrap().to_owned(), self.table());
        let moved = others.into_iter().flatten().map(|(folder, written)| {
            (written.as_str().unwrap().to_owned(), self.folder.join(folder).to_str().unwrap().to_owned())
        });
        moved.chain([own]).collect()
    }

    /// All files of a kind, such as `_versions`, in the order of their paths.
    ///
    /// # Panics
    /// When a folder cannot be read.
    pub fn files(&self, kind: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for table in folders(&self.folder) {
            let Ok(entries) = fs::read_dir(table.join(kind)) else { continue };
            files.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
        }
        files.sort();
        files
    }
}

/// Every case, by name.
///
/// # Panics
/// When a folder of the corpus has no readable `expected.json`.
pub fn lance_cases() -> Vec<LanceCase> {
    let cases = folders(&root().join("lance")).into_iter().map(|folder| {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read(folder.join("expected.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        LanceCase { name, folder, expected }
    });
    let cases: Vec<_> = cases.collect();
    assert!(!cases.is_empty(), "the Lance corpus is empty");
    cases
}
