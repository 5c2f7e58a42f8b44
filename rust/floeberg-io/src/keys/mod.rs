//! With which keys are files of a table encrypted?
//!
//! In: a service that wraps keys, and the key metadata of files. Out: the key of each file.
//! Spec: AES GCM Stream; Encryption Keys; Iceberg Java's standard encryption, versions 1.10 and later.
//!
//! Invariant: no key is printed, and none is written outside the process unless it is wrapped or sealed.
//!
//! - `secret`: bytes that are wiped when they are dropped.
//! - `cipher`: AES GCM over one block.
//! - `file_key`: the key of one file, and its standard key metadata.
//! - `management`: who wraps and unwraps keys.
//! - `unwrapping`: keys that were unwrapped, for an hour.
//! - `table_key`: the keys that a table lists, and how they are made.
//! - `travelling`: keys that came from another process.
//! - `key_ring`: the keys of the files of a table, as a process finds them.
//! - `sending`: keys on their way to another process.

mod secret;
mod cipher;
mod file_key;
mod management;
mod unwrapping;
mod table_key;
mod travelling;
mod key_ring;
mod sending;

pub(crate) use cipher::{CIPHER_OVERHEAD, Cipher, random_bytes};
pub use file_key::{FileKey, is_plain_key};
pub use key_ring::{FoundKeys, KeyRing, SayKey};
pub use management::{KeyManagement, open_key_management, set_key_management_opener};
pub use secret::Secret;
pub use table_key::{EncryptedKey, ListKey};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
