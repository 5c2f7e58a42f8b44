//! How are ORC files read?
//!
//! Stripe by stripe; deletes and a filter are applied to what is decoded. The format itself is `floeberg-orc`'s.

mod open;
mod reader;

pub(crate) use open::OrcFile;
