//! Which value does not fit?

use arrow_schema::ArrowError;
use floeberg_core::Error;

/// Why a batch cannot be written.
#[derive(Debug)]
pub(super) enum Fault {
    /// A value in a row of the checked array.
    At {
        /// The row, from 0.
        row: usize,
        /// The full name of the column.
        column: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something else.
    Other(Error),
}

impl Fault {
    /// The same fault, with the row of a parent array.
    pub(super) fn in_row(self, parent: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::At { row, column, why } => Self::At { row: parent(row), column, why },
            Self::Other(error) => Self::Other(error),
        }
    }

    /// The error, for a batch whose first row is this one of all rows.
    pub(super) fn into_error(self, first_row: u64) -> Error {
        match self {
            Self::At { row, column, why } => {
                Error::invalid_input(format!("a value does not fit its column: it {why}"))
                    .with("column", column)
                    .with("row", first_row.saturating_add(row as u64))
            }
            Self::Other(error) => error,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// An error of Arrow, although everything was checked before.
impl From<ArrowError> for Fault {
    fn from(failure: ArrowError) -> Self {
        Self::Other(Error::invalid_input("the columns of a batch do not fit the table").caused_by(failure))
    }
}
