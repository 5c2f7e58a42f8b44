//! Is a file below one of these folders?
//!
//! In: written locations from others, and the folders of the caller. Out: yes or no.
//!
//! Invariant: in doubt a location is not below a folder: if a segment leads upward, for a root folder, and if links
//! of this machine lead out of the folder. Files that others named are removed only after this check.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::PathBuf;

use super::canonical;
use super::{Location, parent};

/// Schemes of one store.
const SAME: [&[&str]; 4] = [&["s3", "s3a", "s3n"], &["gs", "gcs"], &["abfs", "abfss"], &["wasb", "wasbs"]];

/// The first name of the store that a scheme is of.
pub fn same_scheme(scheme: &str) -> &str {
    SAME.iter().find(|same| same.contains(&scheme)).map_or(scheme, |same| same[0])
}

/// Folders, and what is known about their subfolders.
#[derive(Debug)]
pub struct Below {
    folders: Vec<Folder>,
    /// The real paths of local folders.
    resolved: HashMap<String, Option<PathBuf>>,
}

#[derive(Debug)]
struct Folder {
    /// The form that is compared.
    parts: Parts,
    /// The real path of a local one.
    path: Option<PathBuf>,
}

/// A location in the spelling that is compared.
#[derive(Debug, PartialEq, Eq)]
struct Parts {
    scheme: String,
    authority: String,
    segments: Vec<String>,
}

impl Below {
    /// The valid ones of these folders: the root of a file system is not.
    pub fn new<'a>(folders: impl IntoIterator<Item = &'a str>) -> Self {
        let folders = folders.into_iter().filter_map(|written| {
            let (parts, location) = (Parts::of(written), Location::parse(written));
            if !location.is_local() {
                return Some(Folder { parts, path: None });
            }
            let path = location.local_path().ok()?;
            // A missing folder has no files, whatever its name is.
            let path = std::fs::canonicalize(&path).unwrap_or(path);
            (!parts.segments.is_empty() && path.parent().is_some())
                .then_some(Folder { parts, path: Some(path) })
        });
        Self { folders: folders.collect(), resolved: HashMap::new() }
    }

    /// Is a written location below one of the folders?
    pub fn holds(&mut self, written: &str) -> bool {
        let parts = Parts::of(written);
        let named = |folder: &Folder| folder.parts.holds(&parts);
        if !Location::parse(written).is_local() {
            return self.folders.iter().any(named);
        }
        let Some(above) = parent(written) else { return false };
        let resolved = &mut self.resolved;
        let real = match resolved.get(above) {
            Some(real) => real.clone(),
            None => resolved.entry(above.to_owned()).or_insert_with(|| real_folder(above)).clone(),
        };
        let is_really = |folder: &Folder| match (&real, &folder.path) {
            (Some(real), Some(path)) => real.starts_with(path),
            _ => false,
        };
        self.folders.iter().any(|folder| named(folder) && is_really(folder))
    }
}

impl Parts {
    fn of(written: &str) -> Self {
        let location = Location::parse(canonical(written));
        let is_local = location.is_local();
        Self {
            scheme: same_scheme(location.scheme()).to_owned(),
            authority: location.authority().to_owned(),
            // For a file system, doubled slashes are one; in an object store, they are part of the key.
            segments: location
                .key()
                .split('/')
                .filter(|segment| !is_local || !segment.is_empty())
                .map(ToOwned::to_owned)
                .collect(),
        }
    }

    /// Is the other one below?
    fn holds(&self, other: &Self) -> bool {
        // A folder may be written with a slash at its end, and a bucket has no key.
        let own = self.segments.strip_suffix(&[String::new()]).unwrap_or(&self.segments);
        let Some(rest) = other.segments.strip_prefix(own) else { return false };
        self.scheme == other.scheme
            && self.authority == other.authority
            && rest.last().is_some_and(|name| !name.is_empty())
            && rest.iter().all(|segment| !matches!(segment.as_str(), "." | "..") && !segment.contains('\\'))
    }
}

/// The real path of a folder; `None` if unknown. A missing folder has no files.
fn real_folder(written: &str) -> Option<PathBuf> {
    let path = Location::parse(written).local_path().ok()?;
    match std::fs::canonicalize(&path) {
        Ok(real) => Some(real),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Some(path),
        Err(_) => None,
    }
}
