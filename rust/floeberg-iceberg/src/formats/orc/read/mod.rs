//! How are ORC files read?
//!
//! Stripe by stripe; deletes and a filter are applied to decoded batches. The format itself is in `floeberg-orc`.

mod open;
mod reader;

pub(crate) use open::OrcFile;
