//! Which metrics of columns does a file have?
//!
//! In: a table's properties, and what a format's writer counted. Out: counts and bounds, cut as the properties ask for.

mod modes;
mod truncate;
mod file_metrics;

pub use file_metrics::FileMetrics;
pub use modes::{Mode, Modes, check_metrics_mode};
pub use truncate::{shorter_lower, shorter_upper, signed_zero};
