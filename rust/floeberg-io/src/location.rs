//! What does a written location mean?
//!
//! In: a location as a table wrote it, or as a user typed it. Out: its scheme, authority and key, or the
//! local path it names.
//! Spec: Paths in Metadata.
//!
//! Invariant: a written location is opaque: nothing is percent-decoded, `.` and `..` and doubled slashes stay.

mod user;
mod canonical;
mod below;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;

use floeberg_core::error::without_passwords;
use floeberg_core::{Error, Result};

pub use below::{Below, same_scheme};
pub use canonical::canonical;

/// A parsed location, borrowed from its written form.
///
/// | written                | scheme | authority   | key    |
/// |------------------------|--------|-------------|--------|
/// | `/x/y`                 | `file` | (empty)     | `/x/y` |
/// | `file:/x/y`            | `file` | (empty)     | `/x/y` |
/// | `file:///x/y`          | `file` | (empty)     | `/x/y` |
/// | `file://localhost/x/y` | `file` | `localhost` | `/x/y` |
/// | `s3://bucket/x/y`      | `s3`   | `bucket`    | `x/y`  |
/// | `s3://bucket//x`       | `s3`   | `bucket`    | `/x`   |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location<'a> {
    written: &'a str,
    scheme: Cow<'a, str>,
    authority: &'a str,
    key: &'a str,
}

impl<'a> Location<'a> {
    /// Parses a written location. Every string is valid: one without a scheme is a local path.
    pub fn parse(written: &'a str) -> Self {
        let Some((scheme, rest)) = split_scheme(written) else {
            return Self { written, scheme: Cow::Borrowed("file"), authority: "", key: written };
        };
        let scheme = lower_case(scheme);
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", rest),
        };
        let key = if scheme == "file" { path } else { path.strip_prefix('/').unwrap_or(path) };
        Self { written, scheme, authority, key }
    }

    /// The written form to use for a location that a user gave.
    ///
    /// A relative path is made absolute against the working directory, the path of a `file:` URI is
    /// percent-decoded, everything else stays unchanged. Errors: `InvalidInput` for an empty location, and
    /// for one that is not UTF-8 or holds a NUL once it is decoded.
    pub fn from_user(given: &str) -> Result<String> {
        user::written_form(given)
    }

    /// The location as it was written.
    pub fn written(&self) -> &'a str {
        self.written
    }

    /// The scheme in lower case; `file` for a plain path.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The bucket, container or host; often empty for local files.
    pub fn authority(&self) -> &'a str {
        self.authority
    }

    /// The path of a local file, or the key in a bucket, without the slash that ends the authority.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Is this a file of this machine's file system?
    pub fn is_local(&self) -> bool {
        self.scheme == "file"
    }

    /// The path that a local location names. Errors: `InvalidInput` for another scheme, another machine, or
    /// an empty path.
    pub fn local_path(&self) -> Result<PathBuf> {
        if !self.is_local() {
            let message = format!("expected a local file, found the scheme `{}`", self.scheme);
            return Err(Error::invalid_input(message).with("path", shown(self.written)));
        }
        if !self.authority.is_empty() && !self.authority.eq_ignore_ascii_case("localhost") {
            let message =
                format!("expected `file:///...` for a local file, found the host `{}`", self.authority);
            return Err(Error::invalid_input(message).with("path", self.written));
        }
        if self.key.is_empty() {
            let message = "expected the path of a local file, found none";
            return Err(Error::invalid_input(message).with("path", self.written));
        }
        Ok(PathBuf::from(without_slash_before_drive(self.key)))
    }
}

/// The location of `name` in a folder. A slash at the end of the folder is dropped; nothing else is changed.
pub fn join(folder: &str, name: &str) -> String {
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    format!("{folder}/{name}")
}

/// The location of a path that is absolute, or else below a folder. Spec: Path Construction.
pub fn within(folder: &str, path: &str) -> String {
    let is_absolute = split_scheme(path).is_some() || root_length(path) > 0 || path.starts_with(r"\\");
    if is_absolute { path.to_owned() } else { join(folder, path) }
}

/// A location without slashes at its end. A root keeps its own.
pub fn without_end_slashes(location: &str) -> &str {
    let trimmed = location.trim_end_matches('/');
    if trimmed.is_empty() || trimmed.ends_with(':') { location } else { trimmed }
}

/// The folder of a location, without a slash at its end unless it is the root; `None` for a root or a
/// bucket.
pub fn parent(location: &str) -> Option<&str> {
    let (start, end) = key_span(location)?;
    let root = &location[..start];
    match location[start..end].rfind(|c| is_separator(location, c)) {
        Some(position) => Some(&location[..start + position]),
        // `/x` is in `/`, `s3://bucket/x` in `s3://bucket`.
        None if Location::parse(location).is_local() => (!root.is_empty()).then_some(root),
        None => Some(&root[..root.len() - 1]),
    }
}

/// The last segment of a location; `None` for a root or a bucket.
pub fn file_name(location: &str) -> Option<&str> {
    let (start, end) = key_span(location)?;
    location[start..end].rsplit(|c| is_separator(location, c)).next()
}

/// A location that is safe to print: without user and password, and without the query of a URL, which in presigned
/// URLs is a secret.
pub fn shown(location: &str) -> Cow<'_, str> {
    let parsed = Location::parse(location);
    if !matches!(parsed.scheme(), "http" | "https") {
        return without_passwords(location);
    }
    let end = location.find(['?', '#']).unwrap_or(location.len());
    let user = parsed.authority.rfind('@').map(|at| &parsed.authority[..=at]);
    match user {
        Some(user) => Cow::Owned(location[..end].replacen(user, "", 1)),
        None => Cow::Borrowed(&location[..end]),
    }
}

/// `scheme:/rest`. A single letter is a drive, and a colon that no slash follows belongs to a file name.
fn split_scheme(written: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = written.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (is_scheme && rest.starts_with('/')).then_some((scheme, rest))
}

fn lower_case(scheme: &str) -> Cow<'_, str> {
    if scheme.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(scheme.to_ascii_lowercase())
    } else {
        Cow::Borrowed(scheme)
    }
}

/// Where the segments of a location start (after the root) and end (before one trailing slash).
fn key_span(location: &str) -> Option<(usize, usize)> {
    let parsed = Location::parse(location);
    let mut start = location.len() - parsed.key.len();
    if parsed.is_local() {
        start += root_length(parsed.key);
    }
    let trimmed = location.strip_suffix(|c| is_separator(location, c)).unwrap_or(location);
    (trimmed.len() > start).then_some((start, trimmed.len()))
}

/// The length of `/`, of `C:\` or `/C:/`; 0 for a relative path.
fn root_length(path: &str) -> usize {
    let slash = usize::from(path.starts_with('/'));
    if starts_with_drive(&path[slash..]) { slash + 3 } else { slash }
}

/// `C:\` or `C:/`.
fn starts_with_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// A backslash separates only in a Windows path; elsewhere it may be part of a name.
fn is_separator(location: &str, c: char) -> bool {
    c == '/' || (c == '\\' && (starts_with_drive(location) || location.starts_with(r"\\")))
}

/// `file:///C:/x` has a slash before the drive, which is not part of the path.
fn without_slash_before_drive(path: &str) -> &str {
    match path.strip_prefix('/') {
        Some(rest) if cfg!(windows) && starts_with_drive(rest) => rest,
        _ => path,
    }
}
