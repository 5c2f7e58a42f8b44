//! What does a test need to know about reads and writes, and how does it break them?
//!
//! In: a store. Out: the same store, counted or with faults. For tests: nothing here is used unless an option asks for it.
//!
//! Invariant: without a fault, the wrapped store answers what the inner one does.

mod calls;
mod script;
mod counting;
mod faulty;
#[cfg(test)]
mod tests;

pub use counting::{CountingStore, Counts};
pub use faulty::FaultyStore;
pub use script::Fault;
