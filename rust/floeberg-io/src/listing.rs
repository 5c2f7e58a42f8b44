//! How are the names of millions of files held?
//!
//! In: the files that a store found in a folder. Out: their names, in one piece of memory.
//!
//! Invariant: the location of a file is that of its folder, then its name; no byte is lost or added. Sizes and times are there for all
//! files of a folder, or for none: some stores know them only when they are asked for each file.

/// A file below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Its location, which begins with that of the folder as it was written.
    pub location: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written, in milliseconds since 1970, by the clock of the store.
    pub modified_ms: i64,
}

/// Files of one folder. A folder may come in several parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedFolder {
    /// What the locations of the files begin with, up to the last slash. Empty for files whose locations end with a slash, or have none
    /// but those of the scheme: their names are their locations.
    pub folder: String,
    /// When a name last came or went, in milliseconds since 1970, by the clock of the store; `None` where sizes and times of the files
    /// are known.
    pub modified_ms: Option<i64>,
    names: String,
    /// Where each name ends.
    ends: Vec<usize>,
    facts: Option<Vec<(u64, i64)>>,
}

impl ListedFolder {
    /// A folder whose files have no sizes and no times yet. It is given with the slash at its end.
    pub fn of_names(folder: String, modified_ms: i64) -> Self {
        Self { folder, modified_ms: Some(modified_ms), ..Self::default() }
    }

    /// Files with their sizes and times, by their folders. Neighbours of one folder come together.
    pub fn of_files(files: impl IntoIterator<Item = FoundFile>) -> Vec<Self> {
        let mut folders: Vec<Self> = Vec::new();
        for FoundFile { location, size, modified_ms } in files {
            let end = location.rfind('/').map_or(0, |slash| slash + 1);
            let is_plain = end < location.len() && !location[..end].ends_with("://");
            let (folder, name) = location.split_at(if is_plain { end } else { 0 });
            if folders.last().is_none_or(|last| last.folder != folder) {
                let facts = Some(Vec::new());
                folders.push(Self { folder: folder.to_owned(), facts, ..Self::default() });
            }
            if let Some(last) = folders.last_mut() {
                last.add(name);
                last.facts.get_or_insert_default().push((size, modified_ms));
            }
        }
        folders
    }

    /// Adds the name of a file.
    pub(crate) fn add(&mut self, name: &str) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no file?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let name = self.names.get(start..*end).unwrap_or_default();
            start = *end;
            name
        })
    }

    /// The name of a file; empty for a number that is not there.
    pub fn name(&self, number: usize) -> &str {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end);
        self.ends.get(number).and_then(|end| self.names.get(start..*end)).unwrap_or_default()
    }

    /// The location of a file.
    pub fn location(&self, number: usize) -> String {
        [&self.folder, self.name(number)].concat()
    }

    /// A file with its size and its time, if these came with its name.
    pub fn file(&self, number: usize) -> Option<FoundFile> {
        let (size, modified_ms) = *self.facts.as_ref()?.get(number)?;
        Some(FoundFile { location: self.location(number), size, modified_ms })
    }

    /// The time that it is at least by the clock of the store: that of the newest file or, without times, of the folder.
    pub fn newest_ms(&self) -> Option<i64> {
        let newest = self.facts.iter().flatten().map(|(_, modified_ms)| *modified_ms).max();
        newest.max(self.modified_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_they_were() {
        let locations =
            ["s3://a/b/c", "s3://a/b/d", "s3://a/e", "s3://a", "s3://a/", "", "x", "/", "/x", "s3://a/b/f"];
        let file = |(number, location): (usize, &&str)| FoundFile {
            location: (*location).to_owned(),
            size: number as u64,
            modified_ms: 10 - number as i64,
        };
        let files: Vec<FoundFile> = locations.iter().enumerate().map(file).collect();
        let folders = ListedFolder::of_files(files.clone());
        let found: Vec<_> = folders
            .iter()
            .flat_map(|folder| (0..folder.len()).filter_map(|number| folder.file(number)))
            .collect();
        assert_eq!(found, files);
        let ends: Vec<&str> = folders.iter().map(|folder| folder.folder.as_str()).collect();
        assert_eq!(ends, ["s3://a/b/", "s3://a/", "", "/", "s3://a/b/"]);
        for folder in &folders {
            let names: Vec<&str> = (0..folder.len()).map(|number| folder.name(number)).collect();
            assert_eq!(folder.names().collect::<Vec<_>>(), names);
            assert!(folder.file(folder.len()).is_none() && folder.name(folder.len()).is_empty());
        }
        assert_eq!(folders.iter().map(ListedFolder::newest_ms).max(), Some(Some(10)));
    }
}
