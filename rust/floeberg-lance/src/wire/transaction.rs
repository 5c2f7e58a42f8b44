//! What did a commit do, as it says itself?
//!
//! In: the bytes of a transaction, of its file or of its section in a manifest. Out: its operation, and back.
//! Spec: Lance, `transaction.proto`, `Transaction`.
//!
//! Invariant: an operation that this version does not know is kept, and known as such: it conflicts with everything.

use floeberg_core::{Context as _, Result};
use floeberg_protobuf::{message, parse, to_bytes};

use super::operation::Operation;

message! {
    /// What a commit did.
    pub struct Transaction {
        /// The version that was read to do it.
        read_version: u64 = 1,
        /// Its own id.
        uuid: String = 2,
        /// Not used any more.
        tag: String = 3,
        /// What its maker says about it.
        properties: Vec<(String, String)> = 4,
        /// What it did: a `oneof`, for which the format keeps these numbers.
        operation: Operation = 100..=199,
        ..unknown
    }
}

impl Transaction {
    /// Reads a transaction. Errors: `InvalidData`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        parse(bytes).context("message", "Transaction")
    }

    /// The bytes of a transaction.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }
}
