//! Rows to Parquet files.

mod columns;
mod dictionaries;
mod options;
mod output;
mod shredded;
mod schema;
mod stored;
mod leaves;
mod sorting;
mod typed_leaves;
mod shredding;
mod form;
mod metrics;
mod open_file;

#[cfg(test)]
pub(super) use form::COLUMN_MEMORY;
pub(super) use form::FileForm;
pub(super) use open_file::{ColumnEncoder, OpenFile, Piece};
pub(crate) use options::check_parquet_properties;
