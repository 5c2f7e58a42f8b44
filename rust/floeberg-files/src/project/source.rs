//! Where may a selected column come from?

use arrow_schema::FieldRef;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;

use crate::inherited::Fallback;

/// A selected field, and where it comes from.
#[derive(Debug)]
pub(super) struct Resolved {
    /// What comes out.
    pub(super) target: FieldRef,
    /// Its full name, for messages.
    pub(super) name: String,
    /// Where it comes from.
    pub(super) source: ColumnSource,
}

/// Where a field comes from.
#[derive(Debug)]
pub(super) enum ColumnSource {
    /// Not from the file: one value in all rows.
    Constant(Option<Value>, Type),
    /// From the file: the number among the decoded fields of its parent, and how it is converted.
    File(usize, Conversion),
    /// The position of the row in the file.
    Position,
    /// From the file if it stores a value, else from the file's entry.
    Inherited(Inherited),
}

/// How a column of the file is converted.
#[derive(Debug)]
pub(super) enum Conversion {
    /// A cast, if the types differ.
    Primitive,
    /// Only the number of rows: values of type `unknown` are null.
    Null,
    /// Each field from its source.
    Struct(Vec<Resolved>),
    /// The elements converted.
    List(Box<Conversion>),
    /// Keys and values converted.
    Map(Box<Conversion>, Box<Conversion>),
    /// Variants, reassembled if they are shredded.
    Variant(Layout),
}

/// A column of row lineage.
#[derive(Debug)]
pub(super) struct Inherited {
    /// From the file: the number among the decoded columns, and how it is converted.
    pub(super) stored: Option<(usize, Conversion)>,
    /// The value that replaces null.
    pub(super) fallback: Fallback,
}
