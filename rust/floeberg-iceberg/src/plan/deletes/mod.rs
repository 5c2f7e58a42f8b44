//! Which deletes apply to each data file?

mod by_path;
mod by_sequence;
pub(super) mod indexed_delete;
pub(super) mod intervals;
pub(super) mod key_stats;
mod equality_list;
mod position_list;
pub(super) mod index;
pub(super) mod index_cache;
pub(super) mod attach;
pub(super) mod delete_files;
