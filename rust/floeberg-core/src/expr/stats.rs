//! Which statistics does a column have in a file, a row group, a page or a manifest?

use super::bound::VariantField;
use crate::schema::Type;
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
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats;

    /// The statistics of a field of variants, in its type.
    fn variant_field(&self, _field: &VariantField) -> ColumnStats {
        ColumnStats::default()
    }
}

/// Statistics of many sets of rows.
pub trait StatsColumns {
    /// The statistics of one column.
    type Column<'a>: StatsColumn
    where
        Self: 'a;

    /// The statistics of a column, as [`Self::set`] gives them, without building values for each set. `None` if only that has them.
    fn column(&self, id: i32, field_type: &Type) -> Option<Self::Column<'_>>;

    /// The statistics of one set, by its number.
    fn set(&self, number: usize) -> impl Stats + '_;
}

/// Statistics of one column in many sets of rows, each by the number of the set.
pub trait StatsColumn {
    /// Which values are null?
    fn nulls(&self, number: usize) -> Share;

    /// Which values are NaN?
    fn nans(&self, number: usize) -> Share;

    /// The lower bound, in the binary single-value form. What cannot be decoded is unknown.
    fn lower(&self, number: usize) -> Option<&[u8]>;

    /// The upper bound, likewise.
    fn upper(&self, number: usize) -> Option<&[u8]>;
}
