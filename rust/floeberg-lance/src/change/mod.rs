//! Which operation does what is wanted?
//!
//! In: a version, and what a user wants: new files, columns, settings. Out: an operation that can be committed.
//!
//! Invariant: what an operation needs is checked here, before anything is committed. No file is opened.

mod rows;
mod columns;
mod settings;
mod compaction;

pub use columns::{NewColumn, add_columns, alter_columns, drop_columns};
pub use compaction::{CompactionGroup, compact, drop_indices, plan_compaction};
pub use rows::{NewFile, append, delete, overwrite, update};
pub use settings::{update_config, update_metadata};
