//! Which indices does the next version have, and which fragments do they cover?
//!
//! In: the indices of a version, and what an operation changes. Out: the indices after it.
//! Spec: Lance, `transaction/index_maintenance.rs`.
//!
//! Invariant: an index never covers a fragment whose values it was not built of. What no operation touches is written again as the
//! same bytes.

use std::collections::HashSet;

use bytes::Bytes;
use floeberg_core::{Error, Result};
use floeberg_protobuf::Encoder;
use roaring::RoaringBitmap;

use super::base::Base;
use crate::wire::{IndexMetadata, Manifest, SchemaField};

/// Indices that the format keeps for itself.
const OF_THE_FORMAT: [&str; 2] = ["__lance_frag_reuse", MEM_WAL];
/// What it says of other indices changes with every version.
const MEM_WAL: &str = "__lance_mem_wal";

/// Did a user build an index?
pub fn is_of_user(index: &IndexMetadata) -> bool {
    !OF_THE_FORMAT.contains(&index.name.as_str())
}

/// Checks that indices can be carried. Errors: `Unsupported` for a table with a log in memory.
pub(super) fn check_writable(base: &Base<'_>) -> Result<()> {
    if base.parsed_indices()?.iter().any(|index| index.name == MEM_WAL) {
        return Err(Error::unsupported(
            "the table cannot be written by this version of Floeberg: it has a log in memory (MemWAL)",
        ));
    }
    Ok(())
}

/// The indices as they are.
pub(super) fn kept(base: &Base<'_>) -> Option<Bytes> {
    base.indices.cloned()
}

/// The indices without those of fields that a schema does not have.
pub(super) fn of_fields(base: &Base<'_>, fields: &[SchemaField]) -> Result<Option<Bytes>> {
    let ids: HashSet<i32> = fields.iter().map(|field| field.id).collect();
    changed(base, |indices| {
        let before = indices.len();
        indices.retain(|index| !is_of_user(index) || index.fields.iter().all(|field| ids.contains(field)));
        Ok(before != indices.len())
    })
}

/// The indices, which cover fragments no longer in which their fields were written anew.
pub(super) fn without_rewritten(
    base: &Base<'_>,
    fields: &HashSet<i32>,
    fragments: &RoaringBitmap,
) -> Result<Option<Bytes>> {
    if fields.is_empty() || fragments.is_empty() {
        return Ok(kept(base));
    }
    changed(base, |indices| {
        let mut is_changed = false;
        for index in indices.iter_mut().filter(|index| is_of_user(index)) {
            if !index.fragment_bitmap.is_empty() && index.fields.iter().any(|field| fields.contains(field)) {
                let covered = index.fragments()?;
                let left = &covered - fragments;
                if left != covered {
                    index.fragment_bitmap = bitmap(&left)?;
                    is_changed = true;
                }
            }
        }
        Ok(is_changed)
    })
}

/// The indices without some. Errors: `InvalidData`.
pub(super) fn without(base: &Base<'_>, removed: &[IndexMetadata]) -> Result<Option<Bytes>> {
    let uuids: HashSet<&[u8]> = removed.iter().map(|index| index.uuid.bytes.as_slice()).collect();
    changed(base, |indices| {
        indices.retain(|index| !uuids.contains(index.uuid.bytes.as_slice()));
        Ok(true)
    })
}

/// Checks that no index covers fragments that are to be written again, whose rows it would lose.
pub(super) fn check_uncovered(base: &Base<'_>, fragments: &RoaringBitmap) -> Result<()> {
    for index in base.parsed_indices()?.iter().filter(|index| is_of_user(index)) {
        // An index that does not say what it covers may cover anything.
        if index.fragment_bitmap.is_empty() || !index.fragments()?.is_disjoint(fragments) {
            return Err(Error::new(
                floeberg_core::ErrorKind::CommitConflict,
                format!("the index {:?} covers fragments that were to be compacted", index.name),
            ));
        }
    }
    Ok(())
}

/// Do indices carry columns? Both words of flags say so.
pub(super) fn carry_columns(indices: Option<&Bytes>) -> Result<bool> {
    let indices = indices.map_or(Ok(Vec::new()), IndexMetadata::parse_section)?;
    Ok(indices.iter().any(|index| !index.covering_fields.is_empty()))
}

/// The fields whose files two fragments do not share: they were written anew, or are gone.
pub(super) fn rewritten_fields(
    before: &Manifest,
    place: usize,
    after: &crate::wire::Fragment,
) -> HashSet<i32> {
    let mut changed = HashSet::new();
    for file in before.fragments.files(place) {
        for field in file.layout.fields.iter().filter(|field| **field >= 0) {
            let holds = |other: &crate::wire::DataFile| {
                other.path == file.path && other.base_id == file.base_id && other.fields.contains(field)
            };
            if !after.files.iter().any(holds) {
                changed.insert(*field);
            }
        }
    }
    changed
}

fn changed(
    base: &Base<'_>,
    change: impl FnOnce(&mut Vec<IndexMetadata>) -> Result<bool>,
) -> Result<Option<Bytes>> {
    if base.indices.is_none() {
        return Ok(None);
    }
    let mut indices = base.parsed_indices()?;
    if !change(&mut indices)? {
        return Ok(kept(base));
    }
    if indices.is_empty() {
        return Ok(None);
    }
    let mut out = Encoder::default();
    for index in &indices {
        out.message(1, index);
    }
    Ok(Some(out.finish().into()))
}

fn bitmap(fragments: &RoaringBitmap) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(fragments.serialized_size());
    fragments
        .serialize_into(&mut bytes)
        .map_err(|error| Error::internal("a bitmap of fragments could not be written").caused_by(error))?;
    Ok(bytes)
}
