//! Which ids do the rows of a fragment have, in their order?
//!
//! In: the bytes of a sequence, and the rows of its fragment. Out: the id of each row.
//! Spec: Lance, Stable Row IDs, Row ID Sequences.
//!
//! Invariant: a sequence has an id for every row of its fragment, deleted ones included; another length is an error.

use std::ops::Range;

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{Encoder, Records};
use roaring::RoaringBitmap;

use super::segment::Segment;

/// The ids of a fragment's rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowIds {
    segments: Vec<Segment>,
}

impl RowIds {
    /// The ids of rows, in few bytes.
    pub fn new(ids: &[u64]) -> Self {
        Self { segments: vec![Segment::new(ids)] }
    }

    /// The ids of a range.
    pub fn range(ids: Range<u64>) -> Self {
        Self { segments: vec![Segment::Range(ids)] }
    }

    /// Reads a sequence. Errors: `InvalidData`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut segments = Vec::new();
        for record in Records::new(bytes) {
            let record = record.context("message", "RowIdSequence")?;
            if record.number == 1 {
                segments.push(Segment::parse(record.value.bytes()?).context("message", "RowIdSequence")?);
            }
        }
        Ok(Self { segments })
    }

    /// The bytes of a sequence.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        self.segments.iter().for_each(|segment| out.some_bytes(1, segment.to_message()));
        out.finish()
    }

    /// Checks that a sequence has this many row ids. Errors: `InvalidData`.
    pub fn check_length(&self, rows: u64) -> Result<()> {
        match self.len() {
            Some(length) if length == rows => Ok(()),
            found => {
                let found = found.map_or("more than 64 bits can count".to_owned(), |found| found.to_string());
                Err(Error::invalid_data(format!("expected a row id for each of {rows} rows, found {found}")))
            }
        }
    }

    /// Checks that all ids were given, so that they are below the next one. Errors: `InvalidData`.
    pub fn check_below(&self, next: u64) -> Result<()> {
        let greatest = self.segments.iter().filter_map(Segment::bounds).map(|(_, greatest)| greatest).max();
        match greatest.filter(|greatest| *greatest >= next) {
            None => Ok(()),
            Some(greatest) => Err(Error::invalid_data(format!(
                "expected row ids below {next}, the next one that the manifest gives, found {greatest}"
            ))),
        }
    }

    /// How many ids; `None` beyond 64 bits.
    pub fn len(&self) -> Option<u64> {
        self.segments.iter().try_fold(0_u64, |sum, segment| sum.checked_add(segment.len()))
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(Segment::is_empty)
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The id of a row.
    pub fn get(&self, row: u64) -> Option<u64> {
        let mut left = row;
        for segment in &self.segments {
            if left < segment.len() {
                return segment.get(left);
            }
            left -= segment.len();
        }
        None
    }

    /// The ids of some rows, in their order. A few bytes can claim any number of ids, so ask for no more than are needed.
    pub fn slice(&self, rows: Range<u64>) -> Vec<u64> {
        let (mut ids, mut first) = (Vec::new(), 0_u64);
        for segment in &self.segments {
            let end = first.saturating_add(segment.len());
            let (from, to) = (rows.start.max(first), rows.end.min(end));
            if from < to {
                if let Segment::Range(range) = segment {
                    ids.extend(range.start + (from - first)..range.start + (to - first));
                } else {
                    let mut row = first;
                    segment.each(&mut |id| {
                        if row >= from {
                            ids.push(id);
                        }
                        row += 1;
                        row < to
                    });
                }
            }
            first = end;
        }
        ids
    }

    /// The ids of those of some rows that are not deleted, in their order.
    pub fn live(&self, rows: Range<u64>, deleted: &RoaringBitmap) -> Vec<u64> {
        let ids = self.slice(rows.clone()).into_iter().zip(rows);
        ids.filter(|(_, row)| u32::try_from(*row).is_ok_and(|row| !deleted.contains(row)))
            .map(|(id, _)| id)
            .collect()
    }
}
