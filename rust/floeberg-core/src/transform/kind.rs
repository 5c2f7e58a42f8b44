//! Which transforms are there, and how are they written?
//!
//! Spec: Partition Transforms; Appendix C, Partition Specs.

/// How a partition or sort value is made of a source value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Transform {
    /// The value itself.
    Identity,
    /// `hash & i32::MAX % n`, n at least 1.
    Bucket(u32),
    /// To a width (numbers), to a number of code points (strings) or bytes (binary), at least 1.
    Truncate(u32),
    /// Years from 1970.
    Year,
    /// Months from 1970-01.
    Month,
    /// Days from 1970-01-01.
    Day,
    /// Hours from 1970-01-01 00:00.
    Hour,
    /// Always null.
    Void,
    /// A transform that this version does not know, as written: it is not filtered by, its values still take
    /// part in partition equality, and it is refused on write.
    Unknown(String),
}
