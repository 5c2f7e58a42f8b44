//! Which file of a metadata folder is the current one?
//!
//! In: a store and a metadata folder. Out: the location of the current metadata file.
//! Spec: File System Tables; Metastore Tables.
//!
//! Invariant: nothing is guessed: if a folder without a hint has two candidates, the error names both. Even with a damaged hint,
//! existing versions are found, in bounded work.

use std::collections::HashSet;

use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_io::Store;
use floeberg_io::location::join;

use super::name::{Scheme, is_metadata_name, names_of, parse_name, parse_version, suffix_rank};

pub(super) const HINT: &str = "version-hint.text";

/// How many bytes a hint may have.
const MAX_HINT_BYTES: u64 = 4096;

/// About how many versions after the hint are tried. After that the folder is listed, which takes fewer requests.
const FEW: u64 = 8;

/// How many versions a hint may lag behind if the store cannot list files: beyond this, the store probably answers every request.
const MAX_LAG: u64 = 100_000;

/// Finds the current metadata file of a metadata folder; `None` if the folder does not exist or has none.
///
/// A hint counts if there is one. It may be stale, so later versions are searched from it upward. If its file is gone, or the hint
/// cannot be read, the folder is listed as if there were no hint.
///
/// Errors: `InvalidInput` for a folder with several candidates; `Unsupported` with neither a hint nor a listing; those of the
/// store.
pub(super) fn find_current(store: &dyn Store, folder: &str) -> Result<Option<String>> {
    let hint = read_hint(store, folder)?;
    if let Hint::Says(hint) = &hint
        && let Some(location) = follow_hint(store, folder, hint)?
    {
        return Ok(Some(location));
    }
    let names = match files_of(store, folder) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            return Err(cannot_list(folder, &hint, error));
        }
        Err(error) => return Err(error),
    };
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let current = choose(&names).map_err(|error| error.with("path", folder))?;
    Ok(current.map(|name| join(folder, name)))
}

/// The names of the files of a folder.
fn files_of(store: &dyn Store, folder: &str) -> Result<Vec<String>> {
    let entries = store.list(folder)?;
    Ok(entries.into_iter().filter(|entry| !entry.is_folder).map(|entry| entry.name).collect())
}

/// The current file of a folder without a hint: the highest version.
pub(super) fn choose<'a>(names: &[&'a str]) -> Result<Option<&'a str>> {
    let versioned: Vec<_> = names.iter().filter_map(|name| Some((*name, parse_name(name)?))).collect();
    let highest = |wanted: Scheme| {
        let of_scheme = versioned.iter().filter(move |(_, (scheme, _))| *scheme == wanted);
        let version = of_scheme.clone().map(|(_, (_, version))| *version).max()?;
        let mut of_version: Vec<_> =
            of_scheme.filter(|(_, (_, other))| *other == version).map(|(name, _)| *name).collect();
        of_version.sort_by_key(|name| (suffix_rank(name), *name));
        Some(of_version)
    };
    let several = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
        Err(Error::invalid_input(format!(
            "only the table's catalog knows the current metadata file, since {} are equally new: open the \
             metadata file itself",
            names.join(" and ")
        )))
    };
    match (highest(Scheme::FileSystem), highest(Scheme::Metastore)) {
        (Some(versions), None) => Ok(versions.first().copied()),
        (None, Some(versions)) => match versions.as_slice() {
            [only] => Ok(Some(*only)),
            tied => several(tied),
        },
        (Some(versions), Some(others)) => several(&[versions.as_slice(), others.as_slice()].concat()),
        (None, None) => {
            match names.iter().filter(|name| is_metadata_name(name)).copied().collect::<Vec<_>>().as_slice() {
                [] => Ok(None),
                [only] => Ok(Some(*only)),
                unversioned => several(unversioned),
            }
        }
    }
}

/// The version that the hint of a metadata folder says; `None` without a hint, and for one that says no version.
///
/// Errors: those of the store.
pub fn hinted_version(store: &dyn Store, folder: &str) -> Result<Option<u64>> {
    Ok(match read_hint(store, folder)? {
        Hint::Says(hint) => version_in(hint.rsplit('/').next().unwrap_or(&hint)),
        Hint::Absent | Hint::Unread(_) => None,
    })
}

/// The version that a hint names: by a number with or without its `v`, or by a file name.
fn version_in(name: &str) -> Option<u64> {
    let number = parse_version(name).or_else(|| parse_version(name.strip_prefix('v')?));
    number.or_else(|| match parse_name(name)? {
        (Scheme::FileSystem, version) => Some(version),
        (Scheme::Metastore, _) => None,
    })
}

/// What the hint of a metadata folder is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HintedFile {
    /// There is no hint.
    NoHint,
    /// The metadata file that it leads to.
    Found(String),
    /// It leads to none: why.
    Broken(String),
}

/// Where the hint of a metadata folder leads to.
///
/// Errors: those of the store.
pub fn hinted_metadata(store: &dyn Store, folder: &str) -> Result<HintedFile> {
    let hint = match read_hint(store, folder)? {
        Hint::Absent => return Ok(HintedFile::NoHint),
        Hint::Unread(error) => return Ok(HintedFile::Broken(error.message().to_owned())),
        Hint::Says(hint) => hint,
    };
    Ok(follow_hint(store, folder, &hint)?.map_or_else(
        || {
            let shown: String = hint.chars().take(64).collect();
            HintedFile::Broken(format!("it says {shown:?}, and no such metadata file is there"))
        },
        HintedFile::Found,
    ))
}

