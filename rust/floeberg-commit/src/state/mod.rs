//! What does a commit keep over its attempts, and what does it count?
//!
//! - `snapshot_id`: ids and times of new snapshots.
//! - `row_counts`: how many rows and files an operation changes.
//! - `row_proof`: rows before and after a repair.
//! - `progress`: how far an attempt is.
//! - `summary`: snapshot summaries.
//! - `commit_files`: files of earlier attempts, which the next one uses again or which are removed at the end.
//! - `found_rows_cache`: rows that earlier attempts found.

mod snapshot_id;
mod row_counts;
mod row_proof;
mod progress;
mod summary;
mod commit_files;
mod found_rows_cache;

pub(crate) use commit_files::{CommitFiles, ManifestKey, ManifestWork, RewrittenManifests};
pub(crate) use found_rows_cache::FoundRowsCache;
pub use progress::{Progress, Step};
pub use row_counts::RowCounts;
pub use row_proof::{RowProof, RowsOfFiles};
pub use snapshot_id::now_ms;
pub(crate) use summary::{Counted, Summary, check_properties};
