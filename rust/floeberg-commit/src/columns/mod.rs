//! Do the columns of an operation and of its files still mean the same?
//!
//! - `fit`: checks that files still fit the table that they are added to.
//! - `seen`: the columns that an operation was made for, and their names now.

mod fit;
mod seen;

pub(crate) use fit::{Columns, check_fit, fits_always};
pub(crate) use seen::{Seen, check_columns, check_names, with_names_of_now};
