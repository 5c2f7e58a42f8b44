//! What did planning look at, what did it drop and by what, and what is left to read?

pub(super) mod explain;
pub(super) mod to_read;
pub(super) mod verdicts;
pub(super) mod tally;
