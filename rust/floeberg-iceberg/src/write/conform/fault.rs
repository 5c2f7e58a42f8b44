//! Which value of an append does not fit?

use floeberg_core::Error;
use floeberg_rows::{Fault, Why};

/// The error of a fault, in a batch whose first row is this one of all rows.
pub(super) fn append_error(fault: Fault, first_row: u64) -> Error {
    let (row, column, why) = match fault {
        Fault::At { row, column, why } => (row, column, why),
        Fault::Other(error) => return error,
    };
    let why = match why {
        Why::Null => "is null, and the column is required: fill it, or make the column optional".to_owned(),
        Why::Rounded(kind, value) => format!("is {value}, which {kind} cannot hold: round it first"),
        Why::Unfit(_, why) => why,
    };
    Error::invalid_input(format!("a value does not fit its column: it {why}"))
        .with("column", column)
        .with("row", first_row.saturating_add(row as u64))
}
