//! Which deletes apply to each data file?

pub(super) mod attach;
mod by_path;
mod by_sequence;
pub(super) mod delete_files;
mod equality_list;
pub(super) mod index;
pub(super) mod indexed_delete;
pub(super) mod intervals;
pub(super) mod key_stats;
mod position_list;
