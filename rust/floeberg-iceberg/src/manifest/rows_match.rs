//! How many of a file's rows match a filter?

/// What is proved of the rows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsMatch {
    /// No row matches.
    None,
    /// Some may, and not all are known to.
    Some,
    /// Every row matches.
    All,
}