/// The content of the hint.
pub(super) enum Hint {
    /// Nothing.
    Absent,
    /// A string, without blanks.
    Says(String),
    /// Not a valid hint, or not readable.
    Unread(Error),
}

/// Reads the hint. A folder in its place, a hint that is too long or one that cannot be read counts as absent: the versions
/// themselves decide, and they can be listed.
pub(super) fn read_hint(store: &dyn Store, folder: &str) -> Result<Hint> {
    let location = join(folder, HINT);
    match store.open(&location).and_then(|source| source.read_all(MAX_HINT_BYTES)) {
        Ok(bytes) => Ok(Hint::Says(String::from_utf8_lossy(&bytes).trim().to_owned())),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => Ok(Hint::Absent),
            ErrorKind::InvalidInput
            | ErrorKind::LimitExceeded
            | ErrorKind::PermissionDenied
            | ErrorKind::Storage => Ok(Hint::Unread(error)),
            _ => Err(error),
        },
    }
}

/// The file that a hint names: by a version with or without its `v`, by a file name, or by a name without its suffix.
/// A hint never leads out of its folder: only the last segment of a path counts.
fn follow_hint(store: &dyn Store, folder: &str, hint: &str) -> Result<Option<String>> {
    let name = hint.rsplit('/').next().unwrap_or(hint);
    if let Some(version) = version_in(name) {
        return newest_from(store, folder, version);
    }
    if matches!(name, "" | "." | "..") || name.chars().any(char::is_control) {
        return Ok(None);
    }
    if is_metadata_name(name) {
        return first_there(store, folder, std::iter::once(name.to_owned()));
    }
    first_there(store, folder, names_of(name))
}

/// The highest existing version from a version on, without a gap. Several are asked for at once, since a hint may be stale.
fn newest_from(store: &dyn Store, folder: &str, hinted: u64) -> Result<Option<String>> {
    let mut newest = None;
    let (mut version, mut at_once) = (hinted, 2);
    while version < hinted.saturating_add(FEW) {
        let names = |version| names_of(&format!("v{version}")).collect::<Vec<_>>();
        let asked: Vec<_> = (version..version.saturating_add(at_once)).map(names).collect();
        let there = are_there(store, folder, &asked.concat())?;
        let mut there = there.iter();
        for names in &asked {
            let found: Vec<_> = names.iter().zip(there.by_ref()).filter(|(_, is_there)| **is_there).collect();
            match found.first() {
                Some((name, _)) => newest = Some(join(folder, name)),
                None => return Ok(newest),
            }
        }
        version = version.saturating_add(at_once);
        at_once *= 2;
    }
    newest_listed(store, folder, hinted, version, newest)
}

/// The same for a hint that is far behind: the folder is listed, where the store can.
fn newest_listed(
    store: &dyn Store,
    folder: &str,
    hinted: u64,
    first: u64,
    mut newest: Option<String>,
) -> Result<Option<String>> {
    let listed: Option<HashSet<String>> = match files_of(store, folder) {
        Ok(names) => Some(names.into_iter().collect()),
        Err(error) if error.kind() == ErrorKind::Unsupported => None,
        Err(error) => return Err(error),
    };
    for version in first..=first.saturating_add(MAX_LAG) {
        let stem = format!("v{version}");
        let mut names = names_of(&stem);
        let found = match &listed {
            Some(listed) => names.find(|name| listed.contains(name)).map(|name| join(folder, &name)),
            None => first_there(store, folder, names)?,
        };
        match found {
            Some(location) => newest = Some(location),
            None => return Ok(newest),
        }
    }
    Err(Error::limit(format!("the version hint {hinted} is more than {MAX_LAG} versions behind"))
        .with("path", folder))
}

fn first_there(
    store: &dyn Store,
    folder: &str,
    names: impl Iterator<Item = String>,
) -> Result<Option<String>> {
    let names: Vec<_> = names.collect();
    let there = are_there(store, folder, &names)?;
    Ok(names.iter().zip(there).find(|(_, is_there)| *is_there).map(|(name, _)| join(folder, name)))
}

/// Which files are there? A store that is far away is asked for all at once.
fn are_there(store: &dyn Store, folder: &str, names: &[String]) -> Result<Vec<bool>> {
    ordered(names, 1, &Cancel::default(), |name| store.exists(&join(folder, name)))
}

fn cannot_list(folder: &str, hint: &Hint, error: Error) -> Error {
    let why = match hint {
        Hint::Says(hint) => {
            let shown: String = hint.chars().take(64).collect();
            format!("{HINT} says {shown:?}, but that metadata file does not exist")
        }
        Hint::Absent => format!("there is no {HINT}"),
        Hint::Unread(why) => format!("{HINT} cannot be read: {}", why.message()),
    };
    Error::unsupported(format!(
        "the current metadata file cannot be found: {why}, and this store cannot list files. Open the \
         metadata file itself"
    ))
    .with("path", folder)
    .caused_by(error)
}
