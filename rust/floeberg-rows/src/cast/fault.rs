//! Which value does not fit?

use arrow_schema::ArrowError;
use floeberg_core::Error;

use super::names::quoted;

/// Why an array cannot be converted.
#[derive(Debug)]
pub enum Fault {
    /// A value in a row of the checked array.
    At {
        /// The row, from 0.
        row: usize,
        /// The full name of the column.
        column: String,
        /// What is wrong with the value.
        why: Why,
    },
    /// Something else.
    Other(Error),
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is null, and the column is required.
    Null,
    /// The nearest value of the type is another one: the type and the value.
    Rounded(String, String),
    /// The rest of a sentence about it: `is 300, and the column is int8`, with the type.
    Unfit(String, String),
}

impl Fault {
    /// A value that does not fit: the rest of a sentence about it.
    pub fn unfit(row: usize, column: &str, kind: &str, why: impl Into<String>) -> Self {
        Self::At { row, column: column.to_owned(), why: Why::Unfit(kind.to_owned(), why.into()) }
    }

    /// The same fault, with the row of a parent array.
    #[must_use]
    pub fn in_row(self, parent: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::At { row, column, why } => Self::At { row: parent(row), column, why },
            Self::Other(error) => Self::Other(error),
        }
    }

    /// The error about a new value of a column.
    pub(crate) fn of_new_value(self) -> Error {
        let (row, column, why) = match self {
            Self::At { row, column, why } => (row, quoted(&column), why),
            Self::Other(error) => return error,
        };
        let message = match why {
            Why::Null => format!("the column {column} is required, and a new value is null"),
            Why::Rounded(kind, value) => format!(
                "a new value of {column} would be rounded: {kind} cannot hold {value}. Round it yourself: in rows with a \
                 cast of their library, in SQL text with CAST(... AS ...)"
            ),
            Why::Unfit(kind, why) => {
                format!("a new value of {column} does not fit its type, {kind}: it {why}")
            }
        };
        Error::invalid_input(message).with("row", row)
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
