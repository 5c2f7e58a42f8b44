//! What is found in a record, and what does it become?
//!
//! In: a value of a field. Out: the value that is written.

/// A value of a field that may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    /// The number of its record in the file, from 0 on.
    pub row: u64,
    /// The id of its field.
    pub field: i32,
    /// Its key, in a map of ints.
    pub key: Option<i32>,
    /// The value.
    pub value: FoundValue<'a>,
}

/// A value that may change. Null is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundValue<'a> {
    /// The bytes of a `string` or of `bytes`.
    Bytes(&'a [u8]),
    /// An `int` or a `long`.
    Long(i64),
    /// A list, whose items are not read.
    List,
}

/// What a value becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It stays.
    Keep,
    /// Other bytes.
    Bytes(Vec<u8>),
    /// Another number.
    Long(i64),
    /// A list of other numbers.
    Longs(Vec<i64>),
    /// It is removed from its map, with its key.
    Remove,
}
