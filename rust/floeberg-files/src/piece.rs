//! Which rows wait to be encoded?
//!
//! They are in the columns that a file stores, with the number of bytes that they take, about.

use arrow_array::{Array, ArrayRef};

/// Rows, as the columns that a file stores.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The columns, of equal length.
    pub columns: Vec<ArrayRef>,
    /// How many rows there are.
    pub rows: usize,
    /// About how many bytes they take.
    pub bytes: u64,
}

impl Piece {
    /// Rows of stored columns.
    pub fn of_columns(columns: Vec<ArrayRef>, rows: usize) -> Self {
        Self { bytes: bytes_of(&columns), columns, rows }
    }

    /// Some of the rows. They share the memory.
    pub fn slice(&self, start: usize, rows: usize) -> Self {
        let columns: Vec<_> = self.columns.iter().map(|column| column.slice(start, rows)).collect();
        Self::of_columns(columns, rows)
    }
}

/// Bytes of the rows themselves, without unused memory of their buffers.
fn bytes_of(columns: &[ArrayRef]) -> u64 {
    let of_column = |column: &ArrayRef| {
        let data = column.to_data();
        data.get_slice_memory_size().unwrap_or_else(|_| data.get_array_memory_size()) as u64
    };
    columns.iter().map(of_column).sum()
}
