//! Which files are copied, from where to where?
//!
//! In: pairs of locations, the files before those that name them. Out: a file with a line for each.
//!
//! ```text
//! source,target                       as the list of Iceberg Java's action
//! "source, with a comma","target"     a text with a comma, a quote or a line break is quoted, quotes in it are doubled
//! ```
//!
//! Invariant: a file is listed once. Memory holds 16 bytes for each file: two hashes with random keys, so that two files never have the
//! same.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use floeberg_core::Result;
use floeberg_io::Sink;

/// A file to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileToCopy {
    pub(super) source: String,
    pub(super) target: String,
}

/// A list of files to copy in the making.
#[derive(Debug)]
pub(super) struct FileList {
    sink: Option<Box<dyn Sink>>,
    keys: [RandomState; 2],
    seen: HashSet<[u64; 2]>,
}

impl FileList {
    /// A list that is written, or only counted.
    pub(super) fn new(sink: Option<Box<dyn Sink>>) -> Self {
        Self { sink, keys: [RandomState::new(), RandomState::new()], seen: HashSet::new() }
    }

    /// Adds files that are not in it.
    pub(super) fn add(&mut self, files: &[FileToCopy]) -> Result<()> {
        let mut lines = Vec::new();
        for file in files {
            if self.seen.insert([0, 1].map(|key| self.keys[key].hash_one(&file.target))) {
                put(&mut lines, &file.source);
                lines.push(b',');
                put(&mut lines, &file.target);
                lines.push(b'\n');
            }
        }
        match &mut self.sink {
            Some(sink) if !lines.is_empty() => sink.write(&lines),
            _ => Ok(()),
        }
    }

    /// Ends the list: how many files it has.
    pub(super) fn finish(self) -> Result<u64> {
        if let Some(sink) = self.sink {
            sink.finish()?;
        }
        Ok(self.seen.len() as u64)
    }
}

fn put(lines: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        lines.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes());
    } else {
        lines.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_io::{MemoryStore, Store};

    use super::*;

    #[test]
    fn a_file_is_listed_once_and_odd_names_are_quoted() {
        let store = MemoryStore::new();
        let mut list = FileList::new(Some(store.create("memory://list").unwrap()));
        let file =
            |source: &str, target: &str| FileToCopy { source: source.to_owned(), target: target.to_owned() };
        list.add(&[file("/a b%20", "/x"), file("/c,d", "/y\"z"), file("/a b%20", "/x")]).unwrap();
        list.add(&[file("/other", "/x"), file("/e\nf", "/é")]).unwrap();
        assert_eq!(list.finish().unwrap(), 3);
        let bytes = store.open("memory://list").unwrap().read_all(1 << 10).unwrap();
        let expected = "/a b%20,/x\n\"/c,d\",\"/y\"\"z\"\n\"/e\nf\",/é\n";
        assert_eq!(String::from_utf8(bytes.to_vec()).unwrap(), expected);
        let mut counted = FileList::new(None);
        counted.add(&[file("", "/x"), file("", "/x")]).unwrap();
        assert_eq!(counted.finish().unwrap(), 1);
    }
}
