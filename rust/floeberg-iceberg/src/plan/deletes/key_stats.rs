//! Can an equality delete file delete rows of a data file?
//!
//! In: counts and bounds of the key columns of both. Out: the proof that it cannot, if there is one.
//! Spec: Scan Planning; Equality Delete Files; Data File Fields (counts and bounds).
//!
//! Invariant: a delete file is excluded only if for some column no value of the data can equal one of the deletes: not null to
//! null, not NaN to NaN, and no other value to any other. Bounds hold only for these other values. The filter of a scan is not
//! used here.

use std::cmp::Ordering;

use floeberg_core::expr::{ColumnStats, MismatchReason, Share, Stats};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;

use super::intervals::{Ends, Intervals};
use crate::metadata::TableMetadata;

/// The reason why keys cannot be equal, for `explain`.
pub(crate) const BOUNDS: &str = MismatchReason::Bounds.text();
pub(crate) const NULL_COUNT: &str = MismatchReason::NullCount.text();
pub(crate) const NAN_COUNT: &str = MismatchReason::NanCount.text();

/// The most key columns whose statistics are used: each takes memory for every file of the table.
pub(crate) const MOST_COLUMNS: usize = 64;

/// A column that equality deletes name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyColumn {
    /// The field's id.
    pub id: i32,
    /// The full name, for `explain`.
    pub name: String,
    /// The type that bounds are decoded to.
    pub field_type: Type,
}

impl KeyColumn {
    /// The column with an id, from the newest schema that has it: a dropped column still deletes. `None` if statistics of it prove
    /// nothing, or no schema has it.
    pub fn find(metadata: &TableMetadata, id: i32) -> Option<Self> {
        let schema = metadata.schemas_newest_first().find(|schema| schema.field(id).is_some())?;
        let path = schema.path(id)?;
        let (field, parents) = path.split_last()?;
        let in_structs = parents.iter().all(|parent| matches!(parent.field_type, Type::Struct(_)));
        let column =
            Self { id, name: schema.full_name(id).unwrap_or_default(), field_type: field.field_type.clone() };
        (in_structs && has_statistics(&field.field_type)).then_some(column)
    }
}

/// Can counts and bounds of a type be used? Bounds of geometries are boxes.
fn has_statistics(field_type: &Type) -> bool {
    use PrimitiveType as P;
    match field_type {
        Type::Primitive(primitive) => {
            !matches!(primitive, P::Unknown | P::Geometry { .. } | P::Geography { .. })
        }
        _ => false,
    }
}

/// The statistics of a data file's key columns, looked up when first needed.
pub(crate) struct LazyStats<'a> {
    source: &'a dyn Stats,
    columns: &'a [KeyColumn],
    found: Option<Vec<ColumnStats>>,
}

impl<'a> LazyStats<'a> {
    /// Nothing is looked up yet.
    pub fn new(source: &'a dyn Stats, columns: &'a [KeyColumn]) -> Self {
        Self { source, columns, found: None }
    }

    /// The statistics of the column of a number.
    pub fn of(&mut self, column: usize) -> &ColumnStats {
        static UNKNOWN: ColumnStats =
            ColumnStats { nulls: Share::Unknown, nans: Share::Unknown, lower: None, upper: None };
        self.all().get(column).unwrap_or(&UNKNOWN)
    }

    fn all(&mut self) -> &[ColumnStats] {
        self.found.get_or_insert_with(|| {
            self.columns.iter().map(|column| self.source.column(column.id, &column.field_type)).collect()
        })
    }

    /// Why no row of the file can have a key of a delete file, by the number of a column; `None` where one may.
    pub fn mismatch(&mut self, keys: &[(usize, ColumnStats)]) -> Option<(usize, &'static str)> {
        if keys.is_empty() {
            return None;
        }
        let data = self.all();
        keys.iter().find_map(|(number, delete)| Some((*number, mismatch(data.get(*number)?, delete)?)))
    }
}

/// Why no value of a column of the data can equal one of the deletes; `None` where one may.
pub(crate) fn mismatch(data: &ColumnStats, delete: &ColumnStats) -> Option<&'static str> {
    let may_be = |share: Share| share != Share::None;
    if (may_be(data.nulls) && may_be(delete.nulls)) || (may_be(data.nans) && may_be(delete.nans)) {
        return None;
    }
    if data.nulls == Share::All || delete.nulls == Share::All {
        return Some(NULL_COUNT);
    }
    if data.nans == Share::All || delete.nans == Share::All {
        return Some(NAN_COUNT);
    }
    (!Intervals::touch(&ends(data), &ends(delete))).then_some(BOUNDS)
}

/// The bounds of a column, if they have an order: the order of uuids differs between writers, and NaN has none.
pub(crate) fn ends(stats: &ColumnStats) -> Ends<InOrder<'_>> {
    let is_ordered = |bound: &&Value| match bound {
        Value::Uuid(_) => false,
        bound => compare(bound, bound).is_some(),
    };
    let [lower, upper] =
        [&stats.lower, &stats.upper].map(|bound| bound.as_ref().filter(is_ordered).map(InOrder));
    (lower, upper)
}

/// A bound in the order of values of its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InOrder<'a>(&'a Value);

impl Ord for InOrder<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Values of one column are of one type.
        compare(self.0, other.0).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for InOrder<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for InOrder<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for InOrder<'_> {}
