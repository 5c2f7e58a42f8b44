//! Which ranges are read together?
//!
//! In: the ranges that a reader wants, in its order. Out: fetches that cover them, and the wanted ranges, sliced out again.
//!
//! Invariant: every wanted range lies in one fetch; a fetch covers only wanted ranges and the gaps between them.

#[cfg(test)]
mod tests;

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use crate::location::shown;

/// When two ranges become one fetch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coalescing {
    /// The largest gap, in bytes, that costs less to read than a second request.
    pub gap: u64,
    /// The longest fetch, in bytes, that ranges are merged into. A single longer range is read unchanged.
    pub longest: u64,
}

/// Fetches, and the position of each wanted range in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fetches {
    /// What to read, by start.
    pub fetches: Vec<Range<u64>>,
    /// For each wanted range its fetch; `None` for an empty range.
    places: Vec<Option<usize>>,
}

impl Fetches {
    /// Merges near ranges.
    pub(crate) fn new(wanted: &[Range<u64>], coalescing: Coalescing) -> Self {
        let mut order: Vec<usize> = (0..wanted.len()).filter(|&index| !wanted[index].is_empty()).collect();
        order.sort_unstable_by_key(|&index| (wanted[index].start, wanted[index].end));
        let mut fetches: Vec<Range<u64>> = Vec::with_capacity(order.len());
        let mut places = vec![None; wanted.len()];
        for index in order {
            let range = &wanted[index];
            match fetches.last_mut() {
                Some(last)
                    if range.end <= last.end
                        || (range.start <= last.end.saturating_add(coalescing.gap)
                            && range.end - last.start <= coalescing.longest) =>
                {
                    last.end = last.end.max(range.end);
                }
                _ => fetches.push(range.clone()),
            }
            places[index] = Some(fetches.len() - 1);
        }
        Self { fetches, places }
    }

    /// The wanted ranges, sliced without a copy from the fetched bytes.
    ///
    /// `fetched` holds as many bytes for each fetch as its range says; `wanted` is what `new` was given.
    pub(crate) fn cut(&self, wanted: &[Range<u64>], fetched: &[Bytes]) -> Vec<Bytes> {
        let one = |(range, place): (&Range<u64>, &Option<usize>)| match *place {
            None => Bytes::new(),
            Some(place) => {
                let start = (range.start - self.fetches[place].start) as usize;
                fetched[place].slice(start..start + (range.end - range.start) as usize)
            }
        };
        wanted.iter().zip(&self.places).map(one).collect()
    }
}

/// The length of a range, after a check that it lies in a file of `size` bytes. Errors: `InvalidData`.
pub(crate) fn checked_length(range: &Range<u64>, size: u64, location: &str) -> Result<usize> {
    let Range { start, end } = range;
    if start > end {
        let message = format!("expected a range that ends after its start, found {start}..{end}");
        return Err(Error::invalid_data(message).with("path", shown(location)));
    }
    if *end > size {
        return Err(out_of_range(range, size, location));
    }
    usize::try_from(range.end - range.start).map_err(|_| out_of_range(range, size, location))
}

/// The error of a range outside the file, which may have become shorter.
pub(crate) fn out_of_range(range: &Range<u64>, size: u64, location: &str) -> Error {
    let Range { start, end } = range;
    let message = format!("expected the bytes {start}..{end}, found a file of {size} bytes");
    Error::invalid_data(message).with("path", shown(location))
}

/// The error of a file that is larger than its reader allows.
pub(crate) fn too_large(size: u64, limit: u64, location: &str) -> Error {
    let message = format!("expected a file of at most {limit} bytes, found {size} bytes or more");
    Error::limit(message).with("path", shown(location))
}
