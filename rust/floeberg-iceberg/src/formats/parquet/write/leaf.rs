//! What may a leaf of a file be?

use arrow_schema::DataType;
use floeberg_core::schema::PrimitiveType;

/// A leaf of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    /// A column that has one value a row at most.
    Single(i32, PrimitiveType),
    /// A column in a list or a map.
    Repeated(i32),
    /// The first bytes of a variant, which are null where it is.
    VariantMetadata(i32),
    /// A field of shredded variants.
    Typed(TypedLeaf),
    /// The others, and variants in lists and maps: nothing is said of them.
    Silent,
}

/// A typed column of a field, or of whole variants.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypedLeaf {
    /// The column of variants.
    pub id: i32,
    /// The normalized path to the field.
    pub path: String,
    /// The numbers of the places that lead to it, its own last.
    pub places: Vec<usize>,
    pub column: DataType,
    pub primitive: PrimitiveType,
}
