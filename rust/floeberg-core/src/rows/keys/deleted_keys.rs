//! Which rows have a deleted key?
//!
//! In: rows of delete files, with sequence numbers; then rows of data files. Out: which of these are deleted.
//! Spec: Equality Delete Files; Scan Planning.
//!
//! Invariant: a row is deleted if and only if its key was added with a sequence number greater than its own.

use std::fmt;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

use super::columns::{KeyColumn, Values, width_of};
use super::fixed_keys::FixedKeys;
use super::hashing::Hashing;
use super::numbers::Numbers;
use super::row_keys::RowKeys;
use crate::error::{Error, Result};

/// Keys that equality deletes delete, each with the newest data sequence number that deletes it.
///
/// Null equals null. Floats are equal if their bits are, and all NaN are equal: -0.0 is not 0.0, as in Java.
pub struct DeletedKeys {
    types: Vec<DataType>,
    hashing: Hashing,
    numbers: Numbers,
    keys: Keys,
}

/// Keys by the form of their columns.
enum Keys {
    Four(FixedKeys<4>),
    Eight(FixedKeys<8>),
    Sixteen(FixedKeys<16>),
    Rows(RowKeys),
}

impl DeletedKeys {
    /// No keys yet, of columns of Arrow types: those of a table's primitive types.
    ///
    /// Errors: `Unsupported` for types that cannot be keys, `InvalidInput` without a column.
    pub fn new(types: Vec<DataType>) -> Result<Self> {
        let widths = types.iter().map(width_of).collect::<Result<Vec<_>>>()?;
        let keys = match widths.as_slice() {
            [] => return Err(Error::invalid_input("a key has no columns, expected at least one")),
            [4] => Keys::Four(FixedKeys::new()),
            [8] => Keys::Eight(FixedKeys::new()),
            [16] => Keys::Sixteen(FixedKeys::new()),
            _ => Keys::Rows(RowKeys::default()),
        };
        Ok(Self { types, hashing: Hashing::default(), numbers: Numbers::default(), keys })
    }

    /// Adds rows of keys: arrays of exactly the types, of equal lengths. The number of a key that is known becomes the
    /// greater of the two.
    ///
    /// Errors: `InvalidInput` for other arrays, `LimitExceeded` where memory ends.
    pub fn insert(&mut self, keys: &[ArrayRef], sequence_number: i64) -> Result<()> {
        let (columns, rows) = self.columns(keys)?;
        if rows == 0 {
            return Ok(());
        }
        let (hashing, number) = (&self.hashing, self.numbers.code(&self.hashing, sequence_number)?);
        let (numbers, nulls) = (&self.numbers, columns[0].nulls);
        match (&mut self.keys, &columns[0].values) {
            (Keys::Four(keys), Values::Four(values)) => keys.insert(hashing, values, nulls, numbers, number),
            (Keys::Eight(keys), Values::Eight(values)) => {
                keys.insert(hashing, values, nulls, numbers, number)
            }
            (Keys::Sixteen(keys), Values::Sixteen(values)) => {
                keys.insert(hashing, values, nulls, numbers, number)
            }
            (Keys::Rows(keys), _) => keys.insert(hashing, &columns, rows, numbers, number),
            _ => Err(Error::internal("keys do not have the width of their map")),
        }
    }

    /// How many different keys.
    pub fn len(&self) -> usize {
        match &self.keys {
            Keys::Four(keys) => keys.len(),
            Keys::Eight(keys) => keys.len(),
            Keys::Sixteen(keys) => keys.len(),
            Keys::Rows(keys) => keys.len(),
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the keys hold.
    pub fn memory(&self) -> usize {
        let keys = match &self.keys {
            Keys::Four(keys) => keys.memory(),
            Keys::Eight(keys) => keys.memory(),
            Keys::Sixteen(keys) => keys.memory(),
            Keys::Rows(keys) => keys.memory(),
        };
        keys + self.numbers.memory()
    }

    /// Marks the deleted rows of a data file: a delete has their key and a greater sequence number than the file. A
    /// set bit is a deleted row.
    ///
    /// Errors: `InvalidInput` for arrays of other types or of different lengths.
    pub fn deleted(&self, keys: &[ArrayRef], data_sequence_number: i64) -> Result<BooleanBuffer> {
        let than = data_sequence_number;
        let (columns, rows) = self.columns(keys)?;
        if rows == 0 || !self.numbers.any_is_newer(than) {
            return Ok(BooleanBuffer::new_unset(rows));
        }
        let (hashing, numbers, nulls) = (&self.hashing, &self.numbers, columns[0].nulls);
        match (&self.keys, &columns[0].values) {
            (Keys::Four(keys), Values::Four(values)) => {
                Ok(keys.deleted(hashing, values, nulls, numbers, than))
            }
            (Keys::Eight(keys), Values::Eight(values)) => {
                Ok(keys.deleted(hashing, values, nulls, numbers, than))
            }
            (Keys::Sixteen(keys), Values::Sixteen(values)) => {
                Ok(keys.deleted(hashing, values, nulls, numbers, than))
            }
            (Keys::Rows(keys), _) => Ok(keys.deleted(hashing, &columns, rows, numbers, than)),
            _ => Err(Error::internal("keys do not have the width of their map")),
        }
    }

    /// The columns of rows of keys, and how many rows there are.
    fn columns<'a>(&self, keys: &'a [ArrayRef]) -> Result<(Vec<KeyColumn<'a>>, usize)> {
        let found: Vec<_> = keys.iter().map(|column| column.data_type().clone()).collect();
        if found != self.types {
            let expected = &self.types;
            return Err(Error::invalid_input(format!(
                "expected keys of types {expected:?}, found {found:?}"
            )));
        }
        let rows = keys.first().map_or(0, Array::len);
        if keys.iter().any(|column| column.len() != rows) {
            return Err(Error::invalid_input("the columns of keys are of different lengths"));
        }
        let columns = keys.iter().map(KeyColumn::new).collect::<Result<_>>()?;
        Ok((columns, rows))
    }
}

impl fmt::Debug for DeletedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeletedKeys")
            .field("types", &self.types)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
