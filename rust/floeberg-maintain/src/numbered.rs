//! How are millions of places compared?
//!
//! In: locations, most of them in folders that others are in too. Out: for each the number of its folder, and its name.
//!
//! Invariant: two locations have one place if their folders have one path and one prefix, and their names are the same. A folder is
//! looked up once.

use foldhash::HashMap;

use crate::place::{Place, Places, Prefixes};

/// A folder that was seen.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The scheme and the authority, by number.
    pub(crate) prefix: u32,
    /// The path with the slash at its end, by number.
    pub(crate) path: u32,
}

/// Gives folders, paths and prefixes numbers.
#[derive(Debug)]
pub(crate) struct Folders<'a> {
    places: Places<'a>,
    by_spelling: HashMap<String, u32>,
    seen: Vec<Folder>,
    last: Option<(String, u32)>,
    paths: Numbers,
    prefixes: Numbers,
}

impl<'a> Folders<'a> {
    pub(crate) fn new(prefixes: &'a Prefixes) -> Self {
        Self {
            places: Places::new(prefixes),
            by_spelling: HashMap::default(),
            seen: Vec::new(),
            last: None,
            paths: Numbers::default(),
            prefixes: Numbers::default(),
        }
    }

    /// The number of the folder of a file, and the name of the file in it.
    pub(crate) fn split<'b>(&mut self, location: &'b str) -> (u32, &'b str) {
        let end = location.rfind('/').map_or(0, |slash| slash + 1);
        let (folder, name) = location.split_at(end);
        let is_last = |(last, _): &&(String, u32)| last == folder && !name.is_empty();
        if let Some((_, number)) = self.last.as_ref().filter(is_last) {
            return (*number, name);
        }
        if name.is_empty() || folder.is_empty() || folder.ends_with("://") {
            return self.split_odd(location);
        }
        let number = if let Some(number) = self.by_spelling.get(folder) {
            *number
        } else {
            let number = self.number(location, name);
            self.by_spelling.insert(folder.to_owned(), number);
            number
        };
        match &mut self.last {
            Some((last, known)) => {
                last.clear();
                last.push_str(folder);
                *known = number;
            }
            none => *none = Some((folder.to_owned(), number)),
        }
        (number, name)
    }

    /// Of a location that ends with a slash, or has none but those of its scheme.
    fn split_odd<'b>(&mut self, location: &'b str) -> (u32, &'b str) {
        let Place { path, .. } = self.places.of(location);
        let last = path.rsplit('/').next().unwrap_or_default();
        let written = if location.ends_with(last) { location } else { location.trim_end_matches('/') };
        let name = written.len().checked_sub(last.len()).and_then(|start| written.get(start..));
        let name = name.unwrap_or_default();
        (self.number(location, name), name)
    }

    fn number(&mut self, location: &str, name: &str) -> u32 {
        let Place { prefix, path } = self.places.of(location);
        let path = path.strip_suffix(name).unwrap_or(&path);
        self.seen.push(Folder { prefix: self.prefixes.of(&prefix), path: self.paths.of(path) });
        (self.seen.len() - 1) as u32
    }

    /// A folder, by its number.
    pub(crate) fn folder(&self, number: u32) -> &Folder {
        &self.seen[number as usize]
    }

    /// All paths of folders, by their numbers.
    pub(crate) fn paths(&self) -> &[String] {
        &self.paths.names
    }

    /// A prefix, by its number.
    pub(crate) fn prefix(&self, number: u32) -> &str {
        &self.prefixes.names[number as usize]
    }

    /// The places of folders, and of files one by one.
    pub(crate) fn places(&mut self) -> &mut Places<'a> {
        &mut self.places
    }
}

/// Texts, each with its number.
#[derive(Debug, Default)]
struct Numbers {
    by_name: HashMap<String, u32>,
    names: Vec<String>,
}

impl Numbers {
    fn of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.by_name.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.by_name.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of each location, as numbers of its prefix and path, and its name.
    fn split(locations: &[&str]) -> Vec<(u32, u32, String)> {
        let prefixes = Prefixes::default();
        let mut folders = Folders::new(&prefixes);
        let of = |location: &&str| {
            let (number, name) = folders.split(location);
            let folder = folders.folder(number);
            (folder.prefix, folder.path, name.to_owned())
        };
        locations.iter().map(of).collect()
    }

    #[test]
    fn numbers_are_the_same_where_places_are() {
        let spellings = [
            "/a/b",
            "file:/a/b",
            "file:///a//b",
            "/a/./b",
            "/a/b/",
            "/a/c",
            "/c",
            "//c",
            "c",
            "s3://x/a",
            "s3a://x/a",
            "s3://x//a",
            "s3://x/a/",
            "s3://x/a/a/",
            "s3://y/a",
            "gs://x/a",
            "s3://x",
            "s3://x/",
            "/",
            "",
            "s3://x/a/b",
            "s3://x/b/a",
            "/a/b/b",
            "/b/b",
        ];
        let prefixes = Prefixes::default();
        let mut places = Places::new(&prefixes);
        let found = split(&spellings);
        for (one, numbers) in spellings.iter().zip(&found) {
            for (other, others) in spellings.iter().zip(&found) {
                assert_eq!(places.of(one) == places.of(other), numbers == others, "{one:?} and {other:?}");
            }
        }
    }
}
