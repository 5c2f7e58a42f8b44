//! Which of the files in a folder does a table name?
//!
//! In: files that a store listed, and locations that a table names, one after the other. Out: for each file whether it is named.
//!
//! Invariant: a file is named by its place, in whatever spelling. Memory holds the files that were listed, and the folders of those that
//! are named: of a file its name, a slot in a table of the names of its folder, and four numbers.

use floeberg_core::{Error, Result};
use floeberg_io::{FoundFile, ListedFolder, location};
use foldhash::{HashMap, HashMapExt};

use crate::numbered::Folders;
use crate::place::Prefixes;

/// Folders of other table formats.
const OTHER_FORMATS: [&str; 3] = ["_delta_log", "_versions", ".hoodie"];

/// Does the table name a file?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// Not at all.
    Not,
    /// With the scheme and the authority that it was listed with.
    Same,
    /// With others alone: the number of the first.
    Otherwise(u32),
}

/// A file that was listed.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Which of the folders lists it.
    part: u32,
    /// Which file of that folder it is.
    number: u32,
    /// The number of its folder, by its place.
    folder: u32,
    pub(crate) named: Named,
}

/// The files below a folder, each once.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) entries: Vec<Entry>,
    pub(crate) folders: Folders<'a>,
    parts: &'a [ListedFolder],
    partitions: Vec<String>,
    /// The first entry of each name, by the number of its folder's path.
    by_path: Vec<HashMap<&'a str, u32>>,
    /// The next entry of the same path, with another prefix.
    next: HashMap<u32, u32>,
    /// What is known of folders, by the numbers of their paths.
    seen: Vec<Seen>,
    /// The first entry in a folder of another table format, and the name of that folder.
    other: Option<(u32, String)>,
}

/// What is known of a folder by its path.
#[derive(Debug)]
struct Seen {
    is_below: bool,
    is_hidden: bool,
    /// The folder of another table format that it is, or is in.
    other: Option<String>,
}

impl<'a> Listed<'a> {
    /// Files below a folder. Those of a list may be anywhere, and named twice.
    ///
    /// Errors: `LimitExceeded` for more files than 32 bits count.
    pub(crate) fn new(
        parts: &'a [ListedFolder],
        folder: &str,
        prefixes: &'a Prefixes,
        partitions: Vec<String>,
    ) -> Result<Self> {
        let count = parts.iter().map(ListedFolder::len).fold(0_usize, usize::saturating_add);
        if u32::try_from(count).is_err() || u32::try_from(parts.len()).is_err() {
            return Err(Error::limit(format!("expected less than 2^32 files in a folder, found {count}")));
        }
        let mut listed = Self {
            entries: Vec::with_capacity(count),
            folders: Folders::new(prefixes),
            parts,
            partitions,
            by_path: Vec::new(),
            next: HashMap::new(),
            seen: Vec::new(),
            other: None,
        };
        let base = listed.folders.places().of_folder(folder).path;
        let base = if base.is_empty() { base } else { format!("{base}/") };
        for (part, of_folder) in parts.iter().enumerate() {
            let mut names = of_folder.names().enumerate();
            if of_folder.folder.is_empty() {
                // Their names are locations.
                for (number, location) in names {
                    let (folder, name) = listed.folders.split(location);
                    listed.see(&base);
                    listed.add((part as u32, number as u32), folder, name);
                }
                continue;
            }
            let Some((_, first)) = names.next() else { continue };
            let (folder, _) = listed.folders.split(&[&of_folder.folder, first].concat());
            listed.see(&base);
            let path = listed.folders.folder(folder).path as usize;
            if listed.seen[path].is_below {
                listed.by_path[path].reserve(of_folder.len());
            }
            for (number, name) in of_folder.names().enumerate() {
                listed.add((part as u32, number as u32), folder, name);
            }
        }
        Ok(listed)
    }

