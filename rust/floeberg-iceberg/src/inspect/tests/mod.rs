#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod data_file;
mod names;
mod readable_metrics;
