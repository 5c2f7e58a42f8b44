//! Which columns does every table have without declaring them?
//!
//! Spec: Lance, Stable Row IDs; `lance-core/lib.rs`.
//!
//! Invariant: a column of the table of the same name comes before them.

use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::schema::{Field, PrimitiveType};

/// A column that rows have by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowColumn {
    /// The stable id; the address, where the table has no stable ids.
    Id,
    /// The id of the fragment in the upper 32 bits, the row in the lower.
    Address,
    /// The version in which the row came into the table.
    CreatedAtVersion,
    /// The version in which the row was last changed.
    LastUpdatedAtVersion,
}

impl RowColumn {
    /// All, in the order in which they stand after the columns of the table.
    pub const ALL: [Self; 4] = [Self::Id, Self::Address, Self::CreatedAtVersion, Self::LastUpdatedAtVersion];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "_rowid",
            Self::Address => "_rowaddr",
            Self::CreatedAtVersion => "_row_created_at_version",
            Self::LastUpdatedAtVersion => "_row_last_updated_at_version",
        }
    }

    /// The column of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }

    /// The id by which filters and projections name it; a table's own are not negative.
    pub fn id(self) -> i32 {
        -101 - self as i32
    }

    /// The column of an id.
    pub fn of_id(id: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.id() == id)
    }

    /// The Arrow field: an unsigned number, null where it is not known.
    pub fn to_arrow(self) -> ArrowField {
        ArrowField::new(self.name(), DataType::UInt64, true)
    }

    /// The field in the library's types, which filters are bound to. No integer of theirs holds all numbers of 64 bits.
    pub fn to_core(self) -> Field {
        Field::optional(self.id(), self.name(), PrimitiveType::Decimal { precision: 20, scale: 0 })
    }
}
