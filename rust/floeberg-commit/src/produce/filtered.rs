//! Which manifests does a table have after files were removed?
//!
//! In: the manifests before, and what to remove. Out: the manifests after, rewritten if one of their files is removed.
//! Spec: Manifests (DELETED entries); Delete Formats (a vector is removed with its data file); Sequence Numbers.
//!
//! Invariant: files that stay keep their snapshot, sequence numbers and row ids. Only whole files are removed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use arrow_array::Array;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use floeberg_core::{Context, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    EntryRequest, FileContent, ManifestContent, ManifestEntries, ManifestFile, RowsMatch,
};
use floeberg_io::location::canonical;

use super::context::ActionContext;
use super::removal::Removal;
use super::rolling::RollingManifests;
use crate::state::{Counted, ManifestWork, RewrittenManifests};

/// A manifest after files were removed.
pub(super) struct Filtered {
    pub manifest: ManifestFile,
    /// The removed files.
    pub removed: Vec<Counted>,
    /// Was it rewritten?
    pub is_rewritten: bool,
}

/// Takes data files out. Errors: those of reading and writing manifests.
pub(super) fn filter_data(
    context: &ActionContext<'_>,
    manifests: &[ManifestFile],
    removal: &Removal,
    is_of_attempt: bool,
) -> Result<Vec<Filtered>> {
    ordered(manifests, context.reader.threads, &context.reader.cancel, |manifest| {
        if !has_live_files(manifest) || !removal.concerns(manifest)? {
            return filtered(context, manifest, RewrittenManifests::default());
        }
        let work = context.work(ManifestWork::Filter, std::slice::from_ref(manifest));
        let goes = |entries: &ManifestEntries, row, rows_match| match rows_match {
            RowsMatch::All => Ok(true),
            RowsMatch::None => Ok(false),
            // Whoever removes rows looked into this file before.
            RowsMatch::Some => Err(Error::internal("a removal is of whole files")
                .with("file_path", entries.file_path.value(row))),
        };
        let make = || rewrite(context, manifest, removal, goes);
        let made = if is_of_attempt { make() } else { context.kept.once(work, make) };
        let made = made.context("manifest", &manifest.manifest_path)?;
        filtered(context, manifest, made)
    })
}

/// Removes delete files that no row needs any more: vectors of removed data files, delete files of the removed partition or
/// filter, and delete files older than every data file. As Iceberg Java does, in manifests that may hold such files.
pub(super) fn filter_deletes(
    context: &ActionContext<'_>,
    manifests: &[ManifestFile],
    removal: &Removal,
    removed: &HashSet<&str>,
    least_sequence_number: i64,
) -> Result<Vec<Filtered>> {
    let columns = removal.columns();
    ordered(manifests, context.reader.threads, &context.reader.cancel, |manifest| {
        if !has_live_files(manifest) || (removed.is_empty() && !removal.concerns(manifest)?) {
            return filtered(context, manifest, RewrittenManifests::default());
        }
        let by_partition = OnceCell::new();
        let goes = |entries: &ManifestEntries, row: usize, rows_match| {
            let referenced = &entries.details()?.referenced_data_file;
            let is_vector = entries.file_content.value(row) == FileContent::PositionDeletes as i32
                && entries.file_format.value(row).eq_ignore_ascii_case("puffin");
            if is_vector && referenced.is_valid(row) && removed.contains(canonical(referenced.value(row))) {
                return Ok(true);
            }
            let number = entries.data_sequence_number.value(row);
            if number > 0 && number < least_sequence_number {
                return Ok(true);
            }
            if rows_match != RowsMatch::All || columns_are_keys(entries, row, &columns)? {
                return Ok(rows_match == RowsMatch::All);
            }
            if by_partition.get().is_none() {
                let bare = ManifestEntries { statistics: BTreeMap::new(), ..entries.clone() };
                let _ = by_partition.set(removal.rows_match(&bare)?);
            }
            Ok(by_partition.get().is_some_and(|found| found[row] == RowsMatch::All))
        };
        let made = rewrite(context, manifest, removal, goes).context("manifest", &manifest.manifest_path)?;
        filtered(context, manifest, made)
    })
}

/// Does what statistics of a delete file say of columns hold for the rows that it deletes? Equality deletes compare keys alone:
/// their rows may have other values in other columns.
fn columns_are_keys(entries: &ManifestEntries, row: usize, columns: &[i32]) -> Result<bool> {
    if entries.file_content.value(row) != FileContent::EqualityDeletes as i32 {
        return Ok(true);
    }
    let keys = entries.details()?.equality_ids.value(row);
    let keys = keys.as_primitive::<Int32Type>().values();
    Ok(columns.iter().all(|column| keys.contains(column)))
}

/// Does a manifest have live files?
pub(crate) fn has_live_files(manifest: &ManifestFile) -> bool {
    manifest.added_files_count != Some(0) || manifest.existing_files_count != Some(0)
}

fn filtered(
    context: &ActionContext<'_>,
    manifest: &ManifestFile,
    made: RewrittenManifests,
) -> Result<Filtered> {
    let sequence_number = context.sequence_number()?;
    Ok(match made.manifests.first() {
        None => Filtered { manifest: manifest.clone(), removed: made.removed, is_rewritten: false },
        Some(written) => Filtered {
            manifest: written.in_commit(sequence_number),
            removed: made.removed,
            is_rewritten: true,
        },
    })
}

/// Rewrites a manifest if one of its files is removed.
fn rewrite(
    context: &ActionContext<'_>,
    manifest: &ManifestFile,
    removal: &Removal,
    goes: impl Fn(&ManifestEntries, usize, RowsMatch) -> Result<bool>,
) -> Result<RewrittenManifests> {
    // Known files need no statistics, and all that is written again is read at once.
    let with_metrics = manifest.content == ManifestContent::Data && removal.known_data_files().is_some();
    let statistics_of = if with_metrics { Vec::new() } else { removal.columns() };
    let entries = context
        .entries(manifest, &EntryRequest { statistics_of, with_metrics, ..EntryRequest::default() })?;
    let rows_match = removal.rows_match(&entries)?.into_iter().enumerate();
    let gone =
        rows_match.map(|(row, rows_match)| goes(&entries, row, rows_match)).collect::<Result<Vec<bool>>>()?;
    if !gone.contains(&true) {
        return Ok(RewrittenManifests::default());
    }
    let entries = if with_metrics {
        entries
    } else {
        drop(entries);
        context.entries(manifest, &EntryRequest { with_metrics: true, ..EntryRequest::default() })?
    };
    let spec_id = manifest.partition_spec_id;
    let partition_type = context.spec(spec_id)?.partition_type(&context.metadata)?;
    let rolling = RollingManifests::new(context, spec_id, manifest.content, None)?;
    let mut rolling = rolling.with_unknown(entries.unknown_fields());
    let mut removed = Vec::new();
    for (row, is_gone) in gone.into_iter().enumerate() {
        let entry = entries.entry(row, &partition_type)?;
        let entry = if is_gone {
            removed.push(Counted::of(spec_id, &entry.data_file));
            entry.into_deleted(context.snapshot_id())
        } else {
            entry.into_existing()
        };
        rolling.add(&entry)?;
    }
    Ok(RewrittenManifests { manifests: rolling.finish()?, removed, ..RewrittenManifests::default() })
}

/// Data manifests, and manifests of deletes.
pub(super) fn by_content(manifests: Vec<ManifestFile>) -> (Vec<ManifestFile>, Vec<ManifestFile>) {
    manifests.into_iter().partition(|manifest| manifest.content == ManifestContent::Data)
}
