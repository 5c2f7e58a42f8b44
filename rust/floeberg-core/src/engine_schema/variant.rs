//! Which struct does Spark take as a variant?
//!
//! Spark: `to_arrow_type` of `VariantType`, the same from 4.0 to 4.3: `value` before `metadata`, which carries a mark.
//!
//! Invariant: the bytes are shared.

use std::sync::Arc;

use arrow_array::{Array as _, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Metadata};

/// The key of the mark, whose value is `true`.
const MARK: &str = "variant";

/// The fields of the struct.
pub(super) fn fields() -> Fields {
    let bytes = |name: &str| Field::new(name, DataType::Binary, false);
    let metadata = bytes("metadata").with_metadata(Metadata::new().with(MARK, "true"));
    Fields::from(vec![bytes("value"), metadata])
}

/// Are these the fields of a variant?
pub(super) fn is_variant(fields: &Fields) -> bool {
    fields.iter().any(|field| field.metadata().get(MARK).is_some())
}

/// A variant of the table's form, in the order of these fields.
pub(super) fn reordered(array: &StructArray, fields: &Fields) -> Result<StructArray, ArrowError> {
    let column = |field: &Arc<Field>| {
        array
            .column_by_name(field.name())
            .map(Arc::clone)
            .ok_or_else(|| ArrowError::SchemaError(format!("a variant lacks the column {:?}", field.name())))
    };
    let columns = fields.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    StructArray::try_new(fields.clone(), columns, array.nulls().cloned())
}
