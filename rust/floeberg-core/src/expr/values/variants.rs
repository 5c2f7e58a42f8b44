//! Which values of a type have the fields of variants?
//!
//! In: an array of variants, and a path. Out: values in the Arrow type that was asked for.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray as _;
use arrow_schema::DataType;

use super::SqlType;
use super::cast::cast_values;
use super::kinds::{primitive_of, shown};
use crate::error::{Error, Result};
use crate::schema::PrimitiveType;
use crate::variant::{VariantPath, typed_field};

/// The type of a column that a type of SQL stands for.
///
/// Errors: `Unsupported` for a type that no column has.
pub(in crate::expr) fn primitive_of_sql(kind: &SqlType) -> Result<PrimitiveType> {
    match kind {
        SqlType::Uuid => Ok(PrimitiveType::Uuid),
        other => primitive_of(&other.data_type())
            .ok_or_else(|| Error::unsupported(format!("no column has the type {}", other.data_type()))),
    }
}

/// Are these variants?
pub(super) fn are_variants(kind: &DataType) -> bool {
    let DataType::Struct(fields) = kind else { return false };
    let is = |position: usize, name: &str| {
        fields
            .get(position)
            .is_some_and(|field| field.name() == name && *field.data_type() == DataType::Binary)
    };
    fields.len() == 2 && is(0, "metadata") && is(1, "value")
}

/// The values of a field of variants.
///
/// Errors: `InvalidInput` for values that are no variants, and for a value of another kind, unless such values become null.
pub(super) fn field_of(
    variants: &ArrayRef,
    path: &VariantPath,
    kind: &SqlType,
    fails_as_null: bool,
) -> Result<ArrayRef> {
    let group = variants.as_struct_opt().filter(|_| are_variants(variants.data_type()));
    let Some(group) = group else {
        let found = shown(variants.data_type());
        return Err(Error::invalid_input(format!(
            "expected a column of variants, found one of type {found}"
        )));
    };
    let values = typed_field(group, path, &primitive_of_sql(kind)?, fails_as_null)?;
    cast_values(&values, &kind.data_type(), fails_as_null)
}
