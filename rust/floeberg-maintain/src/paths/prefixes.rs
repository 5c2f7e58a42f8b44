//! What becomes of a path?
//!
//! In: the prefix that paths have, and the one that they get. Out: the path after, and the part that stays.
//! Spec: Paths in Metadata.
//!
//! Invariant: a prefix ends where a segment of the path ends. A path that is not below the source prefix is an error that names it.

use floeberg_core::{Error, Result};
use floeberg_io::Location;
use floeberg_io::location::{canonical, join, same_scheme, shown, within, without_end_slashes};

/// The lower and the upper bound of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: Vec<u8>,
    pub(super) upper: Vec<u8>,
}

/// The prefixes of paths before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPrefixes {
    source: String,
    target: String,
}

impl PathPrefixes {
    /// Errors: `InvalidInput` for prefixes that are empty or equal, and for a target that is not absolute.
    pub(super) fn new(source: &str, target: &str) -> Result<Self> {
        for (name, prefix) in [("source_prefix", source), ("target_prefix", target)] {
            if prefix.trim().is_empty() {
                return Err(Error::invalid_input(format!(
                    "{name}: expected a location, found an empty text"
                )));
            }
        }
        if within("/folder", target) != target {
            return Err(Error::invalid_input(
                "target_prefix: expected an absolute location, found a relative one",
            )
            .with("target_prefix", shown(target)));
        }
        let (source, target) = (without_end_slashes(source), without_end_slashes(target));
        if source == target {
            return Err(Error::invalid_input(
                "source_prefix and target_prefix: expected two locations, found one",
            )
            .with("source_prefix", shown(source)));
        }
        Ok(Self { source: source.to_owned(), target: target.to_owned() })
    }

    /// The part of a path that stays; empty for the prefix itself. `what` says what the path names.
    ///
    /// Errors: `InvalidInput` for a path that is not below the source prefix.
    pub(super) fn relative<'p>(&self, what: &str, path: &'p str) -> Result<&'p str> {
        self.find(path).ok_or_else(|| {
            Error::invalid_input(format!("expected {what} below source_prefix"))
                .with("path", shown(path))
                .with("source_prefix", shown(&self.source))
        })
    }

    /// The path with the target prefix. Errors: those of [`Self::relative`].
    pub(super) fn target(&self, what: &str, path: &str) -> Result<String> {
        let relative = self.relative(what, path)?;
        Ok(if relative.is_empty() { self.target.clone() } else { join(&self.target, relative) })
    }

    /// The bounds of paths with the target prefix; `None` where they would not be bounds any more.
    pub(super) fn bounds(&self, lower: &[u8], upper: &[u8]) -> Option<Bounds> {
        let (lower, upper) = (std::str::from_utf8(lower).ok()?, std::str::from_utf8(upper).ok()?);
        // Between two bounds with the prefix as it is written, all paths have it. Of two spellings, the order may be another after.
        let is_written = |bound: &str| below(bound, &self.source).is_some();
        if lower != upper && !(is_written(lower) && is_written(upper)) {
            return None;
        }
        let target = |bound: &str| {
            self.find(bound).filter(|rest| !rest.is_empty()).map(|rest| join(&self.target, rest).into_bytes())
        };
        Some(Bounds { lower: target(lower)?, upper: target(upper)? })
    }

    fn find<'p>(&self, path: &'p str) -> Option<&'p str> {
        below(path, &self.source).or_else(|| below(canonical(path), canonical(&self.source))).or_else(|| {
            // Schemes of one store, such as s3 and s3a.
            let (path, source) = (Location::parse(path), Location::parse(&self.source));
            let is_same = same_scheme(path.scheme()) == same_scheme(source.scheme())
                && path.authority() == source.authority()
                && !path.is_local();
            is_same.then(|| below_key(path.key(), source.key())).flatten()
        })
    }
}

/// The rest of a path below a folder, without the slash before it.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() || folder.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// The same for keys in a bucket, of which the empty one is the bucket.
fn below_key<'p>(key: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(key) } else { below(key, folder) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;

    use super::*;

    fn target(source: &str, path: &str) -> Option<String> {
        PathPrefixes::new(source, "s3://new/t/").unwrap().target("a file", path).ok()
    }

    #[test]
    fn a_prefix_ends_with_a_segment() {
        let some = |path: &str| Some(path.to_owned());
        for source in ["/wh/t", "/wh/t/", "file:/wh/t", "file:///wh/t"] {
            for path in
                ["/wh/t/d/a b,\".parquet", "file:/wh/t/d/a b,\".parquet", "file:///wh/t/d/a b,\".parquet"]
            {
                assert_eq!(target(source, path), some("s3://new/t/d/a b,\".parquet"), "{source} {path}");
            }
            assert_eq!(target(source, "/wh/t"), some("s3://new/t"));
            assert_eq!(target(source, "/wh/t/"), some("s3://new/t"));
            for other in ["/wh/table/a", "/wh", "/wh/T/a", "s3://wh/t/a", "wh/t/a", "/other/wh/t/a", ""] {
                assert_eq!(target(source, other), None, "{source} {other}");
            }
        }
        assert_eq!(target("s3://b/t", "s3a://b/t/x"), some("s3://new/t/x"));
        assert_eq!(target("s3://b", "s3://b/t/x"), some("s3://new/t/t/x"));
        assert_eq!(target("s3://b", "s3n://b/t/x"), some("s3://new/t/t/x"));
        for other in ["s3://c/t/x", "gs://b/t/x", "s3://b/table/x", "/b/t/x"] {
            assert_eq!(target("s3://b/t", other), None, "{other}");
        }
        assert_eq!(target("/", "/t/x"), some("s3://new/t/t/x"));
    }

    #[test]
    fn bounds_stay_bounds_or_go() {
        let prefixes = PathPrefixes::new("/wh/t", "/a").unwrap();
        let bounds = |lower: &str, upper: &str| {
            let found = prefixes.bounds(lower.as_bytes(), upper.as_bytes())?;
            Some((String::from_utf8(found.lower).unwrap(), String::from_utf8(found.upper).unwrap()))
        };
        let some = |lower: &str, upper: &str| Some((lower.to_owned(), upper.to_owned()));
        assert_eq!(bounds("/wh/t/x", "/wh/t/x"), some("/a/x", "/a/x"));
        assert_eq!(bounds("file:/wh/t/x", "file:/wh/t/x"), some("/a/x", "/a/x"));
        assert_eq!(bounds("/wh/t/x", "/wh/t/z"), some("/a/x", "/a/z"));
        for (lower, upper) in
            [("/wh/t/x", "file:/wh/t/a"), ("/wh/", "/wh/u"), ("/wh/t/x", "/wh/u"), ("/wh/t", "/wh/t/x")]
        {
            assert_eq!(bounds(lower, upper), None, "{lower} {upper}");
        }
        assert_eq!(prefixes.bounds(&[0xff], &[0xff]), None);
    }

    #[test]
    fn prefixes_are_two_locations() {
        for (source, target) in
            [("", "/a"), ("/a", ""), ("/a", "/a"), ("/a/", "/a"), ("/a", "b/c"), (" ", "/a")]
        {
            let error = PathPrefixes::new(source, target).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{source:?} {target:?}");
        }
    }
}
