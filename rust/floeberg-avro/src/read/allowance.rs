//! How much more memory may a file take?
//!
//! Columns grow with the bytes that are read, and also without: by nulls, and by values that take no bytes. Measuring the
//! columns is costly, so it is done after about each megabyte that may have been added, within a record too.
//!
//! Invariant: between two measurements, whatever is added is taken from the allowance first.

use floeberg_core::{Error, Result};

use super::column::Column;
use crate::schema::Limits;

/// Bytes that may be added before the columns are measured again.
const BETWEEN_MEASUREMENTS: u64 = 1 << 20;

/// The remaining limits while records are decoded.
#[derive(Debug)]
pub(super) struct Allowance {
    /// How many more values without bytes are allowed.
    pub(super) empty_left: u64,
    /// Bytes of the columns when they were last measured.
    measured: usize,
    until_measured: u64,
    most: usize,
}

impl Allowance {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            empty_left: limits.empty_values,
            measured: 0,
            until_measured: BETWEEN_MEASUREMENTS,
            most: limits.batch_bytes,
        }
    }

    /// Announces bytes that are about to be added.
    #[inline]
    pub(super) fn spend(&mut self, bytes: u64, columns: &[Column]) -> Result<()> {
        match self.until_measured.checked_sub(bytes) {
            Some(left) => {
                self.until_measured = left;
                Ok(())
            }
            None => self.measure(bytes, columns),
        }
    }

    /// Counts bytes that were read into the columns.
    #[inline]
    pub(super) fn note(&mut self, bytes: u64, columns: &[Column]) -> Result<()> {
        match self.until_measured.checked_sub(bytes) {
            Some(left) => {
                self.until_measured = left;
                Ok(())
            }
            None => self.measure(0, columns),
        }
    }

    /// Adds up what the columns hold, and refuses more bytes than fit.
    #[cold]
    fn measure(&mut self, more: u64, columns: &[Column]) -> Result<()> {
        self.until_measured = BETWEEN_MEASUREMENTS.saturating_sub(more);
        self.measured = columns.iter().map(Column::bytes).sum();
        let most = self.most;
        if (self.measured as u64).saturating_add(more) > most as u64 {
            return Err(Error::limit(format!(
                "the columns decoded from an Avro file pass {most} bytes in one batch"
            )));
        }
        Ok(())
    }

    /// About how many bytes the columns hold.
    pub(super) fn gathered(&self) -> usize {
        self.measured
    }

    /// Says that the columns were emptied.
    pub(super) fn emptied(&mut self) {
        self.measured = 0;
        self.until_measured = BETWEEN_MEASUREMENTS;
    }
}
