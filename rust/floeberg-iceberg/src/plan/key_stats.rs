//! Can an equality delete file delete rows of a data file?
//!
//! In: counts and bounds of the key columns of both. Out: what proves that it cannot, if anything does.
//! Spec: Scan Planning; Equality Delete Files; Data File Fields (counts and bounds).
//!
//! Invariant: a delete file is left away only if of some column no value of the data can equal one of the deletes:
//! not null to null, not NaN to NaN, and no other to any other. Bounds hold for these others alone. The filter of a scan
//! has no say here; what it proves of the keys alone is [`super::filter`]'s.

use std::cmp::Ordering;

use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;

use crate::metadata::TableMetadata;

/// Of no more key columns are statistics looked at: each takes memory for every file of the table.
pub(crate) const MOST_COLUMNS: usize = 64;

/// A column that equality deletes name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyColumn {
    /// The field's id.
    pub id: i32,
    /// The full name, for the account.
    pub name: String,
    /// The type that bounds are decoded to.
    pub field_type: Type,
}

impl KeyColumn {
    /// The column of an id, as the newest schema that has it describes it: a dropped column still deletes. `None` where
    /// statistics of it prove nothing, or no schema knows it.
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

/// Do counts and bounds of a type mean what they mean for a filter? Those of geometries are boxes.
fn has_statistics(field_type: &Type) -> bool {
    use PrimitiveType as P;
    match field_type {
        Type::Primitive(primitive) => {
            !matches!(primitive, P::Unknown | P::Geometry { .. } | P::Geography { .. })
        }
        _ => false,
    }
}

/// The statistics of a data file's key columns, looked up when a delete first asks for them.
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

    /// Why no row of the file can have a key of a delete file, by the number of a column; `None` where one may.
    pub fn mismatch(&mut self, keys: &[(usize, ColumnStats)]) -> Option<(usize, &'static str)> {
        if keys.is_empty() {
            return None;
        }
        let data = self.found.get_or_insert_with(|| {
            self.columns.iter().map(|column| self.source.column(column.id, &column.field_type)).collect()
        });
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
        return Some("null count");
    }
    if data.nans == Share::All || delete.nans == Share::All {
        return Some("NaN count");
    }
    let apart = is_greater(data.lower.as_ref(), delete.upper.as_ref())
        || is_greater(delete.lower.as_ref(), data.upper.as_ref());
    apart.then_some("bounds")
}

/// Is a lower bound known to be above an upper one? The order of uuids differs between writers, and a NaN has none.
fn is_greater(lower: Option<&Value>, upper: Option<&Value>) -> bool {
    match (lower, upper) {
        (Some(Value::Uuid(_)), _) => false,
        (Some(lower), Some(upper)) => compare(lower, upper) == Some(Ordering::Greater),
        _ => false,
    }
}
