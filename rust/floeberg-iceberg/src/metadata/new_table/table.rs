//! Which schema, spec and order does a new table start with?
//!
//! Spec: Table Metadata Fields; Schemas and Data Types; Partitioning; Sorting.

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_from_json;
use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::text::{parse_partitions, parse_sorts};
use super::{ColumnChoice, DeclaredSource, SpecBuilder, build_sort_order};
use crate::metadata::check_version;
use crate::metadata::{PartitionSpec, SortOrder};

/// The parts that a new table starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTable {
    /// Schema 0, with ids from 1.
    pub schema: Schema,
    /// Spec 0.
    pub spec: PartitionSpec,
    /// Order 1, or 0 if unsorted.
    pub sort_order: SortOrder,
    /// The highest field id.
    pub last_column_id: i32,
    /// The highest partition field id; 999 without partition fields.
    pub last_partition_id: i32,
}

/// The parts that a new table starts with, from a schema as JSON of Appendix C, and lists of partition and sort
/// fields. A field is a string (`day(ts)`, `ts desc`), or an object with `source-id`, `source-ids` or `source`,
/// `transform`, `name`, `direction` and `null-order`. Instead of a list, an object with `fields` as in Appendix C is accepted, or
/// null for none. Ids are those of the given schema; the table assigns its own.
///
/// Errors: `InvalidInput`, listing what of the schema cannot be written in the format version, and for a field that does
/// not fit; `Unsupported` for a transform or format version that this version does not know.
pub fn declare_table(
    schema: &Json,
    partitions: &Json,
    order: &Json,
    format_version: u8,
) -> Result<DeclaredTable> {
    check_version(format_version)?;
    let given = schema_from_json(schema).map_err(Error::of_input)?;
    let (schema, ids) = given.with_fresh_ids()?;
    schema.check_to_write(format_version)?;
    let refreshed = |source: &mut DeclaredSource| {
        for column in &mut source.columns {
            if let ColumnChoice::Id(id) = column {
                let unknown = || Error::invalid_input(format!("the schema has no column with the id {id}"));
                *id = ids.of(*id).ok_or_else(unknown)?;
            }
        }
        Ok::<_, Error>(())
    };
    let mut partitions = parse_partitions(partitions)?;
    partitions.iter_mut().try_for_each(|each| refreshed(&mut each.source))?;
    let mut sorts = parse_sorts(order)?;
    sorts.iter_mut().try_for_each(|each| refreshed(&mut each.source))?;
    let (spec, last_partition_id) = SpecBuilder::of_new_table(&schema, format_version).build(&partitions)?;
    let sort_order = build_sort_order(&schema, &[], &sorts, format_version, true)?;
    Ok(DeclaredTable { spec, sort_order, last_column_id: ids.last(), last_partition_id, schema })
}
