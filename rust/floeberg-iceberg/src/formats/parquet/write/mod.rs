//! How are Parquet files written?

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
mod shredding;
mod layout;
mod metrics;
mod writer;
mod file_layout;

pub(crate) use file_layout::layout;
#[cfg(test)]
pub(crate) use layout::COLUMN_MEMORY;
pub(crate) use options::check_parquet_properties;
