//! Which partition spec do declared fields give?
//!
//! In: columns, transforms and names, and the specs that the table has. Out: a spec, or an equal one of the table.
//! Spec: Partitioning; Partition Evolution; Partition Transforms.
//!
//! Invariant: a partition field's id is that of an equal field in any spec of the table, or a new one.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::transform::Transform;
use floeberg_core::{Context, Error, Result};
use serde_json::Map;

use super::column::DeclaredSource;
use crate::metadata::partition::NO_PARTITION_ID;
use crate::metadata::{PartitionField, PartitionSpec};

/// How a user writes a partition field.
pub(in crate::metadata) const WRITTEN: &str = "a partition field is a column, or one column in a transform: year(ts), month(ts), day(ts), hour(ts), \
                       bucket(16, id), truncate(4, name), identity(id) or void(id), each with \" as name\" after it; names may be in double \
                       quotes or backticks";

/// A partition field, declared by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPartition {
    /// Its source columns, and its transform.
    pub source: DeclaredSource,
    /// The name; `None` is the column's name with a word for the transform, as Iceberg Java names added fields.
    pub name: Option<String>,
}

/// Builds specs for a table, which may have others already.
#[derive(Debug)]
pub struct SpecBuilder<'a> {
    /// The schema of the source columns.
    pub schema: &'a Schema,
    /// The specs that the table has.
    pub known: &'a [Arc<PartitionSpec>],
    /// The highest partition field id that the table has assigned: 999 if none.
    pub last_partition_id: i32,
    /// Its format version.
    pub format_version: u8,
}

impl<'a> SpecBuilder<'a> {
    /// The builder for a new table.
    pub fn of_new_table(schema: &'a Schema, format_version: u8) -> Self {
        Self { schema, known: &[], last_partition_id: NO_PARTITION_ID, format_version }
    }

    /// The spec of these fields, and the highest partition field id that is assigned then.
    ///
    /// An equal spec of the table is returned with its id; a new one has the next id.
    ///
    /// Errors: `InvalidInput` for an unknown column, or one that cannot be the source of the transform; for a name
    /// that is empty, occurs twice or belongs to another column; and for two equal fields of one column.
    /// `Unsupported` for an unknown transform of one column.
    pub fn build(&self, declared: &[DeclaredPartition]) -> Result<(PartitionSpec, i32)> {
        let mut last = self.last_partition_id.max(NO_PARTITION_ID);
        let mut fields: Vec<PartitionField> = Vec::with_capacity(declared.len());
        for each in declared {
            let field = self.field(each, &fields, &mut last)?;
            fields.push(field);
        }
        let highest = self.known.iter().map(|spec| spec.spec_id).max();
        let next_id = match highest {
            None => 0,
            Some(highest) => {
                highest.checked_add(1).ok_or_else(|| Error::limit("no partition spec id is left"))?
            }
        };
        let equal = self.known.iter().find(|spec| are_equal(&spec.fields, &fields));
        match equal {
            Some(spec) => Ok((PartitionSpec::clone(spec), self.last_partition_id.max(NO_PARTITION_ID))),
            None => Ok((PartitionSpec { spec_id: next_id, fields, unknown_keys: Map::new() }, last)),
        }
    }

    fn field(
        &self,
        declared: &DeclaredPartition,
        before: &[PartitionField],
        last: &mut i32,
    ) -> Result<PartitionField> {
        let transform = &declared.source.transform;
        let source_ids = declared.source.ids(self.schema, self.format_version, true, WRITTEN)?;
        let name = match &declared.name {
            Some(name) => name.clone(),
            None => default_name(self.schema, &source_ids, transform),
        };
        if before.iter().any(|field| field.name == name) {
            return Err(Error::invalid_input(format!("two partition fields are named {name:?}")));
        }
        check_name(self.schema, &name, &source_ids, transform)?;
        if let Some(other) = before.iter().find(|other| says_the_same(other, &source_ids, transform)) {
            return Err(Error::invalid_input(format!(
                "the partition field {name:?} is redundant: {:?} partitions by the same column",
                other.name
            )));
        }
        let taken: HashSet<i32> = before.iter().map(|field| field.field_id).collect();
        let known = known_field(self.known, &source_ids, transform, |_| true);
        let field_id = match known.map(|field| field.field_id).filter(|id| !taken.contains(id)) {
            Some(id) => id,
            None => next_id(last).context("partition field", &name)?,
        };
        Ok(PartitionField {
            field_id,
            source_ids,
            name,
            transform: transform.clone(),
            unknown_keys: Map::new(),
        })
    }
}

