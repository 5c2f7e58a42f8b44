//! Which files of a table may go, for Python.

pub mod orphans;
pub mod unneeded;
