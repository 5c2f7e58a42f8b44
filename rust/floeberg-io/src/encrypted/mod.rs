//! How are encrypted files of a table read and written?
//!
//! In: a store, and the keys of a table. Out: a store whose files are read in plain form, and written encrypted.
//! Spec: AES GCM Stream file format.
//!
//! Invariant: nothing is written unencrypted but metadata files in JSON and hints of versions.
//!
//! - `magic`: detects encrypted files by their first bytes.
//! - `blocks`: where the blocks of a stream are.
//! - `source`: a file that is decrypted as it is read.
//! - `sink`: a file that is encrypted as it is written.
//! - `store`: the store.

mod magic;
mod blocks;
mod source;
mod sink;
mod store;

pub use magic::refuse_encrypted;
pub use store::EncryptedStore;

#[cfg(test)]
mod tests;
