//! Which rows of data files does an operation change, and which files replace them?
//!
//! - `affected`: the data files that may hold such rows, by metadata.
//! - `matched`: the positions of the rows, by reading the columns of the filter.
//! - `rebase_rows`: where rows are that others wrote again since.
//! - `delete_files`: the rows that delete files delete.
//! - `merged_on_read`: delete files for them.
//! - `delete_groups`: delete files that stand for others, written here or by another process.
//! - `copying`: what copying rows takes, in any process.
//! - `copied_groups`: row groups of files whose rows all stay, copied as bytes.
//! - `rewrite_rows`: the other rows of their files, written again.
//! - `group_copy`: the same, by another process.
//! - `row_proof`: whether rows are the same before and after manifests are mended.
//! - `vector_names`: whether a deletion vector is of the data file that its entry names.
//! - `row_change`: one of both, and how many rows change.

mod affected;
mod matched;
mod rebase_rows;
mod delete_files;
mod merged_on_read;
mod delete_groups;
mod copying;
mod copied_groups;
mod rewrite_rows;
mod group_copy;
mod row_proof;
mod vector_names;
mod row_change;

pub(crate) use affected::{Affected, affected, with_live_data};
pub(crate) use delete_files::{HitFiles, hit_by, is_one_of, listed_delete_file, of_live_deletes};
pub use delete_groups::{DeleteGroup, write_group_deletes};
pub(crate) use delete_groups::{Unit, by_unit, in_groups, joined, units, write_units};
pub use group_copy::{GroupCopy, copy_group};
pub(crate) use matched::{
    Matched, any_match, any_with_key, data_file, live_at, lost_rows_since, matched, whole_files, with_deletes,
};
pub(crate) use merged_on_read::{delete_file, replaced_by_new};
pub(crate) use rebase_rows::{RebasedRows, rebase_rows};
pub(crate) use rewrite_rows::{rewrite_rows, unchecked};
pub(crate) use row_change::{RowChange, counted, row_change};
pub(crate) use row_proof::row_proof;
pub use vector_names::why_vector_stays;
