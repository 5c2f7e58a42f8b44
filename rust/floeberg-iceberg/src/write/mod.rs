//! Rows to data files.

mod derived;
mod matching;
mod properties;
mod locations;
mod metrics;
mod receipt;
mod parquet;
mod encode;
mod sort;
mod split;
mod form;
mod recipe;
mod open_files;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use metrics::check_metrics_mode;
pub(crate) use parquet::check_parquet_properties;

pub use matching::{Matching, columns_to_add};
pub use receipt::{Purpose, Receipt, WrittenFile};
pub use recipe::WriteRecipe;
pub use writer::{WriteTask, Writer};
