//! How are ORC files read?
//!
//! Stripe by stripe, without stripes and row groups that statistics or bloom filters rule out; deletes and a filter are applied to decoded batches. The format itself is in `floeberg-orc`.

mod open;
mod pruning;
mod reader;

pub(crate) use open::OrcFile;
