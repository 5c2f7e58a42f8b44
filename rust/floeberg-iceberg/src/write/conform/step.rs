//! What is done with one column?

use arrow_schema::FieldRef;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;

/// A column of the table, or a field below one.
#[derive(Debug)]
pub(super) struct Column {
    /// Its full name, for errors.
    pub(super) name: String,
    /// Its Arrow form in the table.
    pub(super) target: FieldRef,
    /// Where its values come from.
    pub(super) source: Source,
}

/// Where the values of a column come from.
#[derive(Debug)]
pub(super) enum Source {
    /// From the input: the number among its siblings there, and what becomes of it.
    Input(usize, Step),
    /// The input does not have it: its write default, or null.
    Filled(Option<Value>, Type),
}

/// What becomes of an array.
#[derive(Debug)]
pub(super) enum Step {
    /// It has no values.
    Null,
    /// A column without children.
    Leaf(Leaf),
    /// The fields of a struct.
    Struct(Vec<Column>),
    /// The bytes of a variant, each of which must be one.
    Variant(Vec<Column>),
    /// The elements of lists of any form.
    List(Box<Column>),
    /// Keys and values.
    Map(Box<[Column; 2]>),
    /// A variant with typed columns, which are put together.
    Shredded(Layout),
}

/// What becomes of an array without children, once dictionaries and runs are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// It is what it shall be.
    Same,
    /// Another type that holds all values of its own.
    Widened,
    /// Integers of a wider type, each of which must fit.
    Narrowed,
    /// Text or bytes with 32-bit offsets.
    Bytes,
    /// Bytes of any form, each of which must be a geometry.
    Wkb,
    /// A decimal, whose values must have no more digits than their type says.
    Decimal,
    /// Whole units of time: multiplied, or divided without remainder.
    Moment {
        /// By what values are multiplied.
        times: i64,
        /// By what they are divided.
        divided: i64,
    },
}

impl Column {
    /// Is anything of it made anew?
    pub(super) fn is_copied(&self) -> bool {
        match &self.source {
            Source::Filled(..) => true,
            Source::Input(_, step) => step.is_copied(),
        }
    }
}

impl Step {
    fn is_copied(&self) -> bool {
        match self {
            Self::Null | Self::Shredded(_) => true,
            Self::Leaf(leaf) => !matches!(leaf, Leaf::Same | Leaf::Decimal),
            Self::Struct(fields) | Self::Variant(fields) => fields.iter().any(Column::is_copied),
            Self::List(element) => element.is_copied(),
            Self::Map(entry) => entry.iter().any(Column::is_copied),
        }
    }
}
