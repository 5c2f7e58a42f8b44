//! Rows to Parquet files.

mod columns;
mod dictionaries;
mod form;
mod leaves;
mod metrics;
mod open_file;
mod options;
mod output;
mod schema;
mod shredded;
mod shredding;
mod sorting;
mod stored;
mod typed_leaves;

#[cfg(test)]
pub(super) use form::COLUMN_MEMORY;
pub(super) use form::FileForm;
pub(super) use open_file::{ColumnEncoder, OpenFile, Piece};
pub(crate) use options::check_parquet_properties;
