//! What does a commit keep over its attempts, and what does it count?
//!
//! - `snapshot_id`: ids and times of new snapshots.
//! - `row_counts`: how many rows and files an operation changes.
//! - `progress`: how far an attempt is.
//! - `summary`: snapshot summaries.
//! - `commit_files`: files of earlier attempts, which the next one uses again or which are removed at the end.
//! - `known_rows`: rows that earlier attempts found.

mod snapshot_id;
mod row_counts;
mod progress;
mod summary;
mod commit_files;
mod known_rows;

pub(crate) use commit_files::{CommitFiles, ManifestKey, ManifestWork, RewrittenManifests};
pub(crate) use known_rows::KnownRows;
pub use progress::{Progress, Step};
pub use row_counts::RowCounts;
pub(crate) use snapshot_id::now_ms;
pub(crate) use summary::{Counted, Summary, check_properties};
