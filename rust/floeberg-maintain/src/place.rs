//! When do two locations name one file?
//!
//! In: locations, as tables and stores write them. Out: a prefix (scheme and authority) and a path, without what does not matter.
//!
//! Invariant: two files never get one spelling, unless a user says that two schemes or two authorities are the same. Of local files,
//! links and `..` in folders are followed.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use floeberg_io::Location;
use floeberg_io::location::same_scheme;

/// A location in one spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The scheme and the authority: `s3://bucket`.
    pub(crate) prefix: String,
    /// The path, without the slash before it.
    pub(crate) path: String,
}

/// Schemes and authorities that are the same: each to the one that it stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// Schemes in lower case, such as `hdfs` to `file`. Those of one store are the same anyway.
    pub schemes: BTreeMap<String, String>,
    /// Authorities, such as `bucket-old` to `bucket`.
    pub authorities: BTreeMap<String, String>,
}

/// Gives each location its place.
#[derive(Debug, Default)]
pub(crate) struct Places<'a> {
    prefixes: Option<&'a Prefixes>,
    /// The real paths of local folders, by how they are written.
    real: HashMap<String, String>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(prefixes: &'a Prefixes) -> Self {
        Self { prefixes: Some(prefixes), real: HashMap::new() }
    }

    /// The place of a file.
    pub(crate) fn of(&mut self, location: &str) -> Place {
        let parsed = Location::parse(location);
        let (prefix, key) = (self.prefix(&parsed), parsed.key());
        if !parsed.is_local() {
            // Keys of stores mean what they say.
            return Place { prefix, path: key.to_owned() };
        }
        let (folder, name) = key.trim_end_matches('/').rsplit_once('/').unwrap_or(("", key));
        Place { prefix, path: simple(&format!("{}/{name}", self.real(folder))) }
    }

    /// The real path of a folder. That of the folder above is known, most often, and then only a link has to be followed.
    fn real(&mut self, folder: &str) -> String {
        if let Some(known) = self.real.get(folder) {
            return known.clone();
        }
        let parts = folder.rsplit_once('/').filter(|(_, name)| !matches!(*name, "" | "." | ".."));
        let below = parts.and_then(|(above, name)| {
            let above = self.real(above);
            let path = format!("{}/{name}", above.trim_end_matches('/'));
            fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()).then_some(path)
        });
        let found = below.unwrap_or_else(|| real(folder));
        self.real.insert(folder.to_owned(), found.clone());
        found
    }

    /// The place of a folder itself, and not of the link that it may be.
    pub(crate) fn of_folder(&mut self, location: &str) -> Place {
        let inside = self.of(&floeberg_io::location::join(location, "."));
        // A bucket has no path.
        let path = if inside.path == "." { "" } else { inside.path.trim_end_matches("/.") };
        Place { path: path.to_owned(), ..inside }
    }

    /// The place of the file that a location leads to: of a local link, the file behind it.
    pub(crate) fn of_file(&mut self, location: &str) -> Place {
        let written = Location::parse(location).local_path().ok();
        let is_link = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let behind = written.filter(is_link).and_then(|path| fs::canonicalize(path).ok());
        match behind.as_deref().and_then(Path::to_str) {
            Some(path) => self.of(path),
            None => self.of(location),
        }
    }

    /// The place of a folder that may not be there yet. Steps upward over folders that are made first count as well.
    pub(crate) fn of_new_folder(&mut self, location: &str) -> Place {
        let parsed = Location::parse(location);
        if !parsed.is_local() {
            return self.of_folder(location);
        }
        let mut path = PathBuf::from("/");
        for segment in parsed.key().split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(path.pop()),
                name => {
                    path.push(name);
                    path = fs::canonicalize(&path).unwrap_or(path);
                }
            }
        }
        Place { prefix: self.prefix(&parsed), path: simple(&path.to_string_lossy()) }
    }

    fn prefix(&self, location: &Location<'_>) -> String {
        let same = |known: fn(&Prefixes) -> &BTreeMap<String, String>, name: &str| {
            let known = self.prefixes.and_then(|prefixes| known(prefixes).get(name));
            known.cloned().unwrap_or_else(|| name.to_owned())
        };
        let scheme = same(|prefixes| &prefixes.schemes, location.scheme());
        let is_local_host = location.is_local() && location.authority().eq_ignore_ascii_case("localhost");
        let authority = if is_local_host { "" } else { location.authority() };
        format!("{}://{}", same_scheme(&scheme), same(|prefixes| &prefixes.authorities, authority))
    }
}

