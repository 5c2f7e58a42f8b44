//! Which rows did a range of versions insert, delete and update?
//!
//! - `row_places`: what says which rows fragments have.
//! - `changed_rows`: the rows that differ between two versions.
//! - `changelog`: what is read of changes.
//! - `changelog_stream`: batches of changed rows.

mod row_places;
mod changed_rows;
mod changelog;
mod changelog_stream;

pub(crate) use changed_rows::made_by;
pub use changed_rows::{ChangedRows, Compared};
pub use changelog::Changelog;
pub use changelog_stream::ChangelogStream;
pub(crate) use row_places::{RowPlaces, paired};
