//! Which partition values may the files of a manifest have, by its partition summaries?
//!
//! Spec: Manifest Lists, `field_summary`.

use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::{PrimitiveType, StructType, Type};

use super::bounds::decode_pair;
use crate::manifest::FieldSummary;

/// The summaries of one manifest, by partition field id.
pub(crate) struct SummaryStats<'a> {
    /// The partition type of the manifest's spec: its fields are in the order of the summaries.
    pub partition_type: &'a StructType,
    /// The summaries.
    pub summaries: &'a [FieldSummary],
}

impl Stats for SummaryStats<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        let position = self.partition_type.fields.iter().position(|field| field.id == id);
        let Some(summary) = position.and_then(|position| self.summaries.get(position)) else {
            return ColumnStats::default();
        };
        let is_float = matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double));
        let may_hold_nan = is_float && summary.contains_nan != Some(false);
        let no_bounds = summary.lower_bound.is_none() && summary.upper_bound.is_none();
        let nulls = match (summary.contains_null, no_bounds && !may_hold_nan) {
            (false, _) => Share::None,
            (true, true) => Share::All,
            (true, false) => Share::Some,
        };
        let nans = match summary.contains_nan {
            _ if !is_float => Share::None,
            None => Share::Unknown,
            Some(false) => Share::None,
            Some(true) if no_bounds && !summary.contains_null => Share::All,
            Some(true) => Share::Some,
        };
        let (lower, upper) =
            decode_pair(field_type, summary.lower_bound.as_deref(), summary.upper_bound.as_deref());
        ColumnStats { nulls, nans, lower, upper }
    }
}
