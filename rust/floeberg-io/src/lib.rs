//! Where bytes come from: locations, options, stores, ranged reads, listings.

mod store;

pub use store::{Entry, Source, Store};
