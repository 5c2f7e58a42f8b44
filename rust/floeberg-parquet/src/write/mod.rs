//! How are Parquet files written?
//!
//! In: rows as they are stored. Out: files, and what is said of their columns. Columns are encoded on several threads.

mod columns;
mod dictionaries;
mod options;
mod output;
mod shredded;
mod schema;
mod stored;
mod leaf;
mod typed_leaves;
mod leaves;
mod sorting;
mod levels;
mod shredding;
mod layout;
mod metrics;
mod writer;
mod file_layout;

pub use file_layout::layout;
pub(crate) use layout::ParquetLayout;
pub use options::check_properties;
pub(crate) use stored::stored_columns;
pub(crate) use writer::{GroupColumn, ParquetWriter};
