//! Rows to data files.

mod derived;
mod encode;
mod form;
mod locations;
mod matching;
mod metrics;
mod open_files;
mod parquet;
mod properties;
mod receipt;
mod recipe;
mod sort;
mod split;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use metrics::check_metrics_mode;
pub(crate) use parquet::check_parquet_properties;

pub use matching::{Matching, columns_to_add};
pub use receipt::{Purpose, Receipt, WrittenFile};
pub use recipe::WriteRecipe;
pub use writer::{WriteTask, Writer};
