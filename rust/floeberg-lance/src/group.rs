//! Which part of a scan does a worker read?
//!
//! In: a scan, and a size. Out: groups of about equal work, each a few fragments or parts of them.
//!
//! Invariant: every row is in one group. A group alone is a table of its fragments, so that a worker opens no manifest.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;

use crate::read::{FragmentRows, ReadRequest, Rows};
use crate::wire::{FragmentPiece, Fragments, Manifest, ManifestHead};

/// What a row counts for where no file says its size.
const BYTES_OF_A_ROW: u64 = 64;
/// What a fragment counts for beside its bytes.
const COST_OF_A_FRAGMENT: u64 = 64 << 10;

/// Some fragments of a scan, by their places, and rows of them.
#[derive(Debug, Clone)]
pub struct Group {
    request: Arc<ReadRequest>,
    parts: Vec<(usize, Range<u64>)>,
}

impl Group {
    /// Rows of fragments.
    pub fn new(request: Arc<ReadRequest>, parts: Vec<(usize, Range<u64>)>) -> Self {
        Self { request, parts }
    }

    /// All fragments of a request.
    pub fn whole(request: &Arc<ReadRequest>) -> Self {
        let rows = request.table().manifest().fragments.physical_rows();
        let parts = rows.iter().enumerate().map(|(place, rows)| (place, 0..*rows)).collect();
        Self { request: Arc::clone(request), parts }
    }

    /// The fragments of a request that are wanted, by their ids.
    pub fn of_fragments(request: &Arc<ReadRequest>, is_wanted: &dyn Fn(u64) -> bool) -> Self {
        let fragments = &request.table().manifest().fragments;
        let found = fragments.ids().iter().zip(fragments.physical_rows()).enumerate();
        let parts = found.filter(|(_, (id, _))| is_wanted(**id)).map(|(place, (_, rows))| (place, 0..*rows));
        Self { request: Arc::clone(request), parts: parts.collect() }
    }

    /// All rows of one fragment of a request, by its place; without parts where there is no such place.
    pub fn of_fragment(request: &Arc<ReadRequest>, place: usize) -> Self {
        let rows = request.table().manifest().fragments.physical_rows().get(place);
        let parts = rows.map(|rows| (place, 0..*rows)).into_iter().collect();
        Self { request: Arc::clone(request), parts }
    }

    /// All fragments of a request, in groups of about this many bytes.
    pub fn split(request: &Arc<ReadRequest>, target_size: u64) -> Vec<Self> {
        let fragments = &request.table().manifest().fragments;
        let target = target_size.max(1);
        let (mut groups, mut open, mut bytes) = (Vec::new(), Vec::<(usize, Range<u64>)>::new(), 0_u64);
        for (place, rows) in fragments.physical_rows().iter().enumerate() {
            let weight = weight(fragments, place);
            let pieces = weight.div_ceil(target).clamp(1, (*rows).max(1));
            for piece in 0..pieces {
                let part = share(*rows, pieces, piece)..share(*rows, pieces, piece + 1);
                let size = weight / pieces;
                if !open.is_empty() && bytes.saturating_add(size) > target {
                    groups.push(std::mem::take(&mut open));
                    bytes = 0;
                }
                bytes = bytes.saturating_add(size);
                match open.last_mut() {
                    // A manifest of a group has a fragment once.
                    Some((last, rows)) if *last == place => rows.end = part.end,
                    _ => open.push((place, part)),
                }
            }
        }
        groups.extend(Some(open).filter(|open| !open.is_empty()));
        groups.into_iter().map(|parts| Self::new(Arc::clone(request), parts)).collect()
    }

    /// What all fragments of a request count for, in bytes.
    pub fn weight_of(request: &ReadRequest) -> u64 {
        let fragments = &request.table().manifest().fragments;
        (0..fragments.len()).map(|place| weight(fragments, place)).fold(0, u64::saturating_add)
    }

    /// What is read.
    pub fn request(&self) -> &Arc<ReadRequest> {
        &self.request
    }

    /// The fragments, by their places, and their rows.
    pub fn parts(&self) -> &[(usize, Range<u64>)] {
        &self.parts
    }

    /// The number of rows, deleted ones included.
    pub fn physical_rows(&self) -> u64 {
        self.parts.iter().map(|(_, rows)| rows.end - rows.start).fold(0, u64::saturating_add)
    }

    /// Begins to read a part, by its number. Errors: those of [`FragmentRows::open`].
    pub fn open(&self, number: usize) -> Result<FragmentRows> {
        let (place, rows) = self.parts.get(number).ok_or_else(|| {
            floeberg_core::Error::invalid_input(format!(
                "a group has {} parts: part {number} does not exist",
                self.parts.len()
            ))
        })?;
        FragmentRows::open(&self.request, *place, Rows::Range(rows.clone()))
    }

    /// A manifest of the fragments of the group alone, and the rows of each that are read.
    ///
    /// Errors: `InvalidData`.
    pub fn manifest(&self) -> Result<(Manifest, Vec<Range<u64>>)> {
        let whole = self.request.table().manifest();
        let pieces: Vec<_> =
            self.parts.iter().map(|(place, _)| FragmentPiece::Kept(*place..*place + 1)).collect();
        let head = ManifestHead {
            config: Vec::new(),
            table_metadata: Vec::new(),
            index_section: None,
            transaction_section: None,
            old_transaction_section: None,
            ..whole.head.clone()
        };
        let manifest = Manifest { head, fragments: whole.fragments.with_pieces(&pieces)? };
        Ok((manifest, self.parts.iter().map(|(_, rows)| rows.clone()).collect()))
    }
}

/// The row at which a piece begins, of this many pieces.
fn share(rows: u64, pieces: u64, piece: u64) -> u64 {
    (u128::from(rows) * u128::from(piece) / u128::from(pieces)) as u64
}

fn weight(fragments: &Fragments, place: usize) -> u64 {
    let known: u64 = fragments.files(place).map(|file| file.size_bytes).fold(0, u64::saturating_add);
    let rows = fragments.physical_rows()[place];
    let bytes = if known == 0 { rows.saturating_mul(BYTES_OF_A_ROW) } else { known };
    bytes.saturating_add(COST_OF_A_FRAGMENT)
}
