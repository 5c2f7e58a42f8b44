//! Which files in the folders of a table does nothing name?
//!
//! In: files that a store listed, and the table, read after that. Out: files that are old, and that the table does not name.
//!
//! ```text
//! list the names  ->  read the table again  ->  compare  ->  ask when the files were written that nothing names
//!                     what was committed meanwhile is named
//! ```
//!
//! Invariant: a file that any snapshot of the table names is kept, in whatever spelling; so is one that is hidden, or younger than the
//! limit. A folder that holds another table is refused.

use std::sync::Arc;

use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::{TableMetadata, open_metadata};
use floeberg_io::{FoundFile, ListedFolder, Store, location};

use crate::listed::{Entry, Listed, Named};
use crate::place::{Places, Prefixes};

/// The property that reserves a version of a table in a folder for a commit of several tables: that of Python's `commit/reservation.py`.
const RESERVATION: &str = "floeberg.transaction";

/// What is done with a file whose path the table names with another scheme or authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixMismatch {
    /// It is an error.
    Error,
    /// The file is kept.
    Ignore,
    /// The file is an orphan.
    Delete,
}

/// The files below a folder, before they are compared.
#[derive(Debug)]
pub struct Orphans {
    folder: String,
    folders: Vec<ListedFolder>,
    /// Where they were listed; `None` where their sizes and times were given.
    store: Option<Arc<dyn Store>>,
    /// Did somebody else list them? Then there may be orphans alone.
    is_given: bool,
    /// What the table names, where workers compared that with all files of the folder.
    compared: Option<Compared>,
}

/// What a table names of the files of a folder, of which those are left out that it names just so.
#[derive(Debug)]
struct Compared {
    /// The schemes and authorities with which it names each of the files.
    prefixes: Vec<Vec<String>>,
    /// Does it name one of all files, with any scheme and authority?
    is_known: bool,
}

/// A file of a folder, as workers compared it.
#[derive(Debug, Clone)]
pub struct ComparedFile {
    /// The file.
    pub file: FoundFile,
    /// The schemes and authorities with which the table names its path.
    pub prefixes: Vec<String>,
}

impl Orphans {
    /// Lists a folder. Errors: `Unsupported` for a store without lists; those of the store.
    pub fn list(store: Arc<dyn Store>, folder: &str) -> Result<Self> {
        let folders = store.names_below(folder)?;
        Ok(Self { folder: folder.to_owned(), folders, store: Some(store), is_given: false, compared: None })
    }

    /// Files that somebody else listed below a folder.
    pub fn of_files(folder: &str, files: Vec<FoundFile>) -> Self {
        let folders = ListedFolder::of_files(files);
        Self { folder: folder.to_owned(), folders, store: None, is_given: true, compared: None }
    }

    /// The files of a folder that a table does not name just as they are, and those that say that a table of another format is there.
    /// Workers listed the folder and read what the table names. `is_known` says whether it names any file of the folder.
    pub fn of_compared(folder: &str, files: Vec<ComparedFile>, is_known: bool) -> Self {
        let (files, prefixes): (Vec<_>, _) = files.into_iter().map(|each| (each.file, each.prefixes)).unzip();
        let compared = Some(Compared { prefixes, is_known });
        let folders = ListedFolder::of_files(files);
        Self { folder: folder.to_owned(), folders, store: None, is_given: false, compared }
    }

    /// The time that it was at least, by the clock of the store that listed the files: that of the newest file or, where times do not
    /// come with names, of the newest folder. `None` without files, or where somebody else listed them.
    pub fn newest_ms(&self) -> Option<i64> {
        self.folders.iter().filter_map(ListedFolder::newest_ms).max().filter(|_| !self.is_given)
    }

    /// The orphans that were written before then, in milliseconds since 1970, in the order of their locations.
    ///
    /// Errors: `InvalidInput` for a folder that holds another table, and where paths are named with other schemes or authorities and
    /// that is an error; `InvalidData` for a damaged manifest; `Cancelled`; those of the store.
    pub fn find(
        &self,
        table: &Table,
        older_than_ms: i64,
        prefixes: &Prefixes,
        mismatch: PrefixMismatch,
        cancel: &Cancel,
    ) -> Result<Vec<FoundFile>> {
        let mut listed =
            Listed::new(&self.folders, &self.folder, prefixes, partition_names(table.metadata()))?;
        match &self.compared {
            None => {
                table.reachable_files(cancel)?.strict().each_location(|location| listed.name(location))?;
            }
            Some(compared) => {
                let mut places = Places::new(prefixes);
                let locations = self
                    .folders
                    .iter()
                    .flat_map(|folder| (0..folder.len()).map(|number| folder.location(number)));
                for (location, known) in locations.zip(&compared.prefixes) {
                    let path = places.of(&location).path;
                    for prefix in known {
                        listed.name(&format!("{prefix}/{path}"));
                    }
                }
            }
        }
        check_alone(&listed, table, cancel)?;
        let places = listed.folders.places();
        let own = places.of_folder(&table.metadata().metadata_folder());
        check_above(table.store().as_ref(), &self.folder, |folder| places.of_folder(folder) == own, cancel)?;
        let found = self.old_files(&listed, older_than_ms, mismatch, cancel)?;
        let (mut orphans, mut conflicts) = (Vec::new(), Vec::new());
        for (named, file) in found {
            match named {
                Named::Otherwise(prefix) if mismatch == PrefixMismatch::Error => {
                    conflicts.push((file.location, prefix));
                }
                _ => orphans.push(file),
            }
        }
        let is_known = listed.entries.is_empty()
            || self.compared.as_ref().is_some_and(|compared| compared.is_known)
            || listed.entries.iter().any(|entry| entry.named != Named::Not);
        if !is_known && !self.is_given && !orphans.is_empty() {
            let message = "the table names none of the files in the folder: it may be spelled otherwise than in the table, \
                           and then every file would be taken for an orphan";
            return Err(Error::invalid_input(message).with("path", location::shown(&self.folder)));
        }
        if let Some((location, prefix)) = conflicts.first() {
            return Err(Error::invalid_input(format!(
                "the table names {} of the files found with another scheme or authority, such as {:?}: say which are equal, or what a mismatch means",
                conflicts.len(),
                listed.folders.prefix(*prefix)
            ))
            .with("path", location));
        }
        orphans.sort_unstable_by(|one, other| one.location.cmp(&other.location));
        Ok(orphans)
    }

