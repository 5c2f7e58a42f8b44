//! How do several workers find the rows that differ between two snapshots?
//!
//! ```text
//! task      files of one snapshot alone, or of both with other deletes; what is read of them   ->  bytes
//! changes   a task whose rows only came, or only went                                          ->  rows of the difference
//! spread    the rows of a task that came or went, in pieces: by key, row id or values          ->  exchanged by the engine
//! matched   all pieces of some places, by one worker                                           ->  rows of the difference
//! ```
//!
//! A module uses only modules that are declared before it.
//!
//! - `task`: files with all that reading them needs, as bytes.
//! - `reading`: the rows of a task.
//! - `changes`: rows that are matched with no others.
//! - `spread`: rows in pieces.
//! - `kept`: rows that wait, in memory or in a temporary file.
//! - `matched`: pieces to rows of the difference.
//!
//! Invariant: the rows are those of [`Difference`](crate::Difference). Rows that can be one row are in one place.

mod task;
mod reading;
mod changes;
mod spread;
mod kept;
mod matched;

pub use changes::TaskChanges;
pub use matched::MatchedChanges;
pub use spread::SpreadChanges;
pub use task::{DifferenceTask, DifferenceTasks};
