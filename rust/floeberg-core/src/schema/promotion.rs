//! Can a column be promoted from one type to another?
//!
//! Spec: Schema Evolution.

use super::PrimitiveType;

/// May a column's type be changed from one to the other, in some format version?
///
/// A type promotes to itself. Whether the table's version allows it (`unknown` and `date` from v3) and whether a
/// partition field forbids it (date under any transform) is for the caller who knows them.
pub fn promotes_to(from: &PrimitiveType, to: &PrimitiveType) -> bool {
    use PrimitiveType as P;
    match (from, to) {
        (from, to) if from == to => true,
        (P::Unknown, _) | (P::Int, P::Long) | (P::Float, P::Double) => true,
        (P::Date, P::Timestamp | P::TimestampNs) => true,
        (P::Decimal { precision: from, scale: a }, P::Decimal { precision: to, scale: b }) => {
            from < to && a == b
        }
        _ => false,
    }
}
