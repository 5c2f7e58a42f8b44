//! Where do bytes come from and go to?
//!
//! In: written locations. Out: ranges of files, listings, durable writes. The interface blocks. Object stores are
//! cargo features, on in wheels and off in everyday work.
//!
//! A module uses only modules that are declared before it.
//!
//! - `location`: the scheme, authority and key of a written location, which is opaque; the one spelling in which local
//!   ones are compared, and which files are below a folder, links and all.
//! - `relocation`: where files of a table are that was moved.
//! - `keys`: with which keys files of an encrypted table are read and written.
//! - `options`: options of stores, safe to print.
//! - `process_slot`: state of one process, which a forked child does not use.
//! - `renewal`: options of stores that expire, and how they are renewed.
//! - `random`: numbers and uuids that are unique, also in forks.
//! - `ranges`: which ranges are fetched together.
//! - `listing`: the names of files in folders, where there are millions.
//! - `store`: the traits `Store`, `Source` and `Sink`, with their contract.
//! - `bounded`: streams of unknown length, read up to a limit.
//! - `encrypted`: reads and writes encrypted files.
//! - `local`: files of this machine; new ones with file and folder on the disk, whole ones by a link or a rename.
//! - `spill`: rows in temporary files, encrypted.
//! - `memory`: files in memory, for tests.
//! - `object`: object stores, with the Tokio runtime and the clients of each process.
//! - `testing`: counts and breaks reads and writes, with the options `testing.calls` and
//!   `testing.faults`.
//! - `router`: the store of a scheme.

pub mod location;
mod relocation;
mod keys;
mod options;
mod process_slot;
pub mod renewal;
pub mod random;
mod ranges;
mod listing;
mod store;
mod bounded;
mod encrypted;
mod metered;
mod local;
mod spill;
mod memory;
mod object;
pub mod testing;
mod router;

pub use bounded::read_bounded;
pub use encrypted::{EncryptedStore, refuse_encrypted};
pub use keys::{
    EncryptedKey, FileKey, FoundKeys, KeyManagement, KeyRing, ListKey, SayKey, Secret, is_plain_key,
    open_key_management, set_key_management_opener,
};
pub use listing::{FoundFile, ListedFolder};
pub use local::{FileIdentity, LocalStore, file_identity, prepare_foreign_file, sync_foreign_file};
pub use location::{Below, Location};
pub use memory::MemoryStore;
pub use metered::{Meter, Metered, MeteredStore};
pub use options::{StoreOptions, sealed_keys, with_sealed_keys};
pub use relocation::Relocation;
pub use router::open_store;
pub use spill::{SpillFile, SpillReader, SpillWriter};
pub use store::{Entry, SMALL_FILE, Sink, Source, Store};