    /// The files that the table does not name just as they are, and that were written before then: neither hidden, nor a hint, nor kept by
    /// the mode. A store that did not say the times is asked now, for these files alone: one that is gone since is left out, and one
    /// that was written again is younger.
    fn old_files(
        &self,
        listed: &Listed<'_>,
        older_than_ms: i64,
        mismatch: PrefixMismatch,
        cancel: &Cancel,
    ) -> Result<Vec<(Named, FoundFile)>> {
        let may_go = |entry: &&Entry| match entry.named {
            Named::Same => false,
            Named::Otherwise(_) if mismatch == PrefixMismatch::Ignore => false,
            _ => !listed.is_hidden(entry) && !is_hint(listed.file_name(entry)),
        };
        let (mut found, mut asked) = (Vec::new(), Vec::new());
        for entry in listed.entries.iter().filter(may_go) {
            match listed.file(entry) {
                Some(file) => found.push((entry.named, file)),
                None => asked.push(entry),
            }
        }
        if let Some(store) = self.store.as_ref().filter(|_| !asked.is_empty()) {
            let answers = ordered(&asked, thread_budget()?, cancel, |entry| {
                Ok(store.listed_file(&listed.location(entry))?.map(|file| (entry.named, file)))
            })?;
            found.extend(answers.into_iter().flatten());
        }
        found.retain(|(_, file)| file.modified_ms < older_than_ms);
        Ok(found)
    }
}

/// Errors: `InvalidInput` where metadata of another table, or another format, is below the folder; those of reading metadata that the
/// table does not name.
fn check_alone(listed: &Listed<'_>, table: &Table, cancel: &Cancel) -> Result<()> {
    let other = |what: &str, location: &str| {
        Error::invalid_input(format!(
            "the folder holds {what}: orphans are not looked for, since its files would be taken for orphans"
        ))
        .with("path", location)
    };
    if let Some((location, name)) = listed.of_other_format() {
        return Err(other(&format!("a table of another format, in a folder {name:?}"), &location));
    }
    let unnamed = listed.entries.iter().filter(|entry| entry.named == Named::Not);
    let unnamed: Vec<_> = unnamed.filter(|entry| is_metadata(listed.file_name(entry))).collect();
    let locations: Vec<String> = unnamed.into_iter().map(|entry| listed.location(entry)).collect();
    // Metadata that fell out of the log is this table's own.
    ordered(&locations, thread_budget()?, cancel, |location| {
        match open_metadata(table.store().as_ref(), location) {
            Ok((_, metadata)) if metadata.table_uuid == table.metadata().table_uuid => Ok(()),
            // A client that was killed had reserved the name for a table, which never came to be.
            Ok((_, metadata)) if metadata.properties.contains_key(RESERVATION) => Ok(()),
            // It was removed since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Ok(_) => Err(other("another table", location)),
            // A killed writer may have left it.
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(Error::invalid_input(
                "the folder holds a metadata file that cannot be read: orphans are not looked for, since it may be of another table. \
                 If it is not, remove the file first",
            )
            .with("path", location)
            .caused_by(error)),
            Err(error) => Err(other("metadata that is not this table's", location).caused_by(error)),
        }
    })
    .map(drop)
}

/// Errors: `InvalidInput` where the folder is inside of that of another table. A folder above that cannot be listed is passed over: many
/// users may see their own folders alone.
fn check_above(
    store: &dyn Store,
    folder: &str,
    mut is_own: impl FnMut(&str) -> bool,
    cancel: &Cancel,
) -> Result<()> {
    let mut above = location::parent(folder.trim_end_matches('/'));
    while let Some(outer) = above {
        cancel.check()?;
        let metadata = location::join(outer, "metadata");
        let names =
            if is_own(&metadata) { Vec::new() } else { store.file_names(&metadata).unwrap_or_default() };
        if let Some(name) = names.iter().find(|name| is_metadata(name)) {
            let message = "the folder is inside of that of another table: orphans are not looked for, since files of the other \
                           table would be taken for orphans";
            return Err(Error::invalid_input(message).with("path", location::join(&metadata, name)));
        }
        above = location::parent(outer);
    }
    Ok(())
}

/// Hidden files are of writers that were killed, or checksums that Hadoop keeps beside files.
fn is_metadata(path: &str) -> bool {
    let name = location::file_name(path).unwrap_or(path).to_ascii_lowercase();
    name.contains(".metadata.json") && !name.starts_with('.')
}

/// Is it the hint of a table in a folder, which nothing names?
fn is_hint(path: &str) -> bool {
    location::file_name(path) == Some("version-hint.text")
}

/// How partition folders begin whose field begins with `_`: `_day=`.
fn partition_names(metadata: &TableMetadata) -> Vec<String> {
    let fields = metadata.partition_specs.iter().flat_map(|spec| spec.fields.iter());
    fields.filter(|field| field.name.starts_with('_')).map(|field| format!("{}=", field.name)).collect()
}
