//! What does the name of a metadata file mean?
//!
//! In: a file name. Out: its version and which of the two naming schemes it follows.
//! Spec: File System Tables; Metastore Tables; Appendix F, Naming for GZIP compressed Metadata JSON files.

/// The suffixes of metadata files. Plain first: if a version has several files, the plain one counts, as in Java.
pub(super) const SUFFIXES: [&str; 3] = [".metadata.json", ".gz.metadata.json", ".metadata.json.gz"];

/// How a metadata file is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// `v<V>.metadata.json`: the file system decides which version is current.
    FileSystem,
    /// `<V>-<uuid>.metadata.json`: a catalog does.
    Metastore,
}

/// The version and scheme of a metadata file; `None` for any other name, such as `v02.metadata.json`.
pub(super) fn parse_name(name: &str) -> Option<(Scheme, u64)> {
    let stem = stem(name)?;
    if let Some(version) = stem.strip_prefix('v') {
        // Readers look for the name of a version, and none has more zeros.
        let is_name = version == "0" || !version.starts_with('0');
        return if is_name { Some((Scheme::FileSystem, parse_version(version)?)) } else { None };
    }
    let (version, unique) = stem.split_once('-')?;
    if unique.is_empty() { None } else { Some((Scheme::Metastore, parse_version(version)?)) }
}

/// Is it named like a metadata file?
pub(super) fn is_metadata_name(name: &str) -> bool {
    stem(name).is_some()
}

/// The possible file names of a version, or of the start of a name.
pub(super) fn names_of(stem: &str) -> impl Iterator<Item = String> {
    SUFFIXES.iter().map(move |suffix| format!("{stem}{suffix}"))
}

/// Which of several files of a version counts: that of the lowest rank.
pub(super) fn suffix_rank(name: &str) -> usize {
    // From the most specific suffix: `.gz.metadata.json` ends with `.metadata.json` too.
    SUFFIXES.iter().rposition(|suffix| name.ends_with(suffix)).unwrap_or(SUFFIXES.len())
}

/// Digits only: no sign, no blanks.
pub(super) fn parse_version(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Hidden files do not count: stores use such names for half-written files.
fn stem(name: &str) -> Option<&str> {
    let stem = SUFFIXES.iter().rev().find_map(|suffix| name.strip_suffix(suffix))?;
    if stem.is_empty() || stem.starts_with('.') { None } else { Some(stem) }
}
