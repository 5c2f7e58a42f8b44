//! How is work shared out to threads, and how much of the machine may it take?
//!
//! What every table format's plans and rows run on. No I/O, and nothing of a format.
//!
//! - `budget`: threads and bytes, from the environment.
//! - `threads`: work of a few threads with results in order, as a list or as a stream within a budget of bytes.

pub mod budget;
pub mod threads;
