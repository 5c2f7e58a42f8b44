//! Which files does a user mean?
//!
//! In: locations of files and folders. Out: the files, those of a folder in the order of their names.
//!
//! Invariant: a file that is named itself is taken whatever its name is. In folders, names that begin with `_` or `.` are hidden, as
//! other engines have it; a folder of a partition (`_day=1`) is not.

use std::collections::{HashMap, HashSet};
use std::path::{Component, PathBuf};

use floeberg_core::{Cancel, Context as _, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_io::location::{Location, canonical, file_name, join};
use floeberg_io::{Store, file_identity};

/// Requests to the store at a time: each is a wait.
pub(super) const AT_A_TIME: usize = 16;
/// Folders in each other. Links may make a circle.
const DEEPEST: usize = 100;

/// The files. Errors: `NotFound` where there is nothing; `InvalidInput` for a folder without files, and for a file that is named
/// twice; those of the store.
pub(super) fn files_of(store: &dyn Store, given: &[String], cancel: &Cancel) -> Result<Vec<String>> {
    let given: Vec<String> = given.iter().map(|location| plain(location)).collect();
    let is_folder = ordered(&given, AT_A_TIME, cancel, |location| {
        Ok(location.ends_with('/') || !store.exists(location)?)
    })?;
    let mut files = Vec::new();
    for (location, is_folder) in given.iter().zip(is_folder) {
        if is_folder {
            files.append(&mut files_below(store, location, cancel)?);
        } else {
            files.push(location.clone());
        }
    }
    let mut seen = HashSet::new();
    if let Some(twice) = files.iter().find(|file| !seen.insert(canonical(file))) {
        return Err(Error::invalid_input("a file to add is named twice: name each once").with("path", twice));
    }
    check_links(&files, cancel)?;
    Ok(files)
}

/// Errors: `InvalidInput` for two names of one local file: its rows would be in the table twice.
fn check_links(files: &[String], cancel: &Cancel) -> Result<()> {
    let identities = ordered(files, AT_A_TIME, cancel, |file| file_identity(file))?;
    let mut seen = HashMap::new();
    for (file, identity) in files.iter().zip(identities) {
        let Some(identity) = identity else { continue };
        if let Some(other) = seen.insert(identity, file) {
            return Err(Error::invalid_input(format!(
                "two files to add are one file, since one is a link to the other: {other} and {file}. Leave one out"
            ))
            .with("path", file));
        }
    }
    Ok(())
}

/// A location of a local file without empty folders, `.` and `..`, so that each file has one spelling. Keys of object stores stay.
pub(super) fn plain(location: &str) -> String {
    let parsed = Location::parse(location);
    let is_folder = location.ends_with('/');
    let Some(path) = parsed.is_local().then(|| parsed.local_path().ok()).flatten() else {
        return location.to_owned();
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let is_plain = path.as_os_str() == plain.as_os_str() && !location.starts_with("FILE:");
    match plain.to_str() {
        Some(text) if path.is_absolute() && !is_plain => {
            format!("{text}{}", if is_folder { "/" } else { "" })
        }
        _ => location.to_owned(),
    }
}

/// The files in a folder and in the folders in it.
fn files_below(store: &dyn Store, folder: &str, cancel: &Cancel) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    for _ in 0..DEEPEST {
        if folders.is_empty() {
            break;
        }
        let listed = ordered(&folders, AT_A_TIME, cancel, |folder| {
            store.list(folder).map_err(|error| not_there(error, folder))
        });
        let mut below = Vec::new();
        for (folder, entries) in folders.iter().zip(listed?) {
            for entry in entries.into_iter().filter(|entry| !is_hidden(&entry.name)) {
                let location = join(folder, &entry.name);
                if entry.is_folder { below.push(location) } else { files.push(location) }
            }
        }
        folders = below;
    }
    if let Some(deepest) = folders.first() {
        return Err(Error::limit(format!("folders are nested more than {DEEPEST} levels deep")))
            .context("path", deepest);
    }
    if files.is_empty() {
        return Err(Error::invalid_input(
            "there are no files to add in this folder: files whose names begin with _ or . are left out. Name a file \
             or another folder",
        ))
        .context("path", folder);
    }
    files.sort_unstable();
    Ok(files)
}

/// Is it a file that engines keep beside data: `_SUCCESS`, `.part-0.crc`, a file that is being copied?
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || (name.starts_with('_') && !name.contains('=')) || name.ends_with("._COPYING_")
}

fn not_there(error: Error, location: &str) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    Error::not_found(format!("there is no file or folder to add at {location}"))
        .with("path", location)
        .caused_by(error)
}

/// Which of three formats does a file have, by the end of its name, or else by its first bytes?
pub(super) fn format_of(store: &dyn Store, location: &str) -> Result<crate::plan::FileFormat> {
    use crate::plan::FileFormat as F;
    let name = file_name(location).unwrap_or_default().to_ascii_lowercase();
    let known = [(".parquet", F::Parquet), (".parq", F::Parquet), (".orc", F::Orc), (".avro", F::Avro)];
    if let Some((_, format)) = known.into_iter().find(|(end, _)| name.ends_with(end)) {
        return Ok(format);
    }
    let source = store.open(location)?;
    let size = source.size()?.min(4);
    let first = source.read(0..size)?;
    let magics: [(&[u8], F); 3] = [(b"PAR1", F::Parquet), (b"ORC", F::Orc), (b"Obj\x01", F::Avro)];
    magics.into_iter().find(|(magic, _)| first.starts_with(magic)).map(|(_, format)| format).ok_or_else(|| {
        Error::invalid_data(
            "the file is not a Parquet, ORC or Avro file: leave it out, or begin its name with _ so that it is left out of \
             its folder",
        )
        .with("path", location)
    })
}
