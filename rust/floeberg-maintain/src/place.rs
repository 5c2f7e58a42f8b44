//! When do two locations name one file?
//!
//! In: locations, as tables and stores write them. Out: a prefix (scheme and authority) and a path, without what does not matter.
//!
//! Invariant: two files never get one spelling, unless a user says that two schemes or two authorities are the same.

use std::collections::BTreeMap;

use floeberg_io::Location;

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
    /// Schemes in lower case, such as `s3a` to `s3`.
    pub schemes: BTreeMap<String, String>,
    /// Authorities, such as `bucket-old` to `bucket`.
    pub authorities: BTreeMap<String, String>,
}

impl Place {
    pub(crate) fn of(location: &str, prefixes: &Prefixes) -> Self {
        let parsed = Location::parse(location);
        let same = |known: &BTreeMap<String, String>, name: &str| {
            known.get(name).cloned().unwrap_or_else(|| name.to_owned())
        };
        let scheme = same(&prefixes.schemes, parsed.scheme());
        let is_local_host = parsed.is_local() && parsed.authority().eq_ignore_ascii_case("localhost");
        let authority = if is_local_host { "" } else { parsed.authority() };
        let authority = same(&prefixes.authorities, authority);
        // Local paths may be written with slashes that mean nothing; keys of stores may not.
        let path = if parsed.is_local() { simple_path(parsed.key()) } else { parsed.key().to_owned() };
        Self { prefix: format!("{scheme}://{authority}"), path: path.trim_start_matches('/').to_owned() }
    }
}

/// A path without empty segments and `.`.
fn simple_path(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !segment.is_empty() && *segment != ".");
    segments.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(location: &str) -> (String, String) {
        let prefixes = Prefixes {
            schemes: BTreeMap::from([("s3a".to_owned(), "s3".to_owned())]),
            authorities: BTreeMap::from([("old".to_owned(), "new".to_owned())]),
        };
        let place = Place::of(location, &prefixes);
        (place.prefix, place.path)
    }

    #[test]
    fn spellings_of_one_file_are_one_place() {
        let local = place("/a/b c");
        for other in ["file:/a/b c", "file:///a/b c", "FILE:///a//./b c", "file://localhost/a/b c"] {
            assert_eq!(place(other), local, "{other}");
        }
        assert_eq!(place("s3a://old/a/b"), place("s3://new/a/b"));
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
}
