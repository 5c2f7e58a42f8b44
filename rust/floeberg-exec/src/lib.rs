//! How is work shared between threads, and how much of the machine may it use?
//!
//! All table formats plan and read with it. No I/O, and no dependency on a format.
//!
//! - `budget`: threads, requests and bytes, from the environment.
//! - `cores`: which threads compute, when some wait for a store.
//! - `threads`: work of a few threads with results in order, as a list or as a stream within a budget of bytes.

pub mod budget;
pub mod cores;
pub mod threads;
