//! Where bytes come from and go to: locations, options, stores, ranged reads, listings, durable writes.

mod local;
pub mod location;
mod memory;
#[cfg(feature = "object")]
mod object;
mod options;
mod place;
mod ranges;
mod router;
mod store;
pub mod testing;

pub use local::{LocalStore, scratch_file};
pub use location::Location;
pub use memory::MemoryStore;
pub use options::StoreOptions;
pub use place::{Below, place};
pub use router::open_store;
pub use store::{Entry, Sink, Source, Store};
