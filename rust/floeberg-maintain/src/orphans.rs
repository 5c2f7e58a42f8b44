//! Which files in the folders of a table does nothing name?
//!
//! In: files that a store listed, and the table, read after that. Out: files that are old, and that the table does not name.
//!
//! ```text
//! list the files  ->  read the table again  ->  compare
//!                     what was committed meanwhile is named
//! ```
//!
//! Invariant: a file that any snapshot of the table names is kept, in whatever spelling; so is one that is hidden, or younger than the
//! limit. A folder that holds another table is refused.

use std::collections::HashMap;

use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::{FoundFile, Store, location};

use crate::place::{Place, Prefixes};

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
    files: Vec<FoundFile>,
}

/// Folders of other table formats.
const OTHER_FORMATS: [&str; 2] = ["_delta_log", "_versions"];

/// How metadata files end.
const METADATA_ENDS: [&str; 3] = [".metadata.json", ".gz.metadata.json", ".metadata.json.gz"];

impl Orphans {
    /// Lists a folder. Errors: `Unsupported` for a store without lists; those of the store.
    pub fn list(store: &dyn Store, folder: &str) -> Result<Self> {
        Ok(Self { folder: folder.to_owned(), files: store.files_below(folder)? })
    }

    /// Files that somebody else listed below a folder.
    pub fn of_files(folder: &str, files: Vec<FoundFile>) -> Self {
        Self { folder: folder.to_owned(), files }
    }

    /// The orphans that were written before then, in milliseconds since 1970, in the order of their locations.
    ///
    /// Errors: `InvalidInput` for a folder that holds another table, and where paths are named with other schemes or authorities and
    /// that is an error; `InvalidData` for a damaged manifest; `Cancelled`; those of the store.
    pub fn find(
        self,
        table: &Table,
        older_than_ms: i64,
        prefixes: &Prefixes,
        mismatch: PrefixMismatch,
        cancel: &Cancel,
    ) -> Result<Vec<FoundFile>> {
        let mut named: HashMap<String, Vec<String>> = HashMap::new();
        for file in table.reachable_files(cancel)? {
            let place = Place::of(&file?.location, prefixes);
            let prefixes = named.entry(place.path).or_default();
            if !prefixes.contains(&place.prefix) {
                prefixes.push(place.prefix);
            }
        }
        self.check_alone(&named, prefixes)?;
        let partitions = partition_names(table.metadata());
        let base = Place::of(&self.folder, prefixes).path;
        let (mut orphans, mut conflicts, mut is_known) = (Vec::new(), Vec::new(), self.files.is_empty());
        for file in self.files {
            let place = Place::of(&file.location, prefixes);
            is_known |= named.contains_key(&place.path);
            let below = place.path.strip_prefix(base.as_str()).unwrap_or(&place.path);
            if file.modified_ms >= older_than_ms || is_hidden(below, &partitions) || is_hint(below) {
                continue;
            }
            match named.get(&place.path) {
                None => orphans.push(file),
                Some(known) if known.contains(&place.prefix) => {}
                Some(_) if mismatch == PrefixMismatch::Ignore => {}
                Some(_) if mismatch == PrefixMismatch::Delete => orphans.push(file),
                Some(known) => conflicts.push((file.location, known[0].clone())),
            }
        }
        if !is_known && !orphans.is_empty() {
            let message = "the table names none of the files in the folder: it may be spelled otherwise than in the table, \
                           and then every file would be taken for an orphan";
            return Err(Error::invalid_input(message).with("path", location::shown(&self.folder)));
        }
        if let Some((location, prefix)) = conflicts.first() {
            return Err(Error::invalid_input(format!(
                "the table names {} of the files found with another scheme or authority, such as {prefix:?}: say which are equal, or what a mismatch means",
                conflicts.len()
            ))
            .with("path", location));
        }
        orphans.sort_unstable_by(|one, other| one.location.cmp(&other.location));
        Ok(orphans)
    }

    /// Errors: `InvalidInput` where metadata of another table, or another format, is below the folder.
    fn check_alone(&self, named: &HashMap<String, Vec<String>>, prefixes: &Prefixes) -> Result<()> {
        let own: Vec<&str> =
            named.keys().filter(|path| is_metadata(path)).filter_map(|path| location::parent(path)).collect();
        for file in &self.files {
            let place = Place::of(&file.location, prefixes);
            let folder = location::parent(&place.path).unwrap_or_default();
            let other_format = place.path.split('/').find(|name| OTHER_FORMATS.contains(name));
            let what = match other_format {
                Some(name) => format!("a table of another format, in a folder {name:?}"),
                None if is_metadata(&place.path) && !own.contains(&folder) => "another table".to_owned(),
                None => continue,
            };
            return Err(Error::invalid_input(format!(
                "the folder holds {what}: orphans are not looked for, since its files would be taken for orphans"
            ))
            .with("path", &file.location));
        }
        Ok(())
    }
}

fn is_metadata(path: &str) -> bool {
    METADATA_ENDS.iter().any(|end| path.ends_with(end))
}

/// Is it the hint of a table in a folder, which nothing names?
fn is_hint(path: &str) -> bool {
    location::file_name(path) == Some("version-hint.text")
}

/// Does a name of the path begin with `.` or `_`? Partition folders may.
fn is_hidden(path: &str, partitions: &[String]) -> bool {
    path.split('/').any(|name| {
        name.starts_with('.')
            || (name.starts_with('_') && !partitions.iter().any(|partition| name.starts_with(partition)))
    })
}

/// How partition folders begin whose field begins with `_`: `_day=`.
fn partition_names(metadata: &TableMetadata) -> Vec<String> {
    let fields = metadata.partition_specs.iter().flat_map(|spec| spec.fields.iter());
    fields.filter(|field| field.name.starts_with('_')).map(|field| format!("{}=", field.name)).collect()
}
