//! How are keys of several columns, or of variable length, stored?
//!
//! ```text
//! slot     hash (4) | place of the record, in units of 4 bytes (4)
//! record   code of the sequence number (4) | the values of the columns | up to 3 bytes of padding
//! ```
//!
//! Invariant: a missing key is mostly detected by its hash alone; equal hashes are confirmed by comparing values.

use arrow_buffer::{BooleanBuffer, Buffer};
use hashbrown::HashTable;

use super::columns::KeyColumn;
use super::hashing::{Hashing, STEP, no_memory, reserve};
use super::numbers::Numbers;
use crate::error::{Error, Result};

/// Records begin at multiples of this.
const UNIT: usize = 4;

/// Where a key's record is.
struct Slot {
    hash: u32,
    place: u32,
}

/// The keys.
#[derive(Default)]
pub(super) struct RowKeys {
    table: HashTable<Slot>,
    records: Vec<u8>,
}

impl RowKeys {
    /// Adds the keys of rows.
    pub fn insert(
        &mut self,
        hashing: &Hashing,
        columns: &[KeyColumn<'_>],
        rows: usize,
        numbers: &Numbers,
        number: u32,
    ) -> Result<()> {
        let mut hashes = [0; STEP];
        for first in (0..rows).step_by(STEP) {
            let hashes = hash_rows(hashing, columns, first, rows, &mut hashes);
            self.table.try_reserve(hashes.len(), |slot| spread(slot.hash)).map_err(no_memory)?;
            for (at, hash) in hashes.iter().enumerate() {
                self.insert_row(*hash as u32, columns, first + at, numbers, number)?;
            }
        }
        Ok(())
    }

    fn insert_row(
        &mut self,
        hash: u32,
        columns: &[KeyColumn<'_>],
        row: usize,
        numbers: &Numbers,
        number: u32,
    ) -> Result<()> {
        if let Some(place) = self.find(hash, columns, row) {
            let known = &mut self.records[place..place + UNIT];
            let newer = numbers.newer(code(known), number);
            known.copy_from_slice(&newer.to_le_bytes());
            return Ok(());
        }
        let place = u32::try_from(self.records.len() / UNIT)
            .map_err(|_| Error::limit("the keys of equality deletes take more than 16 GiB"))?;
        let written: usize = columns.iter().map(|column| column.written(row)).sum();
        reserve(&mut self.records, UNIT + written.next_multiple_of(UNIT))?;
        self.records.extend_from_slice(&number.to_le_bytes());
        for column in columns {
            column.write(row, &mut self.records);
        }
        self.records.resize(self.records.len().next_multiple_of(UNIT), 0);
        self.table.insert_unique(spread(hash), Slot { hash, place }, |slot| spread(slot.hash));
        Ok(())
    }

    /// Where the record of a row's key begins.
    fn find(&self, hash: u32, columns: &[KeyColumn<'_>], row: usize) -> Option<usize> {
        let is_key = |slot: &Slot| {
            let values = &self.records[slot.place as usize * UNIT + UNIT..];
            slot.hash == hash
                && columns.iter().try_fold(values, |rest, column| column.strip(row, rest)).is_some()
        };
        self.table.find(spread(hash), is_key).map(|slot| slot.place as usize * UNIT)
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes that they hold.
    pub fn memory(&self) -> usize {
        self.table.allocation_size() + self.records.capacity()
    }

    /// Which rows' keys are deleted by a newer number?
    pub fn deleted(
        &self,
        hashing: &Hashing,
        columns: &[KeyColumn<'_>],
        rows: usize,
        numbers: &Numbers,
        than: i64,
    ) -> BooleanBuffer {
        let mut words = vec![0_u64; rows.div_ceil(64)];
        let mut hashes = [0; STEP];
        for first in (0..rows).step_by(STEP) {
            let hashes = hash_rows(hashing, columns, first, rows, &mut hashes);
            for (at, hash) in hashes.iter().enumerate() {
                let row = first + at;
                let is_deleted = self
                    .find(*hash as u32, columns, row)
                    .is_some_and(|place| numbers.is_newer(code(&self.records[place..]), than));
                words[row / 64] |= u64::from(is_deleted) << (row % 64);
            }
        }
        BooleanBuffer::new(Buffer::from_vec(words), 0, rows)
    }
}

/// The hashes of at most [`STEP`] rows, column by column.
pub(super) fn hash_rows<'h>(
    hashing: &Hashing,
    columns: &[KeyColumn<'_>],
    first: usize,
    rows: usize,
    hashes: &'h mut [u64; STEP],
) -> &'h [u64] {
    let hashes = &mut hashes[..STEP.min(rows - first)];
    hashes.fill(0);
    for column in columns {
        column.hash(hashing, first, hashes);
    }
    hashes
}

/// The table takes the place from the low bits of a hash and the tag from the high ones: 32 bits serve both.
#[inline]
pub(super) fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The code at the beginning of a record.
fn code(record: &[u8]) -> u32 {
    record.first_chunk().map_or(0, |code| u32::from_le_bytes(*code))
}
