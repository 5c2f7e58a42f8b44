//! Which rows of a source have the key of a row?
//!
//! In: the key columns of a source, then those of a table. Out: for each row of the table a row of the source with its key.
//!
//! ```text
//! filter   two bits of a word for each key
//! slot     hash (4) | the first row of the source with the key (4)
//! record   the values of the columns of a row
//! ```
//!
//! Invariant: a key has one slot. Other rows of the source with the key are chained to its first one. NaN equals NaN, and -0.0
//! equals 0.0. Whether null equals null is chosen; if not, a row with a null has no key.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use hashbrown::HashTable;

use super::columns::{KeyColumn, width_of};
use super::hashing::{Hashing, STEP, no_memory, reserve};
use super::key_filter::KeyFilter;
use super::row_keys::{hash_rows, spread};
use crate::error::{Error, Result};

/// No row of the source.
pub const NO_ROW: u32 = u32::MAX;

/// A key, by the first row with it.
struct Slot {
    hash: u32,
    row: u32,
}

/// The rows of a source by their keys.
pub struct KeyIndex {
    types: Vec<DataType>,
    nulls_are_equal: bool,
    hashing: Hashing,
    filter: KeyFilter,
    table: HashTable<Slot>,
    records: Vec<u8>,
    /// Where the record of each row begins.
    places: Vec<usize>,
    /// For each row another one with its key, or [`NO_ROW`].
    next: Vec<u32>,
}

impl KeyIndex {
    /// No rows yet, with key columns of Arrow types: those of a table's primitive types.
    ///
    /// Errors: `Unsupported` for types that cannot be keys, `InvalidInput` without a column.
    pub fn new(types: Vec<DataType>, nulls_are_equal: bool) -> Result<Self> {
        if types.is_empty() {
            return Err(Error::invalid_input("a key has no columns, expected at least one"));
        }
        for data_type in &types {
            width_of(data_type).map_err(|_| {
                Error::unsupported(format!(
                    "a column of type {data_type} cannot be a key: keys are of primitive types"
                ))
            })?;
        }
        Ok(Self {
            types,
            nulls_are_equal,
            hashing: Hashing::default(),
            filter: KeyFilter::new(),
            table: HashTable::new(),
            records: Vec::new(),
            places: Vec::new(),
            next: Vec::new(),
        })
    }

    /// How many rows the source has.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    /// Bytes that the index holds.
    pub fn memory(&self) -> usize {
        let of_rows = size_of::<usize>() + size_of::<u32>();
        let of_keys = self.filter.memory() + self.table.allocation_size() + self.records.capacity();
        of_keys + self.places.capacity() * of_rows
    }

    /// Adds the next rows of the source: arrays of exactly the types, of equal lengths. Returns the first row of them whose key an
    /// earlier row has, and that row.
    ///
    /// Errors: `InvalidInput` for other arrays, `LimitExceeded` where memory ends.
    pub fn insert(&mut self, keys: &[ArrayRef]) -> Result<Option<(usize, usize)>> {
        let keys = self.normalized(keys)?;
        let columns = keys.iter().map(KeyColumn::new).collect::<Result<Vec<_>>>()?;
        let rows = keys[0].len();
        if self.places.len().saturating_add(rows) >= NO_ROW as usize {
            return Err(Error::limit(
                "a source has at most 2^32 - 2 rows: change the table in several steps",
            ));
        }
        reserve(&mut self.places, rows)?;
        reserve(&mut self.next, rows)?;
        self.table.try_reserve(rows, |slot| spread(slot.hash)).map_err(no_memory)?;
        self.filter.resize(self.table.len() + rows, self.table.iter().map(|slot| slot.hash))?;
        let mut repeated = None;
        let mut hashes = [0; STEP];
        for first in (0..rows).step_by(STEP) {
            let hashes = hash_rows(&self.hashing, &columns, first, rows, &mut hashes);
            for (at, hash) in hashes.iter().enumerate() {
                let (row, number) = (first + at, self.places.len());
                let hash = *hash as u32;
                let known = if self.has_key(&columns, row) {
                    self.find_row(hash, &columns, row).or_else(|| {
                        let slot = Slot { hash, row: number as u32 };
                        self.filter.insert(hash);
                        self.table.insert_unique(spread(hash), slot, |slot| spread(slot.hash));
                        None
                    })
                } else {
                    None
                };
                self.places.push(self.records.len());
                match known {
                    None => {
                        self.next.push(NO_ROW);
                        let size = columns.iter().map(|column| column.written(row)).sum();
                        reserve(&mut self.records, size)?;
                        for column in &columns {
                            column.write(row, &mut self.records);
                        }
                    }
                    Some(earlier) => {
                        self.next.push(self.next[earlier as usize]);
                        self.next[earlier as usize] = number as u32;
                        repeated = repeated.or(Some((number, earlier as usize)));
                    }
                }
            }
        }
        Ok(repeated)
    }

