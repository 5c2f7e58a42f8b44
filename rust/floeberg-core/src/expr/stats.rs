//! What is known of a column's values in a file, a row group, a page or a manifest?

use crate::value::Value;

/// How many of a column's values have a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// None has it.
    None,
    /// Not known.
    #[default]
    Unknown,
    /// At least one has it.
    Some,
    /// All have it (of at least one value).
    All,
}

/// What is known of one column. Everything unknown is the default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnStats {
    /// Which values are null.
    pub nulls: Share,
    /// Which values are NaN.
    pub nans: Share,
    /// No value that is neither null nor NaN is smaller. Of the column's type in the bound schema.
    pub lower: Option<Value>,
    /// No value that is neither null nor NaN is larger.
    pub upper: Option<Value>,
}

/// Statistics of a set of rows, column by column.
pub trait Stats {
    /// The statistics of a column by field id. Unknown ones are the default.
    fn column(&self, id: i32, field_type: &crate::schema::Type) -> ColumnStats;
}
