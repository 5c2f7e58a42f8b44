//! How many of a file's rows match a filter?

/// What was proved about the rows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsMatch {
    /// No row matches.
    None,
    /// Some rows may match, and others may not.
    Some,
    /// Every row matches.
    All,
}
