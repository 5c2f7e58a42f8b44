//! Which partition spec do these fields make?
//!
//! In: columns, transforms and names, and the specs that the table has. Out: a spec, the table's own where it has an equal one.
//! Spec: Partitioning; Partition Evolution; Partition Transforms.
//!
//! Invariant: a partition field's id is that of an equal field of any spec of the table, or one that was never given.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::transform::Transform;
use floeberg_core::{Context, Error, Result};
use serde_json::Map;

use super::column::{ColumnChoice, check_transform};
use crate::metadata::partition::NO_PARTITION_ID;
use crate::metadata::{PartitionField, PartitionSpec};

/// How a user writes a partition field.
const WRITTEN: &str = "a partition field is a column, or one column in a transform: year(ts), month(ts), day(ts), hour(ts), \
                       bucket(16, id), truncate(4, name), identity(id) or void(id), each with \" as name\" after it";

/// A partition field, as a user says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPartition {
    /// The column that it is made of.
    pub column: ColumnChoice,
    /// How.
    pub transform: Transform,
    /// The name; `None` is the column's with a word for the transform, as Iceberg Java names fields that are added.
    pub name: Option<String>,
}

/// Makes specs of a table that may have some.
#[derive(Debug)]
pub struct SpecBuilder<'a> {
    /// The schema whose columns are named.
    pub schema: &'a Schema,
    /// The specs that the table has.
    pub known: &'a [Arc<PartitionSpec>],
    /// The highest partition field id that the table has given: 999 where it has given none.
    pub last_partition_id: i32,
}

impl<'a> SpecBuilder<'a> {
    /// The builder of a table that is not there yet.
    pub fn of_new_table(schema: &'a Schema) -> Self {
        Self { schema, known: &[], last_partition_id: NO_PARTITION_ID }
    }

    /// The spec of these fields, and the highest partition field id that was given by then.
    ///
    /// A spec that the table has already comes back with its own id; a new one has the next id.
    ///
    /// Errors: `InvalidInput` for a column that is not there or cannot be the source of the transform, for a name that is
    /// empty, twice there or another column's, and for two fields that say the same of one column; `Unsupported` for a
    /// transform that this version does not know.
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
        let source_id = declared.column.find(self.schema, WRITTEN)?;
        check_transform(self.schema, source_id, &declared.transform)?;
        let name = match &declared.name {
            Some(name) => name.clone(),
            None => default_name(&self.schema.full_name(source_id).unwrap_or_default(), &declared.transform),
        };
        self.check_name(&name, source_id, &declared.transform, before)?;
        if let Some(other) = before.iter().find(|other| says_the_same(other, source_id, &declared.transform))
        {
            return Err(Error::invalid_input(format!(
                "the partition field {name:?} says no more of its column than {:?} does",
                other.name
            )));
        }
        let taken: HashSet<i32> = before.iter().map(|field| field.field_id).collect();
        let field_id = match self.known_id(source_id, &declared.transform).filter(|id| !taken.contains(id)) {
            Some(id) => id,
            None => next_id(last).context("partition field", &name)?,
        };
        Ok(PartitionField {
            field_id,
            source_ids: vec![source_id],
            name,
            transform: declared.transform.clone(),
            unknown_keys: Map::new(),
        })
    }

    /// The id of an equal field of the newest spec that has one. v1 counted ids anew in each spec, so that an id may mean
    /// something else in another one: such an id is not taken again.
    fn known_id(&self, source_id: i32, transform: &Transform) -> Option<i32> {
        let is_equal =
            |field: &PartitionField| field.source_ids == [source_id] && field.transform == *transform;
        let fields = || self.known.iter().rev().flat_map(|spec| &spec.fields);
        let id = fields().find(|field| is_equal(field))?.field_id;
        fields()
            .filter(|field| field.field_id == id)
            .all(|field| field.source_ids == [source_id])
            .then_some(id)
    }

    /// A partition field may have the name of its own column where it keeps its values, and of no other.
    fn check_name(
        &self,
        name: &str,
        source_id: i32,
        transform: &Transform,
        before: &[PartitionField],
    ) -> Result<()> {
        if name.is_empty() {
            return Err(Error::invalid_input("a partition field has no name"));
        }
        if before.iter().any(|field| field.name == name) {
            return Err(Error::invalid_input(format!("two partition fields are named {name:?}")));
        }
        let of_own_column = matches!(transform, Transform::Identity | Transform::Void);
        match self.schema.find(name, true) {
            Ok(column) if !(of_own_column && column == source_id) => Err(Error::invalid_input(format!(
                "a partition field cannot be named {name:?}, since a column is: give it another name"
            ))),
            _ => Ok(()),
        }
    }
}

/// `id_bucket_16`, `data_trunc_4`, `ts_day`: as Iceberg Java names the fields that it adds to a spec.
fn default_name(column: &str, transform: &Transform) -> String {
    match transform {
        Transform::Identity => column.to_owned(),
        Transform::Bucket(number) => format!("{column}_bucket_{number}"),
        Transform::Truncate(width) => format!("{column}_trunc_{width}"),
        Transform::Void => format!("{column}_null"),
        other => format!("{column}_{other}"),
    }
}

/// Two fields of one column with the same transform, or both by its time.
fn says_the_same(field: &PartitionField, source_id: i32, transform: &Transform) -> bool {
    let by_time = |transform: &Transform| {
        matches!(transform, Transform::Year | Transform::Month | Transform::Day | Transform::Hour)
    };
    field.source_ids == [source_id]
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

fn next_id(last: &mut i32) -> Result<i32> {
    *last = last
        .checked_add(1)
        .ok_or_else(|| Error::limit(format!("no partition field id is left above {last}")))?;
    Ok(*last)
}
