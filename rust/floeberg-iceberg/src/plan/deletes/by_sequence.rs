//! Which deletes of a list are new enough?
//!
//! Spec: Scan Planning (sequence numbers); Sequence Numbers.
//!
//! Invariant: a list is sorted by sequence number, so that the new ones are its end.

/// Deletes in the order of their sequence numbers. An index is a position in that order.
#[derive(Debug, Default)]
pub(crate) struct BySequence {
    numbers: Vec<u32>,
    sequence_numbers: Vec<i64>,
}

impl BySequence {
    /// Adds a delete. Its sequence number must not be below that of the one before.
    pub fn push(&mut self, number: u32, sequence_number: i64) {
        self.numbers.push(number);
        self.sequence_numbers.push(sequence_number);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The delete at an index.
    pub fn number(&self, place: u32) -> u32 {
        self.numbers[place as usize]
    }

    /// The deletes from an index on.
    pub fn numbers(&self, from: u32) -> &[u32] {
        &self.numbers[from as usize..]
    }

    /// The first index with a sequence number of at least `least`; `None` is past the end.
    pub fn since(&self, least: Option<i64>) -> u32 {
        self.sequence_numbers.partition_point(|own| least.is_none_or(|least| *own < least)) as u32
    }
}
