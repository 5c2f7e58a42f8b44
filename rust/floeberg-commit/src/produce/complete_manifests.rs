//! What does a manifest list of v1 leave out that a new one needs?
//!
//! In: a manifest of v1 without counts or snapshot id. Out: the same with them, counted.
//! Spec: Manifest Lists; Appendix E, Writing v1 metadata.
//!
//! Invariant: fields that are there are not changed.

use std::sync::{Arc, PoisonError};

use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{ADDED, DELETED, EntryRequest, ManifestContent, ManifestFile};
use floeberg_iceberg::metadata::Snapshot;

use super::context::ActionContext;

/// The manifests of a snapshot, with all fields that a manifest list needs.
pub(crate) fn manifests_of(context: &ActionContext<'_>, snapshot: &Snapshot) -> Result<Vec<ManifestFile>> {
    let manifests = context.reader.manifests(snapshot)?;
    manifests.into_iter().map(|manifest| complete(context, without_row_ids_of_deletes(manifest))).collect()
}

/// Rows of delete files have no row ids. Some writers give delete manifests a first one.
fn without_row_ids_of_deletes(manifest: ManifestFile) -> ManifestFile {
    match manifest.content {
        ManifestContent::Deletes => ManifestFile { first_row_id: None, ..manifest },
        ManifestContent::Data => manifest,
    }
}

/// The manifests of the snapshot that the new one follows. They are read once; [`take_base_manifests`] ends with them.
pub(crate) fn base_manifests(context: &ActionContext<'_>) -> Result<Arc<Vec<ManifestFile>>> {
    let mut known = context.base_manifests.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(manifests) = known.as_ref() {
        return Ok(Arc::clone(manifests));
    }
    let read = context.parent()?.map(|parent| manifests_of(context, &parent)).transpose()?;
    Ok(Arc::clone(known.insert(Arc::new(read.unwrap_or_default()))))
}

/// The manifests of the base, for the caller who makes the snapshot: they are taken out of the context.
pub(super) fn take_base_manifests(context: &ActionContext<'_>) -> Result<Vec<ManifestFile>> {
    let manifests = base_manifests(context)?;
    context.base_manifests.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(Arc::unwrap_or_clone(manifests))
}

/// Counts what is missing. Only manifests of v1 are read for it.
fn complete(context: &ActionContext<'_>, manifest: ManifestFile) -> Result<ManifestFile> {
    let counts = [
        manifest.added_files_count,
        manifest.existing_files_count,
        manifest.deleted_files_count,
        manifest.added_rows_count,
        manifest.existing_rows_count,
        manifest.deleted_rows_count,
    ];
    if manifest.added_snapshot_id.is_some() && counts.iter().all(Option::is_some) {
        return Ok(manifest);
    }
    let wanted = EntryRequest { with_deleted: true, ..EntryRequest::default() };
    let entries = context.entries(&manifest, &wanted)?;
    let (mut files, mut rows) = ([0_i64; 3], [0_i64; 3]);
    for (status, records) in entries.status.values().iter().zip(entries.record_count.values()) {
        let place = match *status {
            ADDED => 0,
            DELETED => 2,
            _ => 1,
        };
        files[place] += 1;
        rows[place] = rows[place].saturating_add(*records);
    }
    let newest = entries.details()?.snapshot_id.iter().flatten().max();
    let added_snapshot_id = manifest.added_snapshot_id.or(newest).ok_or_else(|| {
        Error::invalid_data("a manifest does not say which snapshot added it")
            .with("path", &manifest.manifest_path)
    })?;
    Ok(ManifestFile {
        added_snapshot_id: Some(added_snapshot_id),
        added_files_count: manifest.added_files_count.or(Some(files[0])),
        existing_files_count: manifest.existing_files_count.or(Some(files[1])),
        deleted_files_count: manifest.deleted_files_count.or(Some(files[2])),
        added_rows_count: manifest.added_rows_count.or(Some(rows[0])),
        existing_rows_count: manifest.existing_rows_count.or(Some(rows[1])),
        deleted_rows_count: manifest.deleted_rows_count.or(Some(rows[2])),
        ..manifest
    })
}
