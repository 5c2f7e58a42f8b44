//! What did a commit do, as it says itself?
//!
//! In: the bytes of a transaction, of its file or of its section in a manifest. Out: its operation, and back.
//! Spec: Lance, `transaction.proto`, `Transaction`.
//!
//! Invariant: an operation that this version does not know is kept, and known as such: it conflicts with everything.

use floeberg_core::{Context as _, Result};

use super::encoder::Encoder;
use super::message::Value;
use super::operation::Operation;
use super::structure::{Structure, Unknown, parse, to_bytes};

/// The numbers that the format keeps for operations.
const OPERATIONS: std::ops::RangeInclusive<u32> = 100..=199;

/// What a commit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transaction {
    /// The version that was read to do it.
    pub read_version: u64,
    /// Its own id.
    pub uuid: String,
    /// Not used any more.
    pub tag: String,
    /// What its maker says about it.
    pub properties: Vec<(String, String)>,
    /// What it did.
    pub operation: Operation,
    /// What this version does not know.
    pub unknown: Unknown,
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

impl Structure for Transaction {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.read_version = value.number()?,
            2 => self.uuid = value.text()?,
            3 => self.tag = value.text()?,
            4 => value.text_entry(&mut self.properties)?,
            _ if OPERATIONS.contains(&tag) => self.operation = Operation::parse(tag, value.bytes()?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.read_version);
        out.bytes(2, &self.uuid);
        out.bytes(3, &self.tag);
        out.map(4, &self.properties);
        self.operation.write(out);
        out.raw(&self.unknown.0);
    }
}