    /// Learns what is to be known of new paths of folders.
    fn see(&mut self, base: &str) {
        for path in &self.folders.paths()[self.seen.len()..] {
            let below = path.strip_prefix(base);
            let is_hidden =
                below.is_some_and(|below| below.split('/').any(|name| is_hidden(name, &self.partitions)));
            let other = other_format(path).map(str::to_owned);
            self.seen.push(Seen { is_below: below.is_some(), is_hidden, other });
            self.by_path.push(HashMap::new());
        }
    }

    fn add(&mut self, (part, number): (u32, u32), folder: u32, name: &'a str) {
        let path = self.folders.folder(folder).path as usize;
        let seen = &self.seen[path];
        if !seen.is_below {
            return;
        }
        let own = self.entries.len() as u32;
        let first = *self.by_path[path].entry(name).or_insert(own);
        if first != own {
            let Some(last) = self.last_of(first, folder) else { return };
            self.next.insert(last, own);
        }
        if self.other.is_none() {
            let is_one = || OTHER_FORMATS.contains(&name).then(|| name.to_owned());
            self.other = seen.other.clone().or_else(is_one).map(|other| (own, other));
        }
        self.entries.push(Entry { part, number, folder, named: Named::Not });
    }

    /// The last one of a path; `None` where one of them has the prefix of the folder: it was listed twice.
    fn last_of(&self, first: u32, folder: u32) -> Option<u32> {
        let prefix = self.folders.folder(folder).prefix;
        let mut at = first;
        loop {
            if self.folders.folder(self.entries[at as usize].folder).prefix == prefix {
                return None;
            }
            match self.next.get(&at) {
                None => return Some(at),
                Some(next) => at = *next,
            }
        }
    }

    /// The table names a location.
    pub(crate) fn name(&mut self, location: &str) {
        let (number, name) = self.folders.split(location);
        let folder = self.folders.folder(number);
        // Paths that came later have no files.
        let Some(first) = self.by_path.get(folder.path as usize).and_then(|names| names.get(name)) else {
            return;
        };
        let mut at = *first;
        loop {
            let entry = &mut self.entries[at as usize];
            if self.folders.folder(entry.folder).prefix == folder.prefix {
                entry.named = Named::Same;
            } else if entry.named == Named::Not {
                entry.named = Named::Otherwise(folder.prefix);
            }
            match self.next.get(&at) {
                None => return,
                Some(next) => at = *next,
            }
        }
    }

    /// The location of a file.
    pub(crate) fn location(&self, entry: &Entry) -> String {
        self.parts[entry.part as usize].location(entry.number as usize)
    }

    /// The file, if its size and its time came with its name.
    pub(crate) fn file(&self, entry: &Entry) -> Option<FoundFile> {
        self.parts[entry.part as usize].file(entry.number as usize)
    }

    /// The last segment of the location of a file, or all of it.
    pub(crate) fn file_name(&self, entry: &Entry) -> &'a str {
        let part = &self.parts[entry.part as usize];
        let written = part.name(entry.number as usize);
        if part.folder.is_empty() { location::file_name(written).unwrap_or(written) } else { written }
    }

    /// Does its name, or that of a folder below the one that was listed, begin with `.` or `_`? Partition folders may.
    pub(crate) fn is_hidden(&self, entry: &Entry) -> bool {
        let path = self.folders.folder(entry.folder).path as usize;
        self.seen[path].is_hidden || is_hidden(self.file_name(entry), &self.partitions)
    }

    /// The location of the first file in a folder of another table format, and the name of that folder.
    pub(crate) fn of_other_format(&self) -> Option<(String, &str)> {
        let (entry, name) = self.other.as_ref()?;
        Some((self.location(self.entries.get(*entry as usize)?), name))
    }
}

/// The folder of another table format on a path.
pub(crate) fn other_format(path: &str) -> Option<&str> {
    path.split('/').find(|name| OTHER_FORMATS.contains(name))
}

/// Does a name begin with `.` or `_`?
fn is_hidden(name: &str, partitions: &[String]) -> bool {
    name.starts_with('.')
        || (name.starts_with('_') && !partitions.iter().any(|partition| name.starts_with(partition)))
}