/// The last name of a location. Locations of one place have the same.
pub(crate) fn last_name(location: &str) -> &str {
    let location = location.trim_end_matches('/');
    location.rsplit('/').next().unwrap_or(location)
}

/// The real path of a folder; as it is written, where there is none.
fn real(folder: &str) -> String {
    let written = if folder.is_empty() { "/" } else { folder };
    let path = fs::canonicalize(written).ok().and_then(|path| path.into_os_string().into_string().ok());
    path.unwrap_or_else(|| written.to_owned())
}

/// A path without empty segments and `.`, except for a last one.
fn simple(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let last = segments.len().saturating_sub(1);
    let kept = segments.iter().enumerate().filter(|(number, segment)| **segment != "." || *number == last);
    kept.map(|(_, segment)| *segment).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn place(location: &str) -> (String, String) {
        let prefixes = Prefixes {
            schemes: BTreeMap::from([("hdfs".to_owned(), "file".to_owned())]),
            authorities: BTreeMap::from([("old".to_owned(), "new".to_owned())]),
        };
        let place = Places::new(&prefixes).of(location);
        (place.prefix, place.path)
    }

    #[test]
    fn spellings_of_one_file_are_one_place() {
        let local = place("/a/b c");
        for other in ["file:/a/b c", "file:///a/b c", "FILE:///a//./b c", "file://localhost/a/b c"] {
            assert_eq!(place(other), local, "{other}");
        }
        assert_eq!(place("s3a://old/a/b"), place("s3://new/a/b"));
        assert_eq!(place("gcs://new/a/b"), place("gs://new/a/b"));
    }

    #[test]
    fn two_files_are_two_places() {
        let places = ["/a/b", "/a/B", "/a/b%20", "/a/b ", "s3://a/b", "s3://b/a/b", "s3://a//b", "gs://a/b"];
        for (number, one) in places.iter().enumerate() {
            for other in &places[number + 1..] {
                assert_ne!(place(one), place(other), "{one} and {other}");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_and_steps_upward_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/data")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let at = |rest: &str| place(&format!("{}/{rest}", root.display()));
        for other in ["link/data/f", "real/x/../data/f", "link/data/../data/f"] {
            // A step over a folder that is not there is no step.
            let expected = if other.contains("/x/") { at(other) } else { at("real/data/f") };
            assert_eq!(at(other), expected, "{other}");
        }
        fs::create_dir(root.join("real/x")).unwrap();
        assert_eq!(at("real/x/../data/f"), at("real/data/f"));
        let written = format!("{}/link", root.display());
        let mut places = Places::default();
        assert_eq!(places.of_folder(&written).path, places.of(&format!("{}/real", root.display())).path);
        // A new folder is where it would be made.
        let new = places.of_new_folder(&format!("{}/real/new", root.display()));
        for other in ["link/new", "not/../real/new/", "link/./not/there/../../new", "real//new"] {
            assert_eq!(places.of_new_folder(&format!("{}/{other}", root.display())), new, "{other}");
        }
        assert_ne!(places.of_new_folder(&format!("{}/new", root.display())), new);
        // A link to a file is that file.
        fs::write(root.join("real/data/f"), "f").unwrap();
        std::os::unix::fs::symlink(root.join("real/data/f"), root.join("g")).unwrap();
        let [file, link] =
            ["link/data/f", "g"].map(|name| places.of_file(&format!("{}/{name}", root.display())));
        assert_eq!(file, link);
    }
}
