//! How are bytes that lie in several places used as if they followed one another?
//!
//! Invariant: nothing is copied. A range that is asked for lies in one part: parts are cut between fragments.

use std::ops::Range;

use bytes::Bytes;

/// Bytes in parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Rope {
    /// Each with the place where it begins.
    parts: Vec<(usize, Bytes)>,
    length: usize,
}

impl Rope {
    /// Bytes in one part.
    pub fn of(bytes: Bytes) -> Self {
        Self { length: bytes.len(), parts: vec![(0, bytes)] }
    }

    /// Adds bytes behind the others.
    pub fn push(&mut self, bytes: Bytes) {
        let start = self.length;
        self.length += bytes.len();
        self.parts.push((start, bytes));
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The bytes of a range that lies in one part.
    pub fn get(&self, range: Range<usize>) -> &[u8] {
        let (start, part) = &self.parts[self.part_of(range.start)];
        &part[range.start - start..range.end - start]
    }

    /// The bytes of a range, as many pieces as parts that it lies in.
    pub fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Bytes> + '_ {
        let first = if range.is_empty() { self.parts.len() } else { self.part_of(range.start) };
        let parts = self.parts[first..].iter().take_while(move |(start, _)| *start < range.end);
        parts.map(move |(start, part)| {
            part.slice(range.start.saturating_sub(*start)..(range.end - start).min(part.len()))
        })
    }

    fn part_of(&self, place: usize) -> usize {
        match self.parts.len() {
            1 => 0,
            _ => self.parts.partition_point(|(start, _)| *start <= place).saturating_sub(1),
        }
    }
}
