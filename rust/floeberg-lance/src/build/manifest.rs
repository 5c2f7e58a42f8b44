//! Which manifest follows from an operation?
//!
//! In: a version, an operation, a moment. Out: the next version.
//! Spec: Lance, `transaction/manifest_build.rs`; `feature_flags.rs`.
//!
//! Invariant: both words of flags are computed anew. An operation that this version does not write is refused.

use floeberg_core::{Error, Result};

use super::base::{Base, Built, NewTable, Numbers};
use super::edits::Edits;
use super::{columns, coverage, maps, rewrite, rows};
use crate::metadata::flags::{self, COVERING_INDEX, PAIRED, STABLE_ROW_IDS};
use crate::metadata::{check, computed_flags};
use crate::wire::{
    CreateIndex, DataFormat, Manifest, ManifestHead, Operation, Overwrite, Timestamp, WriterVersion,
};

/// The next version after an operation.
///
/// Errors: `Unsupported` for a table that this version may not write, and for operations that it does not write;
/// `InvalidInput` for an operation that does not fit; `InvalidData` for a damaged version; `LimitExceeded`.
pub fn build(operation: &Operation, base: &Base<'_>, timestamp: Timestamp) -> Result<Built> {
    flags::check_writable(base.manifest)?;
    coverage::check_writable(base)?;
    let mut numbers = Numbers::after(base.manifest)?;
    let mut head = base.manifest.head.clone();
    let mut edits = Edits::new(base.manifest);
    let mut indices = coverage::kept(base);
    match operation {
        Operation::Append(append) => rows::append(append, &mut edits, &mut numbers)?,
        Operation::Delete(delete) => rows::delete(delete, base, &mut edits)?,
        Operation::Update(update) => rows::update(update, base, &mut edits, &mut numbers)?,
        Operation::Overwrite(overwrite) => {
            edits = Edits::without_all(base.manifest);
            edits.add(rows::overwrite(overwrite, &mut numbers)?);
            replace_schema(&mut head, overwrite)?;
            indices = None;
        }
        Operation::Merge(merge) => {
            let rewritten = columns::merge(merge, base, &mut edits)?;
            head.fields.clone_from(&merge.schema);
            head.schema_metadata.clone_from(&merge.schema_metadata);
            indices = coverage::without_rewritten(base, &rewritten.fields, &rewritten.fragments)?;
            let base = Base { indices: indices.as_ref(), ..*base };
            indices = coverage::of_fields(&base, &head.fields)?;
        }
        Operation::Project(project) => {
            columns::project(project, base, &mut edits)?;
            head.fields.clone_from(&project.schema);
            indices = coverage::of_fields(base, &head.fields)?;
        }
        Operation::DataReplacement(replacement) => {
            let rewritten = columns::replace(replacement, base, &mut edits)?;
            indices = coverage::without_rewritten(base, &rewritten.fields, &rewritten.fragments)?;
        }
        Operation::Rewrite(groups) => rewrite::rewrite(groups, base, &mut edits, &mut numbers)?,
        Operation::ReserveFragments(reserve) => numbers.skip_fragments(reserve.num_fragments)?,
        Operation::UpdateConfig(update) => maps::apply(&mut head, update)?,
        Operation::CreateIndex(CreateIndex { new_indices, removed_indices, .. })
            if new_indices.is_empty() =>
        {
            indices = coverage::without(base, removed_indices)?;
        }
        Operation::Restore(_) => {
            return Err(Error::internal("a restored version is not built of the newest"));
        }
        other => {
            return Err(Error::unsupported(format!(
                "the operation {} cannot be written by this version of Floeberg",
                other.name()
            )));
        }
    }
    let fragments = edits.finish()?;
    finish(Manifest { head, fragments }, indices, &numbers, timestamp)
}

/// The first version of a new table.
///
/// Errors: `InvalidInput` for a schema that is not whole; `Unsupported` for types and versions of files that are not known.
pub fn create(overwrite: &Overwrite, table: &NewTable) -> Result<Built> {
    let mut numbers = Numbers::of_new_table(table.has_stable_row_ids);
    let mut head = ManifestHead {
        data_format: Some(DataFormat {
            file_format: "lance".to_owned(),
            version: table.data_storage_version.clone(),
            ..DataFormat::default()
        }),
        ..ManifestHead::default()
    };
    replace_schema(&mut head, overwrite)?;
    let empty = Manifest::default();
    let mut edits = Edits::new(&empty);
    edits.add(rows::overwrite(overwrite, &mut numbers)?);
    let fragments = edits.finish()?;
    finish(Manifest { head, fragments }, None, &numbers, table.timestamp.clone())
}

/// An old version as the next one. Ids of fragments and rows that were given since are not given again.
///
/// Errors: `InvalidInput` for a version from before rows had stable ids; those of [`build`].
pub fn restore(old: &Base<'_>, newest: &Manifest, timestamp: Timestamp) -> Result<Built> {
    flags::check_writable(newest)?;
    flags::check_writable(old.manifest)?;
    let was_stable = old.manifest.head.reader_feature_flags & STABLE_ROW_IDS != 0;
    let is_stable = newest.head.reader_feature_flags & STABLE_ROW_IDS != 0;
    if is_stable && !was_stable {
        return Err(Error::invalid_input(format!(
            "version {} cannot be restored: rows have stable ids since, and its rows have none",
            old.manifest.head.version
        )));
    }
    let mut numbers = Numbers::after(newest)?;
    numbers.next_row_id =
        was_stable.then(|| old.manifest.head.next_row_id.max(numbers.next_row_id.unwrap_or_default()));
    let mut manifest = old.manifest.clone();
    // Flags that stay once they are set.
    let kept = newest.head.reader_feature_flags & PAIRED;
    manifest.head.reader_feature_flags |= kept;
    manifest.head.writer_feature_flags |= kept;
    finish(manifest, old.indices.cloned(), &numbers, timestamp)
}

fn replace_schema(head: &mut ManifestHead, overwrite: &Overwrite) -> Result<()> {
    if !overwrite.initial_bases.is_empty() {
        return Err(Error::unsupported("base paths cannot be added by this version of Floeberg"));
    }
    head.fields.clone_from(&overwrite.schema);
    head.schema_metadata.clone_from(&overwrite.schema_metadata);
    maps::set(&mut head.config, &overwrite.config_upsert_values);
    Ok(())
}

fn finish(
    mut manifest: Manifest,
    indices: Option<bytes::Bytes>,
    numbers: &Numbers,
    timestamp: Timestamp,
) -> Result<Built> {
    let head = &mut manifest.head;
    head.version = numbers.version;
    head.timestamp = Some(timestamp);
    head.tag = String::new();
    head.writer_version = Some(WriterVersion {
        library: "floeberg".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..WriterVersion::default()
    });
    head.max_fragment_id = numbers.max_fragment_id();
    head.next_row_id = numbers.next_row_id.unwrap_or(head.next_row_id);
    (head.index_section, head.transaction_section, head.old_transaction_section) = (None, None, None);
    let (reader, writer) = computed_flags(&manifest, numbers.next_row_id.is_some())?;
    let carried = if coverage::carry_columns(indices.as_ref())? { COVERING_INDEX } else { 0 };
    manifest.head.reader_feature_flags = reader & !COVERING_INDEX | carried;
    manifest.head.writer_feature_flags = writer & !COVERING_INDEX | carried;
    // What would be refused or read wrongly is not written.
    check(&manifest, numbers.version)?;
    Ok(Built { manifest, indices })
}
