#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codecs;
mod hostile;
mod nested;
mod oracle;
mod parsed_schemas;
mod promotion;
mod read;
mod schemas;
mod skip_plan;
mod stored;
mod unknown;
mod block_ranges;
