//! Which of the files in a folder does a table name?
//!
//! In: files that a store listed, and locations that a table names, one after the other. Out: for each file whether it is named.
//!
//! Invariant: a file is named by its place, in whatever spelling. Memory holds the files that were listed, and the folders of those that
//! are named.

use floeberg_io::FoundFile;
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
pub(crate) struct ListedFile<'a> {
    pub(crate) file: &'a FoundFile,
    pub(crate) named: Named,
    /// Does its name, or that of a folder below the one that was listed, begin with `.` or `_`? Partition folders may.
    pub(crate) is_hidden: bool,
    folder: u32,
    name: &'a str,
    /// The next one of this path, with another prefix; its own number for none.
    next: u32,
}

/// The files below a folder, each once.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) entries: Vec<ListedFile<'a>>,
    pub(crate) folders: Folders<'a>,
    /// The first entry of a path: of the number of its folder's path, and of a name.
    by_path: HashMap<(u32, &'a str), u32>,
}

/// What is known of a folder by its path.
#[derive(Debug, Clone, Copy)]
struct Seen {
    is_below: bool,
    is_hidden: bool,
}

impl<'a> Listed<'a> {
    /// Files below a folder. Those of a list may be anywhere, and named twice.
    pub(crate) fn new(
        files: &'a [FoundFile],
        folder: &str,
        prefixes: &'a Prefixes,
        partitions: &[String],
    ) -> Self {
        let mut folders = Folders::new(prefixes);
        let base = folders.places().of_folder(folder).path;
        let base = if base.is_empty() { base } else { format!("{base}/") };
        let mut entries: Vec<ListedFile<'a>> = Vec::with_capacity(files.len());
        let mut by_path: HashMap<(u32, &'a str), u32> = HashMap::with_capacity(files.len());
        let mut seen: Vec<Seen> = Vec::new();
        for file in files {
            let (number, name) = folders.split(&file.location);
            let path = folders.folder(number).path;
            for path in &folders.paths()[seen.len()..] {
                let below = path.strip_prefix(base.as_str());
                let is_hidden =
                    below.is_some_and(|below| below.split('/').any(|name| is_hidden(name, partitions)));
                seen.push(Seen { is_below: below.is_some(), is_hidden });
            }
            let of_folder = seen[path as usize];
            if !of_folder.is_below {
                continue;
            }
            let own = entries.len() as u32;
            let first = *by_path.entry((path, name)).or_insert(own);
            if first != own {
                let Some(last) = last_of(&entries, first, number, &folders) else { continue };
                entries[last as usize].next = own;
            }
            let is_hidden = of_folder.is_hidden || is_hidden(name, partitions);
            entries.push(ListedFile { file, named: Named::Not, is_hidden, folder: number, name, next: own });
        }
        Self { entries, folders, by_path }
    }

    /// The table names a location.
    pub(crate) fn name(&mut self, location: &str) {
        let (number, name) = self.folders.split(location);
        let folder = self.folders.folder(number);
        let Some(first) = self.by_path.get(&(folder.path, name)) else { return };
        let mut at = *first;
        loop {
            let entry = &mut self.entries[at as usize];
            if self.folders.folder(entry.folder).prefix == folder.prefix {
                entry.named = Named::Same;
            } else if entry.named == Named::Not {
                entry.named = Named::Otherwise(folder.prefix);
            }
            if entry.next == at {
                return;
            }
            at = entry.next;
        }
    }

    /// The first file in a folder of another table format, and the name of that folder.
    pub(crate) fn of_other_format(&self) -> Option<(&ListedFile<'a>, &str)> {
        let names = self.folders.paths().iter();
        let other: Vec<Option<&str>> = names.map(|path| other_format(path)).collect();
        let name = |entry: &ListedFile<'a>| other[self.folders.folder(entry.folder).path as usize];
        let is_one = |entry: &ListedFile<'a>| OTHER_FORMATS.contains(&entry.name).then_some(entry.name);
        self.entries.iter().find_map(|entry| Some((entry, name(entry).or_else(|| is_one(entry))?)))
    }
}

/// The last one of a path; `None` where one of them has the prefix of the folder: it was listed twice.
fn last_of(entries: &[ListedFile<'_>], first: u32, folder: u32, folders: &Folders<'_>) -> Option<u32> {
    let prefix = folders.folder(folder).prefix;
    let mut at = first;
    loop {
        let entry = &entries[at as usize];
        if folders.folder(entry.folder).prefix == prefix {
            return None;
        }
        if entry.next == at {
            return Some(at);
        }
        at = entry.next;
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
