//! Texts, by a dictionary or one after the other.
//!
//! Spec: ORC v1, String, Char, and Varchar Columns.
//!
//! A stripe begins with a dictionary, and gives it up at the end of a row group where values hardly repeat.
//!
//! Invariant: the reader's `Direct` or `Dictionary` read the texts back. A dictionary is sorted.

use floeberg_core::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::integers::Integers;
use super::stream::{Form, Output, Place};

/// The most distinct values, of a hundred, that are worth a dictionary.
const DISTINCT: usize = 60;
/// The most bytes of a dictionary.
const MOST_BYTES: usize = 8 << 20;

/// Texts or bytes that stand one after the other.
#[derive(Debug)]
pub(super) struct Direct {
    pub(super) data: Output,
    pub(super) lengths: Integers,
}

impl Direct {
    pub(super) fn new() -> Self {
        Self { data: Output::default(), lengths: Integers::new(false) }
    }

    /// The ends of both streams.
    pub(super) fn ends(&self) -> [Place; 2] {
        [self.data.end(Form::Bytes), self.lengths.end()]
    }
}

/// Texts with a dictionary.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    table: HashTable<u32>,
    bytes: Vec<u8>,
    /// Where entries end.
    ends: Vec<u64>,
    /// The entries of the values.
    numbers: Vec<u32>,
    /// How many values row groups before the current one have.
    groups: Vec<usize>,
}

/// A dictionary as it is stored.
pub(super) struct Stored {
    pub(super) entries: u32,
    pub(super) bytes: Output,
    pub(super) lengths: Integers,
    pub(super) numbers: Integers,
    /// The ends of row groups in the numbers.
    pub(super) places: Vec<Place>,
}

impl Dictionary {
    /// Adds a value.
    pub(super) fn add(&mut self, value: &[u8]) {
        let hasher = FixedState::default();
        let hash = hasher.hash_one(value);
        let Self { table, bytes, ends, numbers, .. } = self;
        let known = table.find(hash, |number| entry(bytes, ends, *number) == value).copied();
        let number = known.unwrap_or_else(|| {
            let number = ends.len() as u32;
            bytes.extend_from_slice(value);
            ends.push(bytes.len() as u64);
            table.insert_unique(hash, number, |number| hasher.hash_one(entry(bytes, ends, *number)));
            number
        });
        numbers.push(number);
    }

    /// Ends a row group; is the dictionary still worth it?
    pub(super) fn end_group(&mut self) -> bool {
        self.groups.push(self.numbers.len());
        self.bytes.len() <= MOST_BYTES && self.ends.len() * 100 <= self.numbers.len() * DISTINCT
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> u64 {
        (self.bytes.len() + self.numbers.len() * 2) as u64
    }

    /// The same texts one after the other, and the ends of row groups in both streams.
    pub(super) fn into_direct(self) -> (Direct, Vec<[Place; 2]>) {
        let mut direct = Direct::new();
        let mut places = Vec::with_capacity(self.groups.len());
        let (mut start, all) = (0, self.numbers.len());
        for end in self.groups.iter().copied().chain([all]) {
            let numbers = &self.numbers[start..end];
            for number in numbers {
                direct.data.bytes().extend_from_slice(entry(&self.bytes, &self.ends, *number));
            }
            let length = |number: &u32| entry(&self.bytes, &self.ends, *number).len() as i64;
            direct.lengths.extend(numbers.iter().map(length));
            start = end;
            if places.len() < self.groups.len() {
                direct.lengths.end_runs();
                places.push(direct.ends());
            }
        }
        (direct, places)
    }

    /// The dictionary, sorted, and the numbers of the values.
    pub(super) fn into_stored(self) -> Result<Stored> {
        let Self { bytes, ends, numbers, groups, .. } = &self;
        let count = ends.len() as u32;
        let mut sorted: Vec<u32> = (0..count).collect();
        sorted.sort_unstable_by(|one, other| entry(bytes, ends, *one).cmp(entry(bytes, ends, *other)));
        let mut stored = Stored {
            entries: count,
            bytes: Output::default(),
            lengths: Integers::new(false),
            numbers: Integers::new(false),
            places: Vec::with_capacity(groups.len()),
        };
        let mut new_numbers = vec![0_u32; ends.len()];
        for (new, old) in (0..).zip(&sorted) {
            new_numbers[*old as usize] = new;
            stored.bytes.bytes().extend_from_slice(entry(bytes, ends, *old));
        }
        stored.lengths.extend(sorted.iter().map(|old| entry(bytes, ends, *old).len() as i64));
        stored.lengths.end_runs();
        let mut start = 0;
        for end in groups {
            let values =
                numbers.get(start..*end).ok_or_else(|| Error::internal("row groups out of order"))?;
            stored.numbers.extend(values.iter().map(|number| i64::from(new_numbers[*number as usize])));
            stored.numbers.end_runs();
            stored.places.push(stored.numbers.end());
            start = *end;
        }
        Ok(stored)
    }
}

/// An entry of a dictionary.
fn entry<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}
