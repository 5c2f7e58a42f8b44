//! Where bytes come from and go to: locations, options, stores, ranged reads, listings, durable writes.

pub mod location;
mod options;
mod process_slot;
pub mod renewal;
mod place;
mod ranges;
mod store;
mod local;
mod memory;
#[cfg(feature = "object")]
mod object;
pub mod testing;
mod router;

pub use local::{LocalStore, scratch_file};
pub use location::Location;
pub use memory::MemoryStore;
pub use options::StoreOptions;
pub use place::{Below, place};
pub use router::open_store;
pub use store::{Entry, Sink, Source, Store};
