//! How is one column converted?

use arrow_schema::FieldRef;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;

/// A column of the table, or a field below one.
#[derive(Debug)]
pub(super) struct Column {
    /// Its full name, for errors.
    pub(super) name: String,
    /// Its Arrow type in the table.
    pub(super) target: FieldRef,
    /// Where its values come from.
    pub(super) source: Source,
}

/// Where the values of a column come from.
#[derive(Debug)]
pub(super) enum Source {
    /// From the input: the number among its siblings there, and the conversion.
    Input(usize, Step),
    /// The input does not have it: its write default, or null.
    Filled(Option<Value>, Type),
}

/// The conversion of an array.
#[derive(Debug)]
pub(super) enum Step {
    /// It has no values.
    Null,
    /// A column without children.
    Leaf(Leaf),
    /// The fields of a struct.
    Struct(Vec<Column>),
    /// The bytes of variants; each is checked.
    Variant(Vec<Column>),
    /// The elements of lists of any Arrow type.
    List(Box<Column>),
    /// Keys and values.
    Map(Box<[Column; 2]>),
    /// Shredded variants, which are reassembled.
    Shredded(Layout),
}

/// The conversion of an array without children, after dictionaries and runs are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// None: it has the right type already.
    Same,
    /// Another type that holds all values of its own.
    Widened,
    /// Integers of a wider type; each must fit.
    Narrowed,
    /// Strings or bytes with 32-bit offsets.
    Bytes,
    /// Bytes of any Arrow type; each must be a geometry.
    Wkb,
    /// Texts; each must be a uuid.
    UuidText,
    /// Bytes of any Arrow type; each must have the length.
    Sized,
    /// A decimal; its values must not have more digits than the type.
    Decimal,
    /// Whole units of time: multiplied, or divided without remainder.
    Moment {
        /// The multiplier.
        times: i64,
        /// The divisor.
        divided: i64,
    },
}

impl Column {
    /// Is any part of it converted, and not shared?
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
