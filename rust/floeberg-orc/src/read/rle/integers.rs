//! Integers, as many as requested.
//!
//! Invariant: memory grows with the integers that were read, never by a claimed count.

use floeberg_core::Result;

use super::runs::Runs;
use crate::read::stream::ByteStream;

/// Integers, in order.
pub(crate) struct Integers {
    runs: Runs,
    second: bool,
    /// The run that was begun.
    run: Vec<i64>,
    /// How much of it was read.
    read: usize,
}

impl Integers {
    /// Integers of a stream, in the second version of the encoding or in the first.
    pub(crate) fn new(stream: ByteStream, signed: bool, second: bool) -> Self {
        Self { runs: Runs::new(stream, signed), second, run: Vec::new(), read: 0 }
    }

    /// The next integers.
    pub(crate) fn read(&mut self, count: usize) -> Result<Vec<i64>> {
        let mut values = Vec::new();
        while values.len() < count {
            if self.read == self.run.len() {
                self.run.clear();
                self.read = 0;
                if self.second { self.runs.second(&mut self.run) } else { self.runs.first(&mut self.run) }?;
            }
            let end = self.run.len().min(self.read + count - values.len());
            values.extend_from_slice(&self.run[self.read..end]);
            self.read = end;
        }
        Ok(values)
    }
}