    /// For each row of a table the first row of the source with its key, or [`NO_ROW`].
    ///
    /// Errors: `InvalidInput` for arrays of other types or of different lengths.
    pub fn find(&self, keys: &[ArrayRef]) -> Result<Vec<u32>> {
        let keys = self.normalized(keys)?;
        let columns = keys.iter().map(KeyColumn::new).collect::<Result<Vec<_>>>()?;
        let rows = keys[0].len();
        let mut found = vec![NO_ROW; rows];
        let (mut hashes, mut likely) = ([0; STEP], [0; STEP]);
        for first in (0..rows).step_by(STEP) {
            let hashes = hash_rows(&self.hashing, &columns, first, rows, &mut hashes);
            // Without a branch: what a row is cannot be foreseen.
            let mut count = 0;
            for (at, hash) in hashes.iter().enumerate() {
                likely[count] = at;
                count += usize::from(self.filter.may_have(*hash as u32));
            }
            for at in &likely[..count] {
                let row = first + at;
                if self.has_key(&columns, row) {
                    found[row] = self.find_row(hashes[*at] as u32, &columns, row).unwrap_or(NO_ROW);
                }
            }
        }
        Ok(found)
    }

    /// Another row of the source with the key of a row, after which come others.
    pub fn next(&self, row: u32) -> Option<u32> {
        self.next.get(row as usize).copied().filter(|next| *next != NO_ROW)
    }

    /// Has a row a value in every column, or may values be null?
    fn has_key(&self, columns: &[KeyColumn<'_>], row: usize) -> bool {
        self.nulls_are_equal || !columns.iter().any(|column| column.is_null(row))
    }

    fn find_row(&self, hash: u32, columns: &[KeyColumn<'_>], row: usize) -> Option<u32> {
        let is_key = |slot: &Slot| {
            let record = &self.records[self.places[slot.row as usize]..];
            slot.hash == hash
                && columns.iter().try_fold(record, |rest, column| column.strip(row, rest)).is_some()
        };
        self.table.find(spread(hash), is_key).map(|slot| slot.row)
    }

    /// The arrays with one zero.
    fn normalized(&self, keys: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let fit = keys.len() == self.types.len()
            && keys.iter().zip(&self.types).all(|(key, data_type)| key.data_type() == data_type)
            && keys.iter().all(|key| key.len() == keys[0].len());
        if !fit {
            let found: Vec<_> = keys.iter().map(|key| key.data_type().to_string()).collect();
            return Err(Error::invalid_input(format!(
                "expected key columns of the types {:?} and of one length, found {found:?}",
                self.types
            )));
        }
        let normalized = |key: &ArrayRef| -> ArrayRef {
            match key.data_type() {
                DataType::Float32 => {
                    Arc::new(key.as_primitive::<Float32Type>().unary::<_, Float32Type>(|value| value + 0.0))
                }
                DataType::Float64 => {
                    Arc::new(key.as_primitive::<Float64Type>().unary::<_, Float64Type>(|value| value + 0.0))
                }
                _ => Arc::clone(key),
            }
        };
        Ok(keys.iter().map(normalized).collect())
    }
}

impl std::fmt::Debug for KeyIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyIndex")
            .field("types", &self.types)
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}
