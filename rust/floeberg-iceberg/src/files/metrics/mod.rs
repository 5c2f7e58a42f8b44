//! Which metrics of columns does a file have?

mod modes;
mod truncate;
mod file_metrics;

pub(crate) use file_metrics::FileMetrics;
pub(crate) use modes::{Mode, Modes, check_metrics_mode};
pub(crate) use truncate::{shorter_lower, shorter_upper};
