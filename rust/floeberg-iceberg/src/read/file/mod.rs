//! How is a Parquet file opened?

mod fence;
mod fields;
mod footer;
mod open;

pub(crate) use fence::fence;
pub use fence::hush_fenced_panics;
pub(crate) use fields::{FileField, FileFields};
pub(crate) use footer::{Tail, read_footer};
pub(crate) use open::OpenFile;
