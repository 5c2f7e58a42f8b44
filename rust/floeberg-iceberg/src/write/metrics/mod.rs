//! What is said of the columns of a file?

mod modes;
mod truncate;

pub(super) use modes::{Mode, Modes};
pub(super) use truncate::{shorter_lower, shorter_upper};
