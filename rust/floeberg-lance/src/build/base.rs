//! What is a version built on?
//!
//! In: a version. Out: the numbers that the next version gives: ids of fragments and of rows.

use std::collections::HashMap;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use crate::metadata::flags::STABLE_ROW_IDS;
use crate::wire::{Fragment, IndexMetadata, Manifest, Timestamp};

/// A version that the next one is built on.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    /// Its manifest.
    pub manifest: &'a Manifest,
    /// Its indices: the message of their section; `None` without one.
    pub indices: Option<&'a Bytes>,
}

/// A version that is not written yet.
#[derive(Debug, Clone)]
pub struct Built {
    /// Its manifest, which does not say yet which transaction made it.
    pub manifest: Manifest,
    /// The message of its indices; `None` without any.
    pub indices: Option<Bytes>,
}

/// How a new table is made.
#[derive(Debug, Clone)]
pub struct NewTable {
    /// The version of its data files, such as `2.2`.
    pub data_storage_version: String,
    /// Do rows have ids that stay with them?
    pub has_stable_row_ids: bool,
    /// When.
    pub timestamp: Timestamp,
}

/// The numbers that a version gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    /// The version.
    pub version: u64,
    next_fragment_id: u64,
    /// `None` where rows have no stable ids.
    pub next_row_id: Option<u64>,
}

impl Numbers {
    /// The numbers of a new table.
    pub fn of_new_table(has_stable_row_ids: bool) -> Self {
        Self { version: 1, next_fragment_id: 0, next_row_id: has_stable_row_ids.then_some(0) }
    }

    /// The numbers of the version after this one. Errors: `LimitExceeded`.
    pub fn after(manifest: &Manifest) -> Result<Self> {
        let version = manifest.head.version.checked_add(1);
        let version = version.ok_or_else(|| Error::limit("the table has no further version number"))?;
        let is_stable = manifest.head.reader_feature_flags & STABLE_ROW_IDS != 0;
        Ok(Self {
            version,
            next_fragment_id: greatest_fragment_id(manifest).map_or(0, |id| id + 1),
            next_row_id: is_stable.then_some(manifest.head.next_row_id),
        })
    }

    /// Gives a fragment the next id. Errors: `LimitExceeded`.
    pub fn number(&mut self, fragment: &mut Fragment) -> Result<()> {
        fragment.id = self.next_fragment_id;
        self.skip_fragments(1)
    }

    /// Gives ids away without a fragment. Errors: `LimitExceeded`.
    pub fn skip_fragments(&mut self, count: u32) -> Result<()> {
        self.next_fragment_id += u64::from(count);
        if self.next_fragment_id > u64::from(u32::MAX) {
            return Err(Error::limit("the table has no further id for a fragment: ids are of 32 bits"));
        }
        Ok(())
    }

    /// The greatest id that a fragment ever had.
    pub fn max_fragment_id(&self) -> Option<u32> {
        self.next_fragment_id.checked_sub(1).and_then(|id| u32::try_from(id).ok())
    }
}

/// The greatest id that a fragment ever had; `None` for a table that never had one.
fn greatest_fragment_id(manifest: &Manifest) -> Option<u64> {
    let listed = manifest.fragments.ids().iter().max().copied();
    listed.max(manifest.head.max_fragment_id.map(u64::from))
}

impl Base<'_> {
    /// The indices. Errors: `InvalidData`.
    pub fn parsed_indices(&self) -> Result<Vec<IndexMetadata>> {
        self.indices.map_or(Ok(Vec::new()), IndexMetadata::parse_section)
    }

    /// The places of fragments by their ids.
    pub(super) fn places(&self) -> HashMap<u64, usize> {
        self.manifest.fragments.ids().iter().enumerate().map(|(place, id)| (*id, place)).collect()
    }
}
