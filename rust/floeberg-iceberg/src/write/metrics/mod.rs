//! What is said of the columns of a file?

mod modes;
mod truncate;

pub(crate) use modes::check_metrics_mode;
pub(super) use modes::{Mode, Modes};
pub(super) use truncate::{shorter_lower, shorter_upper};
