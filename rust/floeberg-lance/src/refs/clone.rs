//! How does a table or a branch begin with the files of another?
//!
//! In: a version, and a folder. Out: the same version in that folder, which names the files where they are.
//! Spec: Lance, Base Paths; Transactions: Clone.
//!
//! Invariant: no data file is copied, so that a clone breaks where the files of its source go. They are there when it is made.

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_io::location::{self, canonical};
use floeberg_io::random::random_uuid;

use super::put::put_new;
use crate::build::Built;
use crate::commit::{Ready, now};
use crate::metadata::flags::{STABLE_ROW_IDS, check_writable};
use crate::metadata::{ListedVersion, NamingScheme, computed_flags, is_table, transaction_file};
use crate::presence::check_present;
use crate::table::Table;
use crate::wire::{BasePath, Clone, FragmentPiece, Manifest, Operation, Transaction};

/// Makes a table in another folder that begins with a version of a table. Returns its version.
///
/// Errors: `AlreadyExists` where there is a table; `Unsupported` for a version that this version may not write; `NotFound` for a
/// version that was cleaned up since it was opened; those of the store.
pub fn shallow_clone(table: &Table, folder: &str) -> Result<ListedVersion> {
    clone_into(table, folder, None)
}

pub(super) fn clone_into(table: &Table, folder: &str, branch: Option<&str>) -> Result<ListedVersion> {
    check_writable(table.manifest()).context("path", table.manifest_location())?;
    if table.is_relocated() {
        return Err(Error::unsupported("a table that was opened with relocate cannot be cloned"));
    }
    let store = table.store().as_ref();
    if is_table(store, folder)? {
        return Err(exists(folder));
    }
    check_present(table)?;
    let manifest = manifest_of(table, branch)?;
    let transaction = Transaction {
        read_version: table.version(),
        uuid: random_uuid(),
        operation: Operation::Clone(Clone {
            is_shallow: true,
            ref_name: table.branch().map(str::to_owned),
            ref_version: table.version(),
            ref_path: plain(table.bases().folder()),
            branch_name: branch.map(str::to_owned),
            ..Clone::default()
        }),
        ..Transaction::default()
    };
    // Files of indices stay where they are, and their own base is not known here: they are left out.
    let built = Built { manifest, indices: None };
    let name = transaction_file(table.version(), &transaction.uuid);
    let ready = Ready::new(folder, NamingScheme::V2, built, &transaction, &name, true)?;
    ready.put_transaction(store)?;
    put_new(store, &ready.version.path(folder), &ready.file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(folder),
        _ => error,
    })?;
    // A cleanup may have come in between. It does not know of clones, and of a branch not before its file is there.
    if let Err(gone) = check_present(table) {
        let paths = ready.transaction_path().into_iter().map(str::to_owned);
        for path in std::iter::once(ready.version.path(folder)).chain(paths) {
            store.remove(&path)?;
        }
        return Err(gone);
    }
    Ok(ready.version)
}

fn exists(folder: &str) -> Error {
    Error::new(ErrorKind::AlreadyExists, "a Lance table is here already")
        .with("path", location::shown(folder))
}

/// The manifest with every file of the table itself in a base of its own.
fn manifest_of(table: &Table, branch: Option<&str>) -> Result<Manifest> {
    let old = table.manifest();
    let mut head = old.head.clone();
    let used = head.base_paths.iter().map(|base| base.id).max();
    // As the format's own writers do: the first one has the id 0.
    let id = used.map_or(Some(0), |id| id.checked_add(1));
    let id = id.ok_or_else(|| Error::limit("the table has no further id for a base path"))?;
    let mut fragments = Vec::with_capacity(old.fragments.len());
    for place in 0..old.fragments.len() {
        let mut fragment = table.fragment(place)?;
        for file in fragment.files.iter_mut().filter(|file| file.base_id.is_none()) {
            file.base_id = Some(id);
        }
        if let Some(file) = fragment.deletion_file.as_mut().filter(|file| file.base_id.is_none()) {
            file.base_id = Some(id);
        }
        fragments.push(fragment);
    }
    head.base_paths.push(BasePath {
        id,
        is_dataset_root: true,
        path: plain(table.bases().folder()),
        ..BasePath::default()
    });
    head.branch = branch.map(str::to_owned);
    head.timestamp = Some(now()?);
    (head.index_section, head.transaction_section, head.old_transaction_section) = (None, None, None);
    let pieces: Vec<_> = fragments.iter().map(FragmentPiece::New).collect();
    let mut manifest = Manifest { fragments: old.fragments.with_pieces(&pieces)?, head };
    let is_stable = old.head.reader_feature_flags & STABLE_ROW_IDS != 0;
    let (reader, writer) = computed_flags(&manifest, is_stable)?;
    (manifest.head.reader_feature_flags, manifest.head.writer_feature_flags) = (reader, writer);
    crate::metadata::check(&manifest, manifest.head.version)?;
    Ok(manifest)
}

/// A location as others write it: local ones without a scheme.
fn plain(folder: &str) -> String {
    canonical(folder).to_owned()
}
