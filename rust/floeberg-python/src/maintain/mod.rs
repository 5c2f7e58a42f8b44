//! Which files of a table may go, and which are worth writing again, for Python.

pub mod compaction;
pub mod orphans;
pub mod unneeded;