/// The field of these specs that partitions by columns in this way, of the newest spec that has one. v1 numbered fields anew in
/// each spec: a field whose id means another column elsewhere is passed over.
pub(in crate::metadata) fn known_field<'a>(
    specs: &'a [Arc<PartitionSpec>],
    source_ids: &[i32],
    transform: &Transform,
    fits: impl Fn(&PartitionField) -> bool,
) -> Option<&'a PartitionField> {
    let fields = || specs.iter().rev().flat_map(|spec| &spec.fields);
    let is_equal = |field: &&PartitionField| {
        field.source_ids == source_ids && field.transform == *transform && fits(field)
    };
    let means_one = |field: &&PartitionField| {
        fields().filter(|other| other.field_id == field.field_id).all(|other| other.source_ids == source_ids)
    };
    fields().filter(is_equal).find(means_one)
}

/// Checks the name of a partition field. An identity field may have the name of its own column. Otherwise, no partition field may
/// have the name of a column.
///
/// Errors: `InvalidInput`.
pub(in crate::metadata) fn check_name(
    schema: &Schema,
    name: &str,
    source_ids: &[i32],
    transform: &Transform,
) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid_input("a partition field needs a name"));
    }
    let of_own_column = matches!(transform, Transform::Identity | Transform::Void);
    match schema.find(name, true) {
        Ok(column) if !(of_own_column && source_ids == [column]) => Err(Error::invalid_input(format!(
            "a partition field cannot be named {name:?}, since a column is: give it another name"
        ))),
        _ => Ok(()),
    }
}

/// `id_bucket_16`, `data_trunc_4`, `ts_day`: as Iceberg Java names the fields that it adds to a spec. Of several columns,
/// `id_ts_zorder_4`.
pub(in crate::metadata) fn default_name(
    schema: &Schema,
    source_ids: &[i32],
    transform: &Transform,
) -> String {
    let columns: Vec<_> = source_ids.iter().map(|id| schema.full_name(*id).unwrap_or_default()).collect();
    let column = columns.join("_");
    match transform {
        Transform::Identity => column,
        Transform::Bucket(number) => format!("{column}_bucket_{number}"),
        Transform::Truncate(width) => format!("{column}_trunc_{width}"),
        Transform::Void => format!("{column}_null"),
        other => format!("{column}_{}", other.to_string().replace('[', "_").replace(']', "")),
    }
}

/// Two fields of the same columns with the same transform, or both by the time of one.
pub(in crate::metadata) fn says_the_same(
    field: &PartitionField,
    source_ids: &[i32],
    transform: &Transform,
) -> bool {
    let by_time = |transform: &Transform| {
        matches!(transform, Transform::Year | Transform::Month | Transform::Day | Transform::Hour)
    };
    field.source_ids == source_ids
        && (field.transform == *transform || (by_time(&field.transform) && by_time(transform)))
}

/// Equal specs have the same sources, transforms and names in the same order.
pub fn are_equal(left: &[PartitionField], right: &[PartitionField]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| {
            left.source_ids == right.source_ids
                && left.transform == right.transform
                && left.name == right.name
        })
}

pub(in crate::metadata) fn next_id(last: &mut i32) -> Result<i32> {
    *last = last
        .checked_add(1)
        .ok_or_else(|| Error::limit(format!("no partition field id is left above {last}")))?;
    Ok(*last)
}
