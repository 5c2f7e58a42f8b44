//! When are rows on their way to other workers a piece?
//!
//! In: rows of places, such as ranges. Out: pieces of rows of one place each, as bytes.
//!
//! Invariant: the pieces of a place have its rows in their order. Memory holds rows of about [`HELD`] bytes.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use floeberg_core::Result;

use super::pieces::to_bytes;

/// The bytes of rows that wait for others of their places.
const HELD: usize = 64 << 20;
/// The bytes of rows that are a piece, whatever else waits.
const PIECE: usize = 4 << 20;

/// Rows that wait for others of their places.
pub(crate) struct HeldRows<K> {
    of_place: BTreeMap<K, OfPlace>,
    size: usize,
}

#[derive(Default)]
struct OfPlace {
    batches: Vec<RecordBatch>,
    size: usize,
}

impl<K: Ord> Default for HeldRows<K> {
    fn default() -> Self {
        Self { of_place: BTreeMap::new(), size: 0 }
    }
}

impl<K: Ord + Copy> HeldRows<K> {
    /// Takes rows of a place. Returns the pieces that are large enough.
    pub fn add(&mut self, place: K, rows: RecordBatch) -> Result<Vec<(K, Vec<u8>)>> {
        let size = rows.get_array_memory_size();
        let held = self.of_place.entry(place).or_default();
        held.batches.push(rows);
        held.size += size;
        self.size += size;
        if held.size >= PIECE {
            self.size -= held.size;
            let held = std::mem::take(held);
            self.of_place.remove(&place);
            return Ok(vec![(place, to_bytes(&held.batches)?)]);
        }
        if self.size >= HELD { self.finish() } else { Ok(Vec::new()) }
    }

    /// The pieces of all rows that wait.
    pub fn finish(&mut self) -> Result<Vec<(K, Vec<u8>)>> {
        self.size = 0;
        let held = std::mem::take(&mut self.of_place);
        held.into_iter().map(|(place, rows)| Ok((place, to_bytes(&rows.batches)?))).collect()
    }
}
