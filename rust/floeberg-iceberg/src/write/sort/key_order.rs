//! In which order are the rows of several batches, by their keys?
//!
//! In: the keys of each batch. Out: all rows, in order, and their keys.
//!
//! ```text
//! keys   1 00 00 17 2a ...        the bytes that all keys begin with are passed over
//!        1 00 00 17 81 ...        of the others, the first 8 are compared as a number, and the whole key where they are equal, unless
//!                                 these 8 are all that is left of every key
//! ```
//!
//! Invariant: rows with equal keys are in the order of their batches, and in that of the rows of a batch.

use std::cmp::Ordering;
use std::ops::Range;

use arrow_array::{Array as _, BinaryArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::threads::ordered;

/// Fewer rows than these are not worth a thread.
const LEAST_ROWS: usize = 64 * 1024;

/// A row of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The first bytes of the key that are not the same in all keys, as a number.
    first: u64,
    /// The batch.
    pub part: u32,
    /// The row of the batch.
    pub row: u32,
}

/// Rows of several batches, by their keys.
#[derive(Debug)]
pub(super) struct Order {
    /// The rows, in order: parts that follow one another.
    pub places: Vec<Vec<Place>>,
    /// The keys, where all of them can be made from the numbers of their rows.
    numbers: Option<NumberKeys>,
}

/// Keys that are the same bytes, and then a number.
#[derive(Debug)]
struct NumberKeys {
    begin: Vec<u8>,
    /// How many bytes the number has, at most 8.
    width: usize,
}

impl Order {
    /// The keys of some of the places: `None` where they are only in the batches.
    pub fn keys(&self, places: &[Place]) -> Option<Result<BinaryArray>> {
        self.numbers.as_ref().map(|numbers| numbers.keys(places))
    }
}

impl NumberKeys {
    fn keys(&self, places: &[Place]) -> Result<BinaryArray> {
        let length = self.begin.len() + self.width;
        let mut bytes = Vec::with_capacity(length * places.len());
        for place in places {
            bytes.extend_from_slice(&self.begin);
            bytes.extend_from_slice(&place.first.to_be_bytes()[..self.width]);
        }
        let ends = OffsetBuffer::from_repeated_length(length, places.len());
        BinaryArray::try_new(ends, Buffer::from_vec(bytes), None)
            .map_err(|error| Error::internal("the keys of rows").caused_by(error))
    }
}

/// All rows, by their keys.
///
/// Errors: `Cancelled`.
pub(super) fn order(parts: &[&BinaryArray], threads: usize, cancel: &Cancel) -> Result<Order> {
    let rows: usize = parts.iter().map(|keys| BinaryArray::len(keys)).sum();
    let shared = shared(parts);
    let numbers = number_keys(parts, shared);
    let keys = Keys { parts, shared, is_number: numbers.is_some() };
    let groups = groups(parts, rows.div_ceil(threads.max(1)).max(LEAST_ROWS));
    let runs = ordered(&groups, threads, cancel, |group| Ok(sorted(&keys, group.clone())))?;
    if runs.len() < 2 {
        return Ok(Order { places: runs, numbers });
    }
    let parts = parts_of(&runs, &keys, threads.max(1));
    let places = ordered(&parts, threads, cancel, |part| {
        let mut places = Vec::with_capacity(part.iter().map(|rows| rows.len()).sum());
        for rows in part {
            places.extend_from_slice(rows);
        }
        // The standard library's stable sort finds the sorted runs, and merges them.
        places.sort_by(|one, other| keys.compare(one, other));
        Ok(places)
    })?;
    Ok(Order { places, numbers })
}

/// Cuts sorted runs into so many parts: all rows of a part are before those of the next one.
fn parts_of<'a>(runs: &'a [Vec<Place>], keys: &Keys<'_>, count: usize) -> Vec<Vec<&'a [Place]>> {
    let Some(longest) = runs.iter().max_by_key(|run| run.len()) else { return Vec::new() };
    let mut left: Vec<&[Place]> = runs.iter().map(Vec::as_slice).collect();
    let mut parts = Vec::with_capacity(count);
    for number in 1..count {
        let Some(first) = longest.get(number * longest.len() / count) else { break };
        let part = left.iter_mut().map(|rows| {
            let end = rows.partition_point(|place| keys.compare(place, first).is_lt());
            let (before, after) = rows.split_at(end);
            *rows = after;
            before
        });
        parts.push(part.collect());
    }
    parts.push(left);
    parts
}

/// Batches that follow one another, each group of about so many rows.
fn groups(parts: &[&BinaryArray], rows: usize) -> Vec<Range<usize>> {
    let (mut groups, mut start, mut held) = (Vec::new(), 0, 0);
    for (number, keys) in parts.iter().enumerate() {
        held += keys.len();
        if held >= rows {
            groups.push(start..number + 1);
            (start, held) = (number + 1, 0);
        }
    }
    groups.push(start..parts.len());
    groups.retain(|group| !group.is_empty());
    groups
}

