//! What do all files of a write have in common?
//!
//! In: a table's schema, spec, order and properties, and an order of the write. Out: how rows are partitioned and stored, where files go, when they end
//! and which metrics they have.
//!
//! Invariant: every fault in them is found here.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use floeberg_core::Result;
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::transform::Transform;
use floeberg_files::{DeleteType, FileLayout, LayoutRequest, Modes, SortColumn, WriteProperties};
use floeberg_properties::TARGET_FILE_SIZE;

use super::formats;
use super::locations::Locations;
use super::partitioner::Partitioner;
use super::row_order::RowOrder;
use super::sort::SortKeys;
use crate::metadata::{NullOrder, PartitionSpec, SortDirection, SortField, SortOrder};

/// The id of the unsorted order.
const UNSORTED: i32 = 0;

/// How rows become files.
#[derive(Debug, Clone)]
pub(super) struct WriteLayout {
    /// The Arrow schema of the batches.
    pub rows: SchemaRef,
    pub partitioner: Arc<Partitioner>,
    /// `None` for unsorted rows.
    pub keys: Option<Arc<SortKeys>>,
    /// The `sort_order_id` of the files: 0, unsorted, where the table does not have the order.
    pub sort_order_id: i32,
    pub file: Arc<dyn FileLayout>,
    pub modes: Modes,
    pub locations: Locations,
    /// Compressed bytes at which a file ends.
    pub file_size: u64,
}

impl WriteLayout {
    /// The layout of a table's files, below its location. Rows are in the order of the table, unless they have one of their own;
    /// `deletes` says what they delete.
    ///
    /// Errors: `InvalidInput` for an invalid property; `Unsupported` for a format, codec, transform or type that cannot be
    /// written.
    pub fn new(
        schema: &Schema,
        spec: &PartitionSpec,
        order: &SortOrder,
        own_order: Option<&RowOrder>,
        properties: &WriteProperties,
        location: &str,
        deletes: Option<DeleteType>,
    ) -> Result<Self> {
        // Files are skipped by the bounds of columns that they are sorted by.
        let by_table = order.fields.iter().filter_map(ordered_column);
        let (keys, fields, columns) = match own_order {
            None => (SortKeys::of_order(order, schema)?, &order.fields[..], Vec::new()),
            Some(RowOrder::Sort(own)) => {
                let columns = own.fields.iter().filter_map(ordered_column).collect();
                (SortKeys::of_order(own, schema)?, &own.fields[..], columns)
            }
            Some(RowOrder::ZOrder(own)) => {
                (Some(SortKeys::of_z_order(own, schema)?), &[][..], own.column_ids.clone())
            }
        };
        let modes = Modes::new(properties, schema, by_table.chain(columns))?;
        let kept = keys.as_ref().map_or(&[][..], |_| fields);
        let sorted_by = kept.iter().map_while(sort_column).collect();
        let sort_order_id = match own_order {
            _ if keys.is_none() => UNSORTED,
            None => order.order_id,
            Some(RowOrder::Sort(own)) => own.order_id,
            Some(RowOrder::ZOrder(_)) => UNSORTED,
        };
        let request = LayoutRequest { schema, properties, modes: modes.clone(), sorted_by, deletes };
        Ok(Self {
            rows: Arc::new(schema_to_arrow(schema)?),
            partitioner: Arc::new(Partitioner::new(spec, schema)?),
            keys: keys.map(Arc::new),
            sort_order_id,
            file: formats::layout(&request)?,
            modes,
            locations: Locations::new(location, properties)?,
            file_size: TARGET_FILE_SIZE.of(properties.as_map())?,
        })
    }
}

/// The column whose values a sort field keeps in order.
pub(crate) fn ordered_column(field: &SortField) -> Option<i32> {
    match field.source_ids[..] {
        [id] if field.transform.is_order_preserving() => Some(id),
        _ => None,
    }
}

/// The column that a sort field sorts by without a transform.
fn sort_column(field: &SortField) -> Option<SortColumn> {
    let ([id], Transform::Identity) = (&field.source_ids[..], &field.transform) else { return None };
    Some(SortColumn {
        id: *id,
        descends: field.direction == SortDirection::Descending,
        nulls_first: field.null_order == NullOrder::First,
    })
}
