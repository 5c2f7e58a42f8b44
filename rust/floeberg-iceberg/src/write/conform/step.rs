//! How is one column converted?

use arrow_schema::FieldRef;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;
use floeberg_rows::Conversion;

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
    /// To values of another type, of which none changes.
    Cast(Conversion),
    /// Bytes of any Arrow type; each must be a geometry.
    Wkb,
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
            Self::Leaf(leaf) => *leaf != Leaf::Cast(Conversion::Same),
            Self::Struct(fields) | Self::Variant(fields) => fields.iter().any(Column::is_copied),
            Self::List(element) => element.is_copied(),
            Self::Map(entry) => entry.iter().any(Column::is_copied),
        }
    }
}
