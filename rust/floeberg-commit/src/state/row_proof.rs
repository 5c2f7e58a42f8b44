//! What proves that a repair leaves the rows as they are?
//!
//! Invariant: two checksums are of one release, and equal if the rows are.

use floeberg_core::{Error, Result};

/// Rows of files, in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowsOfFiles {
    /// How many.
    pub rows: u64,
    /// The sum of a hash of each.
    pub checksum: u128,
}

impl RowsOfFiles {
    /// Adds rows.
    pub fn add(&mut self, other: Self) {
        self.rows = self.rows.saturating_add(other.rows);
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

/// The rows of files that a scan reads in another way after a repair. All other files are read as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowProof {
    /// How many files were read both ways.
    pub files: u64,
    /// Files that cannot be read before, whose rows no scan gave.
    pub unread_files: u64,
    /// Could a scan be planned before? If not, it gave no rows.
    pub is_planned_before: bool,
    /// Their rows before.
    pub before: RowsOfFiles,
    /// Their rows after.
    pub after: RowsOfFiles,
}

impl Default for RowProof {
    fn default() -> Self {
        let none = RowsOfFiles::default();
        Self { files: 0, unread_files: 0, is_planned_before: true, before: none, after: none }
    }
}

impl RowProof {
    /// Are the rows others?
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }

    /// Errors: `InvalidData` where the rows are others.
    pub fn check(&self) -> Result<()> {
        if !self.is_changed() {
            return Ok(());
        }
        Err(Error::invalid_data(format!(
            "the repair would change which rows a scan gives: expected {} rows with the checksum {:032x} in {} files, found \
             {} rows with the checksum {:032x}. allow_changed_rows=True mends it all the same",
            self.before.rows, self.before.checksum, self.files, self.after.rows, self.after.checksum
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_rows_are_an_error_that_says_both_numbers() {
        let rows = |rows, checksum| RowsOfFiles { rows, checksum };
        let same = RowProof { files: 1, before: rows(2, 7), after: rows(2, 7), ..RowProof::default() };
        assert!(same.check().is_ok());
        for after in [rows(1, 7), rows(2, 8)] {
            let message = RowProof { after, ..same }.check().map_err(|error| error.message().to_owned());
            assert!(
                message
                    .is_err_and(|text| text.contains("expected 2 rows") && text.contains("0007 in 1 files"))
            );
        }
    }

    #[test]
    fn a_row_that_is_there_twice_counts_twice() {
        let mut one = RowsOfFiles::default();
        one.add(RowsOfFiles { rows: 1, checksum: u128::MAX });
        let mut two = one;
        two.add(one);
        assert_eq!(two, RowsOfFiles { rows: 2, checksum: u128::MAX - 1 });
        assert_ne!(one, two);
    }
}
