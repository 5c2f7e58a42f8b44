//! What was read so far, as columns?
//!
//! Columns lie flat in one list; a nested column names its children by their positions.
//!
//! Invariant: after every record all top-level columns have one length, and a struct's children have the struct's.

use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder};
use floeberg_core::{Error, Result};

/// The most bytes to reserve for a column on a claim of how many rows follow.
const MOST_BYTES: usize = 16 << 20;

/// A column under construction.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) values: Values,
    pub(super) validity: NullBufferBuilder,
}

/// The gathered values, by kind.
#[derive(Debug)]
pub(super) enum Values {
    Null(usize),
    Boolean(BooleanBufferBuilder),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Decimal(Vec<i128>),
    /// Strings and binaries.
    Bytes(Offsets, Vec<u8>),
    Fixed(usize, Vec<u8>),
    /// Children.
    Struct(Vec<usize>),
    /// Lists and maps; items are in the children.
    Items(Offsets),
    /// A map with single wanted keys: rows so far, then keys (ascending) with their columns.
    Keyed(usize, Vec<(i32, usize)>),
}

/// Where values of different lengths end.
#[derive(Debug)]
pub(super) struct Offsets(pub(super) Vec<i32>);

impl Default for Offsets {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl Offsets {
    #[inline]
    pub(super) fn push(&mut self, end: usize) -> Result<()> {
        let Ok(end) = i32::try_from(end) else { return Err(column_full()) };
        self.0.push(end);
        Ok(())
    }

    #[inline]
    pub(super) fn repeat(&mut self) {
        self.0.push(self.0.last().copied().unwrap_or(0));
    }
}

#[cold]
fn column_full() -> Error {
    Error::limit("a column decoded from Avro passes 2147483647 bytes or items in one batch")
}

impl Column {
    pub(super) fn new(values: Values) -> Self {
        Self { values, validity: NullBufferBuilder::new(0) }
    }

    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        let values = match &self.values {
            Values::Null(_) | Values::Struct(_) | Values::Keyed(..) => 0,
            Values::Boolean(values) => values.len() / 8,
            Values::Int32(values) => values.len() * 4,
            Values::Int64(values) => values.len() * 8,
            Values::Float32(values) => values.len() * 4,
            Values::Float64(values) => values.len() * 8,
            Values::Decimal(values) => values.len() * 16,
            Values::Bytes(offsets, data) => offsets.0.len() * 4 + data.len(),
            Values::Fixed(_, data) => data.len(),
            Values::Items(offsets) => offsets.0.len() * 4,
        };
        values + self.len() / 8
    }

    /// Makes room for this many more rows, beside the bytes of their values.
    pub(super) fn reserve(&mut self, rows: usize) {
        match &mut self.values {
            Values::Null(_) | Values::Boolean(_) | Values::Struct(_) | Values::Keyed(..) => {}
            Values::Int32(values) => values.reserve_exact(rows),
            Values::Int64(values) => values.reserve_exact(rows),
            Values::Float32(values) => values.reserve_exact(rows),
            Values::Float64(values) => values.reserve_exact(rows),
            Values::Decimal(values) => values.reserve_exact(rows),
            Values::Bytes(offsets, _) | Values::Items(offsets) => offsets.0.reserve_exact(rows),
            Values::Fixed(width, data) => data.reserve_exact(rows.saturating_mul(*width)),
        }
    }

    /// Makes room for the bytes of this many more rows, as large as those of the first `rows`, up to a limit: the count of rows is only
    /// a claim.
    pub(super) fn reserve_bytes(&mut self, rows: usize, more: usize) {
        if let Values::Bytes(_, data) = &mut self.values
            && let Some(bytes) = data.len().saturating_mul(more).checked_div(rows)
        {
            data.reserve(bytes.min(MOST_BYTES));
        }
    }

    /// Bytes that one row adds, at most, not counting what its value takes in the file beyond a number.
    pub(super) fn row_bytes(&self) -> u64 {
        let bytes = match &self.values {
            Values::Null(_) | Values::Struct(_) | Values::Keyed(..) => 0,
            Values::Boolean(_) => 1,
            Values::Int32(_) | Values::Float32(_) | Values::Bytes(..) | Values::Items(_) => 4,
            Values::Int64(_) | Values::Float64(_) => 8,
            Values::Decimal(_) => 16,
            Values::Fixed(width, _) => *width as u64,
        };
        bytes + 1
    }

    /// How many rows it has.
    pub(super) fn len(&self) -> usize {
        self.validity.len()
    }
}

/// Gives a column one more row, which is null.
pub(super) fn push_null(columns: &mut [Column], index: usize) {
    let column = &mut columns[index];
    column.validity.append_null();
    match &mut column.values {
        Values::Null(rows) => *rows += 1,
        Values::Boolean(values) => values.append(false),
        Values::Int32(values) => values.push(0),
        Values::Int64(values) => values.push(0),
        Values::Float32(values) => values.push(0.0),
        Values::Float64(values) => values.push(0.0),
        Values::Decimal(values) => values.push(0),
        Values::Bytes(offsets, _) | Values::Items(offsets) => offsets.repeat(),
        Values::Fixed(width, values) => values.resize(values.len() + *width, 0),
        Values::Struct(children) => {
            // Taken out and put back: the children are in the same list.
            let children = std::mem::take(children);
            for &child in &children {
                push_null(columns, child);
            }
            columns[index].values = Values::Struct(children);
        }
        Values::Keyed(rows, _) => {
            *rows += 1;
            end_keyed_row(columns, index);
        }
    }
}

/// Adds a null to the columns of map keys that this row did not have.
pub(super) fn end_keyed_row(columns: &mut [Column], index: usize) {
    let Values::Keyed(rows, keys) = &mut columns[index].values else { return };
    let (rows, keys) = (*rows, std::mem::take(keys));
    for &(_, child) in &keys {
        if columns[child].len() < rows {
            push_null(columns, child);
        }
    }
    columns[index].values = Values::Keyed(rows, keys);
}
