//! What is to be done to a table, on any base?
//!
//! Descriptions that cross to other processes as bytes. What they change is decided in `actions`.
//!
//! - `isolation`: isolation levels.
//! - `delete_mode`: copy-on-write or merge-on-read.
//! - `row_command`: the commands that change rows, and their properties.
//! - `row_delta`: data files and delete files to add and to remove.
//! - `sort_order_change`: how a user declares another sort order.
//! - `statistics_change`: how a user changes statistics files.
//! - `expiry`: which snapshots expire.
//! - `rewrite`: which data files are written again.
//! - `rewrite_layout`: the order of their rows, and the partition spec of the new files.
//! - `manifest_rewrite`: which manifests are written again.
//! - `delete_rewrite`: which delete files are written again, or removed.
//! - `repair`: which faults are mended.
//! - `rebuild`: which table is made of what is left of another one.
//! - `operation`: operations on a table, without a base.
//! - `bytes`: operations as bytes, for other processes.

mod isolation;
mod delete_mode;
mod row_command;
mod row_delta;
mod sort_order_change;
mod statistics_change;
mod expiry;
mod rewrite;
mod rewrite_layout;
mod manifest_rewrite;
mod delete_rewrite;
mod repair;
mod rebuild;
mod operation;
mod bytes;

pub(crate) use bytes::version;
pub use delete_mode::DeleteMode;
pub use delete_rewrite::{DeleteRewrite, DeleteRewriteKind};
pub use expiry::Expiry;
pub use isolation::IsolationLevel;
pub use manifest_rewrite::ManifestRewrite;
pub use operation::{NewTable, Operation};
pub use rebuild::{KeptEntries, Rebuild};
pub use repair::{MetadataRepair, Repair};
pub use rewrite::{Rewrite, RewriteSort};
pub(crate) use rewrite_layout::RewriteLayout;
pub use row_command::RowCommand;
pub use row_delta::RowDelta;
pub use sort_order_change::SortOrderChange;
pub use statistics_change::StatisticsChange;
