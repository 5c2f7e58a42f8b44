//! Which file of a metadata folder is the current one?
//!
//! In: a store and a metadata folder. Out: the location of the current metadata file.
//! Spec: File System Tables; Metastore Tables.
//!
//! Invariant: nothing is guessed: where a folder without a hint leaves two answers, both are named in an error.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::Store;
use floeberg_io::location::join;

use super::name::{SUFFIXES, Scheme, is_metadata_name, names_of, parse_name, parse_version};

const HINT: &str = "version-hint.text";

/// How many bytes a hint may have.
const MAX_HINT_BYTES: u64 = 4096;

/// How many versions a hint may lag behind; more is a store that says yes to everything.
const MAX_LAG: u64 = 100_000;

/// Finds the current metadata file of a metadata folder; `None` where the folder is not there or holds none.
///
/// The hint counts if there is one. It may be stale: later versions are looked for from it upward, and where the one it
/// names is gone the folder is listed as if there were no hint.
///
/// Errors: `InvalidInput` for a folder that leaves several answers; `Unsupported` where neither hint nor listing is to be
/// had; those of the store.
pub(super) fn find_current(store: &dyn Store, folder: &str) -> Result<Option<String>> {
    let hint = read_hint(store, folder)?;
    if let Some(hint) = &hint
        && let Some(location) = follow_hint(store, folder, hint)?
    {
        return Ok(Some(location));
    }
    let entries = match store.list(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            return Err(cannot_list(folder, hint.as_deref(), error));
        }
        Err(error) => return Err(error),
    };
    let names: Vec<_> =
        entries.iter().filter(|entry| !entry.is_folder).map(|entry| entry.name.as_str()).collect();
    let current = choose(&names).map_err(|error| error.with("path", folder))?;
    Ok(current.map(|name| join(folder, name)))
}

/// The current one of the files of a folder that has no hint: the highest version.
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
            "which metadata file is current is known to the table's catalog only: {} are equally new; give the metadata file itself",
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

fn suffix_rank(name: &str) -> usize {
    // From the most specific suffix: `.gz.metadata.json` ends with `.metadata.json` too.
    let rank = SUFFIXES.iter().rposition(|suffix| name.ends_with(suffix));
    rank.unwrap_or(SUFFIXES.len())
}

/// What the hint says, without blanks; `None` where there is none.
fn read_hint(store: &dyn Store, folder: &str) -> Result<Option<String>> {
    let location = join(folder, HINT);
    match store.open(&location).and_then(|source| source.read_all(MAX_HINT_BYTES)) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file that a hint leads to: a version, the name of a file, or the name without its suffix. A hint never leads out
/// of its folder: of a path the last segment counts.
fn follow_hint(store: &dyn Store, folder: &str, hint: &str) -> Result<Option<String>> {
    if let Some(version) = parse_version(hint) {
        return newest_from(store, folder, version);
    }
    let name = hint.rsplit('/').next().unwrap_or(hint);
    if name.is_empty() || name == "." || name == ".." {
        return Ok(None);
    }
    match parse_name(name) {
        Some((Scheme::FileSystem, version)) => newest_from(store, folder, version),
        _ if is_metadata_name(name) => first_there(store, folder, std::iter::once(name.to_owned())),
        _ => first_there(store, folder, names_of(name)),
    }
}

/// The highest version that is there without a gap from a version on.
fn newest_from(store: &dyn Store, folder: &str, hinted: u64) -> Result<Option<String>> {
    let mut newest = None;
    for version in hinted..hinted.saturating_add(MAX_LAG) {
        match first_there(store, folder, names_of(&format!("v{version}")))? {
            Some(location) => newest = Some(location),
            None => return Ok(newest),
        }
    }
    Err(Error::limit(format!("the version hint {hinted} is more than {MAX_LAG} versions old"))
        .with("path", folder))
}

fn first_there(
    store: &dyn Store,
    folder: &str,
    names: impl Iterator<Item = String>,
) -> Result<Option<String>> {
    for name in names {
        let location = join(folder, &name);
        if store.exists(&location)? {
            return Ok(Some(location));
        }
    }
    Ok(None)
}

fn cannot_list(folder: &str, hint: Option<&str>, error: Error) -> Error {
    let why = match hint {
        Some(hint) => format!("{HINT} says {hint:?}, and there is no such metadata file"),
        None => format!("there is no {HINT}"),
    };
    Error::unsupported(format!(
        "the current metadata file cannot be found: {why}, and this store cannot list files; give the metadata file itself"
    ))
    .with("path", folder)
    .caused_by(error)
}
