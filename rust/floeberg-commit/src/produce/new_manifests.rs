//! Which manifests list the files that an operation adds?
//!
//! In: written files. Out: manifests, the newest spec first.
//! Spec: Manifests; Scan Planning (a path is live at most once).
//!
//! Invariant: they do not depend on the base of the attempt, so that every attempt uses them, unless it chose the files itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use floeberg_core::{Context, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{DataFile, FileContent, ManifestContent, ManifestEntry, WrittenManifest};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use floeberg_io::{KeyRing, Store};
use floeberg_properties::MANIFEST_TARGET_SIZE;

use super::context::ActionContext;
use super::rolling::RollingManifests;
use crate::state::{ManifestWork, RewrittenManifests};

/// A new file with its key, opened, for a manifest of an encrypted table.
///
/// Errors: `Unsupported` for a file that is not encrypted; `InvalidInput` for the key of another file.
pub(super) fn with_key(store: &dyn Store, file: &DataFile) -> Result<DataFile> {
    let wrong = |message: &str| Err(Error::unsupported(message).with("path", &file.file_path));
    let key_metadata = match (store.keys(), file.key_metadata.as_deref()) {
        (None, None) => None,
        (None, Some(_)) => {
            return wrong("the file is encrypted, and the table is not: write it for this table");
        }
        (Some(_), None) => {
            return wrong("the table is encrypted, and this file is not: write its rows with an append");
        }
        (Some(keys), Some(sealed)) if KeyRing::is_sealed_key(sealed) => {
            Some(keys.opened_key_of(&file.file_path, sealed)?)
        }
        // A manifest of the table had it.
        (Some(_), Some(plain)) => Some(plain.to_vec()),
    };
    Ok(DataFile { key_metadata, ..file.clone() })
}

/// Writes the manifests of new files: those of data files first.
///
/// Errors: `InvalidInput` for a file that is added twice, for two vectors of one data file, and for a partition spec that the table
/// does not have; those of the rules of manifests.
pub(super) fn new_manifests(
    context: &ActionContext<'_>,
    files: &[WrittenFile],
    is_of_attempt: bool,
    data_sequence_number: Option<i64>,
) -> Result<Vec<WrittenManifest>> {
    let mut seen = HashSet::new();
    let mut with_vector = HashSet::new();
    let mut by_spec: BTreeMap<(bool, Reverse<i32>), Vec<&WrittenFile>> = BTreeMap::new();
    for written in files {
        let file = &written.file;
        let path = &file.file_path;
        // Vectors share a file, and each has its place in it.
        if !seen.insert((canonical(path), file.content_offset)) {
            return Err(Error::invalid_input("the commit adds the same file twice").with("path", path));
        }
        let referenced = file.referenced_data_file.as_deref().filter(|_| file.is_vector());
        if let Some(data_file) = referenced.filter(|data_file| !with_vector.insert(canonical(data_file))) {
            return Err(Error::invalid_input("the commit adds two deletion vectors for one data file")
                .with("data_file", data_file));
        }
        let is_delete = file.content != FileContent::Data;
        by_spec.entry((is_delete, Reverse(written.spec_id))).or_default().push(written);
    }
    let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
    let groups: Vec<_> = by_spec.into_iter().collect();
    let reader = &context.reader;
    let made = ordered(&groups, reader.threads, &reader.cancel, |((is_delete, Reverse(spec_id)), files)| {
        let (spec_id, is_delete) = (*spec_id, *is_delete);
        let content = if is_delete { ManifestContent::Deletes } else { ManifestContent::Data };
        let work = context.work(ManifestWork::List { spec_id, content }, &[]);
        let list = || {
            let mut rolling = RollingManifests::new(context, spec_id, content, Some(target))?;
            for written in files {
                let entry = ManifestEntry::added(with_key(context.reader.store.as_ref(), &written.file)?);
                rolling.add(&ManifestEntry { sequence_number: data_sequence_number, ..entry })?;
            }
            Ok(RewrittenManifests { manifests: rolling.finish()?, ..RewrittenManifests::default() })
        };
        let made = if is_of_attempt { list() } else { context.kept.once(work, list) };
        made.context("partition spec", spec_id)
    })?;
    Ok(made.into_iter().flat_map(|made| made.manifests).collect())
}
