//! Which version is a file in `_versions`?
//!
//! In: names. Out: versions, and back.
//! Spec: Lance, `io/commit.rs`, `ManifestNamingScheme`.
//!
//! Invariant: a name that is written otherwise than the format writes it names no version: staging files, hints, leftovers.

/// How manifests are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamingScheme {
    /// `{version}.manifest`
    V1,
    /// `{2^64 - 1 - version, with 20 digits}.manifest`: the newest first in a listing.
    V2,
}

/// Versions from here on are not in the line of versions: nobody finds them who does not know their number.
pub const DETACHED: u64 = 1 << 63;

/// The best guess at the newest version, for who has nothing better. A listing is better.
pub const VERSION_HINT: &str = "latest_version_hint.json";

const SUFFIX: &str = ".manifest";
const DIGITS_OF_V2: usize = 20;

impl NamingScheme {
    /// The name of a version's manifest.
    pub fn file_name(self, version: u64) -> String {
        match self {
            _ if version & DETACHED != 0 => format!("d{version}{SUFFIX}"),
            Self::V1 => format!("{version}{SUFFIX}"),
            Self::V2 => format!("{:0DIGITS_OF_V2$}{SUFFIX}", u64::MAX - version),
        }
    }
}

/// The version and the scheme of a name; `None` for a file that is no manifest.
pub fn version_of(name: &str) -> Option<(u64, NamingScheme)> {
    let stem = name.strip_suffix(SUFFIX)?;
    let (digits, is_detached) = stem.strip_prefix('d').map_or((stem, false), |digits| (digits, true));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    let (version, scheme) = match digits.len() {
        _ if is_detached => (number, NamingScheme::V2),
        DIGITS_OF_V2 => (u64::MAX - number, NamingScheme::V2),
        _ => (number, NamingScheme::V1),
    };
    (scheme.file_name(version) == name).then_some((version, scheme))
}

/// What a hint holds for a version.
pub fn hint(version: u64) -> String {
    format!("{{\"version\":{version}}}")
}

/// The name of the file of a transaction.
pub(crate) fn transaction_file(read_version: u64, uuid: &str) -> String {
    format!("{read_version}-{uuid}.txn")
}
