//! Which rows have the same values in all columns, nested ones included?
//!
//! In: Arrow columns of any type of a table. Out: for each row a number of 128 bits.
//!
//! Invariant: rows of equal values have equal numbers. Rows of different values have different ones, unless two hashes of 64
//! bits both collide, whose seeds are random unless numbers are shared. Null equals null, and floats are compared as in [`super::columns`].

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::columns::KeyColumn;
use super::hashing::Hashing;
use crate::error::{Error, Result};

/// Numbers rows by their values. Numbers of one value can be compared, and those of different ones cannot, but for shared ones.
#[derive(Clone, Default)]
pub struct RowHashes {
    hashings: [Hashing; 2],
}

impl RowHashes {
    /// With numbers that are the same in all processes of one release, and which files can therefore be made to share.
    pub fn shared() -> Self {
        Self { hashings: [Hashing::seeded(1), Hashing::seeded(2)] }
    }

    /// The numbers of the rows of some columns of equal length.
    ///
    /// Errors: `Internal` for an Arrow type that no column of a table is read as.
    pub fn of(&self, columns: &[ArrayRef], rows: usize) -> Result<Vec<u128>> {
        let mut hashes = [vec![0; rows], vec![0; rows]];
        for column in columns {
            if column.len() != rows {
                let found = column.len();
                return Err(Error::internal(format!("a column of {found} rows is beside {rows}")));
            }
            match column.data_type() {
                DataType::Struct(_) | DataType::List(_) | DataType::Map(_, _) => {
                    for (hashing, hashes) in self.hashings.iter().zip(&mut hashes) {
                        fold(hashing, column, hashes)?;
                    }
                }
                _ => {
                    let values = KeyColumn::new(column)?;
                    for (hashing, hashes) in self.hashings.iter().zip(&mut hashes) {
                        values.hash(hashing, 0, hashes);
                    }
                }
            }
        }
        let [lows, highs] = hashes;
        Ok(lows.into_iter().zip(highs).map(|(low, high)| u128::from(high) << 64 | u128::from(low)).collect())
    }
}

/// Hashes the values of a column after those of other columns, whose hashes are given.
fn fold(hashing: &Hashing, column: &ArrayRef, hashes: &mut [u64]) -> Result<()> {
    if column.len() != hashes.len() {
        return Err(Error::internal(format!("a column of {} rows is beside {}", column.len(), hashes.len())));
    }
    let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
    match column.data_type() {
        DataType::Struct(_) => {
            let mut own = vec![0; column.len()];
            for child in column.as_struct().columns() {
                fold(hashing, child, &mut own)?;
            }
            each(hashing, nulls, hashes, |hash, row| hashing.next_fixed(hash, &own[row].to_le_bytes()));
        }
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            fold_lists(hashing, list.value_offsets(), list.values(), nulls, hashes)?;
        }
        DataType::Map(_, _) => {
            let map = column.as_map();
            let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
            fold_lists(hashing, map.value_offsets(), &entries, nulls, hashes)?;
        }
        _ => KeyColumn::new(column)?.hash(hashing, 0, hashes),
    }
    Ok(())
}

fn fold_lists(
    hashing: &Hashing,
    offsets: &[i32],
    values: &ArrayRef,
    nulls: Option<&NullBuffer>,
    hashes: &mut [u64],
) -> Result<()> {
    let mut own = vec![0; values.len()];
    fold(hashing, values, &mut own)?;
    each(hashing, nulls, hashes, |hash, row| {
        let values = &own[offsets[row] as usize..offsets[row + 1] as usize];
        let counted = hashing.next_fixed(hash, &(values.len() as u64).to_le_bytes());
        values.iter().fold(counted, |hash, value| hashing.next_fixed(hash, &value.to_le_bytes()))
    });
    Ok(())
}

/// The values of null rows are ignored: they may be anything.
fn each(hashing: &Hashing, nulls: Option<&NullBuffer>, hashes: &mut [u64], next: impl Fn(u64, usize) -> u64) {
    for (row, hash) in hashes.iter_mut().enumerate() {
        let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
        *hash = if is_null { hashing.next_null(*hash) } else { next(*hash, row) };
    }
}
