#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adding;
mod appends;
mod creation;
mod deletes;
mod faults;
mod isolation;
mod keys;
mod kit;
mod meanwhile;
mod old_tables;
mod reachable;
mod references;
mod removals;
mod replacing;
mod retries;
mod row_commands;
mod row_deletes;
mod row_overwrites;
mod row_positions;
mod row_deltas;
mod schemas;
mod sequences;
mod structure;
mod manifest_options;
mod updates;
mod writers;
