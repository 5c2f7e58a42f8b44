//! Which positions do the rows of a batch have in their file?
//!
//! Invariant: positions ascend, and there is one for each row of the batch.

use arrow_array::Int64Array;
use arrow_buffer::BooleanBuffer;
use floeberg_core::{Error, Result};

/// The positions of the rows of a batch, from 0 at the start of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowPositions {
    /// Not needed.
    Unasked,
    /// One after the other, from this one on.
    From(u64),
    /// These.
    At(Vec<i64>),
}

impl RowPositions {
    /// The positions of the set bits of a mask, whose first bit is this row.
    pub fn of_mask(first: u64, mask: &BooleanBuffer) -> Result<Self> {
        let first = long(first)?;
        Ok(Self::At(mask.set_indices().map(|row| first.saturating_add(row as i64)).collect()))
    }

    /// The positions of the rows that a mask keeps.
    pub fn kept(&self, mask: &BooleanBuffer) -> Result<Self> {
        match self {
            Self::Unasked => Ok(Self::Unasked),
            Self::From(first) => Self::of_mask(*first, mask),
            Self::At(all) => {
                Ok(Self::At(mask.set_indices().filter_map(|row| all.get(row).copied()).collect()))
            }
        }
    }

    /// The positions of the next rows, this many, as an array.
    pub fn array(&self, rows: usize) -> Result<Int64Array> {
        let positions = match self {
            Self::Unasked => return Err(Error::internal("the positions of the rows are not known")),
            Self::From(first) => {
                let first = long(*first)?;
                Int64Array::from_iter_values(first..first.saturating_add(rows as i64))
            }
            Self::At(positions) => Int64Array::from(positions.clone()),
        };
        if positions.len() == rows {
            return Ok(positions);
        }
        Err(Error::internal(format!("a batch of {rows} rows has {} positions", positions.len())))
    }
}

fn long(position: u64) -> Result<i64> {
    i64::try_from(position)
        .map_err(|_| Error::invalid_data(format!("the row position {position} does not fit into 64 bits")))
}
