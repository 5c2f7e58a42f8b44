//! May files of another writer be added?
//!
//! In: new files, and the manifests of the snapshot that the operation stands on. Out: nothing, or why not.
//! Spec: Scan Planning (a path is live at most once).
//!
//! Invariant: a file that is in the table, or that does not exist, is never added. A local file is one file under all names that
//! links give it.

use std::collections::HashSet;

use floeberg_core::{Context, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{EntryRequest, ManifestFile};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use floeberg_io::{FileIdentity, file_identity};

use super::context::ActionContext;
use super::filtered::has_live_files;

/// Looks for new files in manifests. Each manifest is read once for all attempts, and only its paths are kept.
///
/// Errors: `AlreadyExists` for a file that is in the table.
pub(super) fn check_not_listed<'a>(
    context: &ActionContext<'_>,
    manifests: impl Iterator<Item = &'a ManifestFile>,
    added: &[WrittenFile],
    may_have_links: bool,
) -> Result<()> {
    let new: HashSet<&str> = added.iter().map(|written| canonical(&written.file.file_path)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let linked = if may_have_links { identities(added)? } else { HashSet::new() };
    let is_unknown = |manifest: &&ManifestFile| {
        has_live_files(manifest)
            && !context.kept.is_looked_through(context.operation, &manifest.manifest_path)
    };
    let unknown: Vec<&ManifestFile> = manifests.filter(is_unknown).collect();
    let wanted = EntryRequest { without_details: true, ..EntryRequest::default() };
    ordered(&unknown, context.reader.threads, &context.reader.cancel, |manifest| {
        let entries = context.entries(manifest, &wanted)?;
        for path in entries.file_path.iter().flatten() {
            let listed = |message: &str| {
                let error = Error::new(ErrorKind::AlreadyExists, message.to_owned());
                Err(error.with("file_path", path).with("manifest", &manifest.manifest_path))
            };
            if new.contains(canonical(path)) {
                return listed(
                    "the file is in the table already: an earlier commit added it. Do not remove it",
                );
            }
            if !linked.is_empty() && file_identity(path)?.is_some_and(|identity| linked.contains(&identity)) {
                return listed(
                    "a file to add is in the table already under another name: one is a link to the other. Leave it out",
                );
            }
        }
        Ok(())
    })?;
    let read = unknown.into_iter().map(|manifest| manifest.manifest_path.clone());
    context.kept.looked_through(context.operation, read);
    Ok(())
}

/// What local files are, whatever their names.
fn identities(added: &[WrittenFile]) -> Result<HashSet<FileIdentity>> {
    added.iter().filter_map(|written| file_identity(&written.file.file_path).transpose()).collect()
}

/// Checks that new files exist with the size that they were written with, once for all attempts.
///
/// Errors: `NotFound` for a missing file, `InvalidData` for one of another size; those of the store.
pub(super) fn check_there(context: &ActionContext<'_>, added: &[WrittenFile]) -> Result<()> {
    let check = |written: &WrittenFile| {
        context.reader.cancel.check()?;
        let (path, expected) = (&written.file.file_path, written.file.file_size_in_bytes);
        let size = context.reader.store.open(path).and_then(|source| source.size()).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                return Error::not_found("a file to add does not exist, or was removed").caused_by(error);
            }
            error
        });
        let size = size.context("file_path", path)?;
        if i64::try_from(size) == Ok(expected) {
            return Ok(());
        }
        Err(Error::invalid_data(format!(
            "a file to add changed since it was written: expected {expected} bytes, found {size}"
        ))
        .with("file_path", path))
    };
    let see = || ordered(added, context.reader.threads, &context.reader.cancel, check).map(drop);
    context.kept.see_once(context.operation, see)
}
