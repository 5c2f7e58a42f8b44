#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codecs;
pub(crate) mod container_file;
mod hostile;
mod nested;
mod oracle;
mod promotion;
mod schemas;
mod skip_plan;
mod block_ranges;
