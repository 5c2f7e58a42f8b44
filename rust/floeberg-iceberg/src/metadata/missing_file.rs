//! What can a user do if a file is missing because the table was moved?

use floeberg_core::{Error, ErrorKind};
use floeberg_io::Relocation;
use floeberg_io::location::canonical;

use super::TableMetadata;

/// Adds a hint to the error of a missing file, if the table is not at its recorded location.
pub(crate) fn explain_missing_file(
    error: Error,
    metadata: &TableMetadata,
    metadata_location: &str,
    relocation: &Relocation,
) -> Error {
    let written = metadata.location.as_str();
    let expected = relocation.apply(written);
    let home = canonical(&expected).trim_end_matches('/');
    let opened = canonical(metadata_location);
    let is_home = opened.strip_prefix(home).is_some_and(|rest| rest.starts_with('/'));
    let folder = opened.rsplit_once('/').map_or(opened, |(folder, _)| folder);
    match folder.strip_suffix("/metadata") {
        Some(found) if error.kind() == ErrorKind::NotFound && !is_home => {
            error.with("hint", format!("was the table moved? relocate={{{written:?}: {found:?}}}"))
        }
        _ => error,
    }
}
