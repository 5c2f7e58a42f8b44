//! Where may a column that was asked for come from?

use arrow_schema::FieldRef;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;

use crate::files::inherited::Fallback;

/// A field that was asked for, and where it comes from.
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
    /// From the file: the number among the decoded fields of its parent, and what becomes of it.
    File(usize, Conversion),
    /// The position of the row in the file.
    Position,
    /// From the file where it stores a value, else from what the file's entry says.
    Inherited(Inherited),
}

/// What becomes of a column of the file.
#[derive(Debug)]
pub(super) enum Conversion {
    /// A cast, where the types differ.
    Primitive,
    /// Nothing but how many there are: values of type `unknown` are null.
    Null,
    /// Each field from where it comes.
    Struct(Vec<Resolved>),
    /// The elements converted.
    List(Box<Conversion>),
    /// Keys and values converted.
    Map(Box<Conversion>, Box<Conversion>),
    /// Variants, put together where they are shredded.
    Variant(Layout),
}

/// A column of row lineage.
#[derive(Debug)]
pub(super) struct Inherited {
    /// From the file: the number among the decoded columns, and what becomes of it.
    pub(super) stored: Option<(usize, Conversion)>,
    /// What null means.
    pub(super) fallback: Fallback,
}
