//! Which rows does another process copy for a commit, and how?
//!
//! In: a group of data files as they are on a base, with their deletes. Out: the files of its rows, which the commit takes under the key
//! of the group.
//! Spec: Row Lineage; Column Projection.
//!
//! Invariant: the rows are those that the commit would copy itself, by the same code. Equal keys stand for equal rows.

use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_iceberg::GroupRecipe;
use floeberg_iceberg::write::{Receipt, WriteRecipe, WriteTask};

use super::Matched;
use super::copying::Copying;
use super::rewrite_rows::{columns_to_copy, copy_rows};

/// A group of files whose rows are to be copied.
#[derive(Debug, Clone)]
pub struct GroupCopy {
    /// What the commit knows the copies by.
    pub key: String,
    /// The files, with their deletes.
    pub files: GroupRecipe,
    /// How the rows are written. Its columns are those of the rows, in v3 with their ids.
    pub recipe: WriteRecipe,
}

/// Copies the rows of files, by at most this many threads; `None` uses the budget of the process.
///
/// Errors: those of reading and writing. No file stays after one.
pub fn copy_group(
    files: &GroupRecipe,
    recipe: &WriteRecipe,
    task: WriteTask<'_>,
    threads: Option<usize>,
    cancel: &Cancel,
) -> Result<Receipt> {
    let threads = threads.map_or_else(thread_budget, Ok)?;
    let request = files.with_columns(columns_to_copy(recipe)?).read().request(cancel)?;
    let matched = files.tasks().map(|task| task.map(Matched::none)).collect::<Result<Vec<_>>>()?;
    let copying = Copying { request, store: recipe.store()?, task, threads, cancel };
    copy_rows(copying, matched, recipe, &|_| ())
}
