//! Is a column of a file stored as a column of the table is?
//!
//! In: two Parquet columns. Out: whether the bytes of one can be those of the other.
//! Spec: Appendix A, Parquet; Schema Evolution (a column keeps its id when it is renamed).
//!
//! Invariant: types, repetitions, and field ids are equal on every level; names may differ, since readers go by ids.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::Type;

/// Can the bytes of the column `found` be those of the column `wanted`?
pub(super) fn is_same(found: &Type, wanted: &Type) -> bool {
    let (of_found, of_wanted) = (found.get_basic_info(), wanted.get_basic_info());
    let id = |of: &parquet::schema::types::BasicTypeInfo| of.has_id().then(|| of.id());
    // The middle level of a list has no id of its own, and the names of its levels are fixed.
    let is_alike = of_found.has_repetition() == of_wanted.has_repetition()
        && (!of_found.has_repetition() || of_found.repetition() == of_wanted.repetition())
        && id(of_found) == id(of_wanted)
        && is_same_logical(found, wanted);
    if !is_alike {
        return false;
    }
    match (found, wanted) {
        (Type::PrimitiveType { .. }, Type::PrimitiveType { .. }) => {
            found.get_physical_type() == wanted.get_physical_type() && length(found) == length(wanted)
        }
        (Type::GroupType { fields: found, .. }, Type::GroupType { fields: wanted, .. }) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(found, wanted)| is_same(found, wanted))
        }
        _ => false,
    }
}

/// Files of older writers have the older form of a logical type alone.
fn is_same_logical(found: &Type, wanted: &Type) -> bool {
    let logical = |of: &Type| of.get_basic_info().logical_type_ref().cloned();
    match (logical(found), logical(wanted)) {
        (None, Some(LogicalType::String | LogicalType::Date | LogicalType::List | LogicalType::Map)) => {
            let converted = |of: &Type| of.get_basic_info().converted_type();
            converted(found) != ConvertedType::NONE && converted(found) == converted(wanted)
        }
        (found, wanted) => found == wanted,
    }
}

/// The length, the scale and the precision of a primitive column.
fn length(of: &Type) -> Option<(i32, i32, i32)> {
    match of {
        Type::PrimitiveType { type_length, scale, precision, .. } => Some((*type_length, *scale, *precision)),
        Type::GroupType { .. } => None,
    }
}
