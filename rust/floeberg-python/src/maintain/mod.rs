//! Which files of a table may go, which are worth writing again, and what statistics say, for Python.

pub mod check;
pub mod compaction;
pub mod copies;
pub mod diff;
pub mod diff_tasks;
pub mod two_tables;
pub mod orphans;
pub mod paths;
pub mod rebuild;
pub mod repair;
pub mod statistics;
pub mod unneeded;
