//! Rows to data files, and deleted rows to delete files.

mod derived;
mod row_order;
mod conform;
mod formats;
mod options;
mod locations;
mod receipt;
mod encode;
mod sort;
mod partitioner;
mod layout;
mod recipe;
mod range_keys;
mod progress;
mod fanout;
mod writer;
mod group_copier;
mod rows_file;
mod deletes;

#[cfg(test)]
mod tests;

pub use conform::{Matching, columns_to_add};
pub use deletes::{
    DeleteRecipe, DeletedPositions, EqualityWriter, KeyRecipe, write_positions, write_vectors,
};
pub(crate) use deletes::{of_delete_files, position_schema};
pub(crate) use encode::end_unit;
pub(crate) use fanout::take_room;
pub use fanout::with_metrics;
pub use floeberg_parquet::{CopyLayout, StoredFile, StoredGroup};
pub use formats::check_write_property;
pub(crate) use formats::layout as layout_of;
pub use group_copier::GroupCopier;
pub(crate) use layout::ordered_column;
pub(crate) use options::{of_other_columns, properties_of};
pub use progress::WriteProgress;
pub use range_keys::RangeKeys;
pub use receipt::{Purpose, Receipt, WrittenFile};
pub use recipe::WriteRecipe;
pub use row_order::{RowOrder, ZOrder};
pub(crate) use rows_file::RowsFile;
pub use writer::{WriteTask, Writer};
