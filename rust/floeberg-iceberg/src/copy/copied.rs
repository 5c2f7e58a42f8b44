//! What does a manifest say differently of a file that was copied?
//!
//! Spec: Data File Fields.

/// What is new of a copied file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedFile {
    /// Its bytes.
    pub file_size_in_bytes: u64,
    /// Where row groups start, if its format has them.
    pub split_offsets: Option<Vec<i64>>,
}