fn sorted(keys: &Keys<'_>, group: Range<usize>) -> Vec<Place> {
    let places = group.flat_map(|part| {
        let (shared, keys) = (keys.shared, keys.parts[part]);
        let place = move |row: usize| {
            let first = first(&keys.value(row)[shared..]);
            Place { first, part: part as u32, row: row as u32 }
        };
        (0..keys.len()).map(place)
    });
    let mut places: Vec<_> = places.collect();
    if keys.is_number {
        places.sort_unstable_by_key(|place| (place.first, place.part, place.row));
    } else {
        places.sort_unstable_by(|one, other| keys.compare(one, other));
    }
    places
}

/// The keys of all batches.
struct Keys<'a> {
    parts: &'a [&'a BinaryArray],
    /// How many bytes all keys begin with that are the same.
    shared: usize,
    /// Are all keys the same where their numbers are?
    is_number: bool,
}

impl Keys<'_> {
    fn compare(&self, one: &Place, other: &Place) -> Ordering {
        let rest = |place: &Place| &self.parts[place.part as usize].value(place.row as usize)[self.shared..];
        let rest = || if self.is_number { Ordering::Equal } else { rest(one).cmp(rest(other)) };
        one.first
            .cmp(&other.first)
            .then_with(rest)
            .then_with(|| (one.part, one.row).cmp(&(other.part, other.row)))
    }
}

/// Do all keys have one length, and at most 8 bytes after those that they share? Then their numbers say all.
fn number_keys(parts: &[&BinaryArray], shared: usize) -> Option<NumberKeys> {
    let one = parts.iter().find(|keys| !keys.is_empty())?.value(0);
    let mut lengths = parts.iter().flat_map(|keys| keys.offsets().lengths());
    let width = one.len() - shared.min(one.len());
    let are_numbers = width <= 8 && lengths.all(|length| length == one.len());
    are_numbers.then(|| NumberKeys { begin: one[..one.len() - width].to_vec(), width })
}

/// The first 8 bytes, with zeros behind the end.
fn first(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = bytes.len().min(8);
    first[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(first)
}

/// How many bytes do all keys begin with that are the same?
fn shared(parts: &[&BinaryArray]) -> usize {
    let mut keys = parts.iter().flat_map(|keys| keys.iter().flatten());
    let Some(one) = keys.next() else { return 0 };
    let mut shared = one.len();
    for key in keys {
        let same = key.len() >= shared && key[..shared] == one[..shared];
        if !same {
            shared = one.iter().zip(key).take(shared).take_while(|(one, other)| one == other).count();
            if shared == 0 {
                break;
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use arrow_array::BinaryArray;
    use floeberg_core::Cancel;
    use proptest::prelude::*;

    use super::order;

    /// Batches of keys of one length, that may begin with the same bytes.
    fn numbers() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        (0_usize..11).prop_flat_map(|length| {
            let key = prop::collection::vec(0_u8..3, length);
            prop::collection::vec(prop::collection::vec(key, 0..30), 0..5)
        })
    }

    fn keys() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        let key = (prop::sample::select(vec![0_usize, 1, 9]), prop::collection::vec(0_u8..3, 0..12));
        let key = key.prop_map(|(zeros, rest)| [vec![7; zeros], rest].concat());
        prop::collection::vec(prop::collection::vec(key, 0..30), 0..5)
    }

    proptest! {
        #[test]
        fn rows_are_in_the_order_of_their_keys(
            begin in prop::collection::vec(0_u8..3, 0..5),
            keys in prop_oneof![keys(), numbers()],
        ) {
            let batches: Vec<Vec<Vec<u8>>> = keys.iter()
                .map(|batch| batch.iter().map(|key| [begin.clone(), key.clone()].concat()).collect())
                .collect();
            let arrays: Vec<_> = batches.iter().map(BinaryArray::from_iter_values).collect();
            let order = order(&arrays.iter().collect::<Vec<_>>(), 2, &Cancel::default()).unwrap();
            let places = order.places.concat();
            if let Some(made) = order.keys(&places) {
                let made = made.unwrap();
                for (place, key) in places.iter().zip(made.iter().flatten()) {
                    prop_assert_eq!(key, &batches[place.part as usize][place.row as usize]);
                }
            }
            let found: Vec<_> = places.iter().map(|place| (place.part as usize, place.row as usize)).collect();
            let mut expected: Vec<_> = batches.iter().enumerate()
                .flat_map(|(part, batch)| (0..batch.len()).map(move |row| (part, row))).collect();
            expected.sort_by_key(|(part, row)| &batches[*part][*row]);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_runs_of_several_threads_are_merged() {
        let batches: Vec<BinaryArray> = (0_u32..6)
            .map(|batch| {
                let keys = (0_u32..40_000)
                    .map(|row| (row.wrapping_mul(2_654_435_761) % 50_000 + batch % 2).to_be_bytes());
                BinaryArray::from_iter_values(keys)
            })
            .collect();
        let parts: Vec<_> = batches.iter().collect();
        let found = order(&parts, 3, &Cancel::default()).unwrap().places.concat();
        assert_eq!(found.len(), 240_000);
        let row = |place: &super::Place| {
            let (part, row) = (place.part as usize, place.row as usize);
            (parts[part].value(row).to_vec(), part, row)
        };
        assert!(found.windows(2).all(|pair| row(&pair[0]) < row(&pair[1])));
    }
}
