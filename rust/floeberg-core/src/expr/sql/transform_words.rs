//! Which words name partition transforms in filters?

use crate::transform::Transform;

/// The transform without a number that a lower-case word names.
pub(super) fn unary_transform(word: &str) -> Option<Transform> {
    Some(match word {
        "year" | "years" => Transform::Year,
        "month" | "months" => Transform::Month,
        "day" | "days" => Transform::Day,
        "hour" | "hours" => Transform::Hour,
        "identity" => Transform::Identity,
        "void" => Transform::Void,
        _ => return None,
    })
}
