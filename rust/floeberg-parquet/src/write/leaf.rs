//! Which kinds of leaves does a file have?

use arrow_schema::DataType;
use floeberg_core::schema::PrimitiveType;

/// A leaf of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    /// A column with at most one value per row.
    Single(i32, PrimitiveType),
    /// A column in a list or a map.
    Repeated(i32),
    /// The metadata of a variant, which is null where the variant is null.
    VariantMetadata(i32),
    /// A field of shredded variants.
    Typed(TypedLeaf),
    /// Other leaves, and variants in lists and maps: they have no metrics.
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
