//! What does a file that is being written offer, whatever its format?
//!
//! Rules that every [`FileWriter`] keeps:
//! 1. Rows are stored in the order in which they are given.
//! 2. Encoding and ending a unit are handed out as work. Each part may run on any thread, beside the others; all parts run
//!    before the next call. The file does not depend on how many threads there are.
//! 3. Encoded data stays in memory until [`FileWriter::write_unit`] writes it.
//! 4. The file is durable once [`FileWriter::finish`] returns. A file that is dropped earlier is removed by its sink.
//! 5. Errors name the file; after an error it is not used any more.
//! 6. A call is for a file or for many rows, never for a row or a value.

use floeberg_core::Result;

use super::metrics::FileMetrics;
use super::piece::Piece;

/// Work that any thread may do.
pub type Work<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

/// Rows that wait to be encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub rows: u64,
    /// About how many bytes they take in memory.
    pub bytes: u64,
}

impl Waiting {
    /// Of pieces.
    pub fn of(pieces: &[Piece]) -> Self {
        let add = |sum: Self, piece: &Piece| Self {
            rows: sum.rows + piece.rows as u64,
            bytes: sum.bytes + piece.bytes,
        };
        pieces.iter().fold(Self::default(), add)
    }
}

/// A file that is being written. The rules are in the module's documentation.
pub trait FileWriter: Send {
    /// Its location.
    fn location(&self) -> &str;

    /// About how many bytes it has, including encoded data that is not written yet.
    fn size(&self) -> u64;

    /// About how many bytes of memory its unit takes.
    fn memory(&self) -> u64;

    /// About how many bytes of memory it takes, beside its values.
    fn file_memory(&self) -> u64;

    /// How many of the waiting rows to encode next, at least one: as many as the unit has room for, and the file up to a size.
    fn room(&self, waiting: Waiting, file_size: u64) -> u64;

    /// Is the unit as large as the table asks for?
    fn is_unit_full(&self) -> bool;

    /// The work of encoding further rows into the unit.
    fn encode<'a>(&'a mut self, rows: &'a [Piece]) -> Result<Vec<Work<'a>>>;

    /// The work of ending the unit.
    fn end_unit(&mut self) -> Result<Vec<Work<'_>>>;

    /// Writes the unit that was ended, if it has rows.
    fn write_unit(&mut self) -> Result<()>;

    /// Ends the file. Its last unit must have been written.
    fn finish(self: Box<Self>) -> Result<FileMetrics>;
}

/// How many rows fit into the remaining size, judged by the rows and bytes so far.
pub fn rows_for(left: u64, bytes: u64, rows: u64) -> u64 {
    let row_size = bytes as f64 / rows.max(1) as f64;
    (left as f64 / row_size.max(f64::MIN_POSITIVE)) as u64
}
