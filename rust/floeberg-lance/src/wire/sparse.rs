//! How is a column kept whose values are mostly the same?
//!
//! Invariant: nothing is kept up to the first value that differs, and nothing after the last one: a table of a hundred thousand
//! fragments without deletes has no column of deletes.

use std::ops::Range;

/// A column of which values that are usual are left out at both ends.
#[derive(Debug, Clone)]
pub(super) struct Sparse<T> {
    usual: T,
    values: Vec<T>,
}

impl<T: Copy + PartialEq> Sparse<T> {
    /// A column without other values than this one.
    pub fn new(usual: T) -> Self {
        Self { usual, values: Vec::new() }
    }

    /// Sets the value of the last place, or of one behind all others. `most` is the length that the column may get.
    #[inline]
    pub fn set(&mut self, place: usize, value: T, most: usize) {
        if value != self.usual || self.values.len() > place {
            if self.values.capacity() == 0 {
                self.values.reserve_exact(most);
            }
            self.values.resize(place, self.usual);
            self.values.push(value);
        }
    }

    /// The value of a place.
    #[inline]
    pub fn get(&self, place: usize) -> T {
        self.values.get(place).copied().unwrap_or(self.usual)
    }

    /// Values that may be unusual; all others are usual.
    pub fn kept(&self) -> &[T] {
        &self.values
    }

    /// Sets the values of places from `start` on to those of another column.
    pub fn take_range(&mut self, start: usize, other: &Self, places: Range<usize>, change: impl Fn(T) -> T) {
        let end = places.end.min(other.values.len());
        let taken = other.values.get(places.start..end).unwrap_or_default();
        if taken.iter().any(|value| *value != self.usual) {
            self.values.resize(start, self.usual);
            self.values.extend(taken.iter().map(|value| change(*value)));
        }
    }
}
