//! What proves that no row passes a test?

use std::fmt;

/// What proves that no row passes a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MismatchReason {
    /// No row passes it whatever the statistics.
    Never,
    /// Lower or upper bounds.
    Bounds,
    /// The number of nulls.
    NullCount,
    /// The number of NaNs.
    NanCount,
}

impl MismatchReason {
    /// `bounds`, `null count` ...
    pub const fn text(self) -> &'static str {
        match self {
            Self::Never => "never true",
            Self::Bounds => "bounds",
            Self::NullCount => "null count",
            Self::NanCount => "NaN count",
        }
    }
}

impl fmt::Display for MismatchReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
