//! Tables to plan, and what the benches of Rust and of Python share.
//!
//! `bin/planning_table.rs` writes the tables, `bin/inflate_floor.rs` is the floor that planning them is held against.

pub mod arguments;
pub mod blocks;
pub mod planning;
