//! Which struct do the partition values of a spec, or of all specs, form?
//!
//! In: a spec and its metadata. Out: a struct by partition field id.
//! Spec: Partition Transforms (result types); Partition Evolution; Partition Statistics File (unified partition type).
//!
//! Invariant: a field whose result type cannot be known has the type `unknown`. Filters ignore it, and manifests read it as null.
//! So equal values of it do not prove that two partitions are equal.

#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Context, Error, Result};

use super::{PartitionField, PartitionSpec, TableMetadata};

/// One struct that holds the partition values of every spec of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct UnifiedPartition {
    /// All partition fields that any spec has, by ascending id. Names are unique.
    pub struct_type: StructType,
    /// By spec id: for each field of the spec, in its order, the position in the struct.
    pub positions: BTreeMap<i32, Vec<usize>>,
}

impl PartitionSpec {
    /// The type of the spec's partition values: fields in the spec's order, with partition field ids and names.
    ///
    /// A source column is looked up in the current schema and then in older ones, the newest first, since a dropped
    /// column may still partition old files. An unknown transform, several source columns, a source column that no
    /// schema has, and one of a type that this version does not know give the type `unknown`.
    ///
    /// Errors: `InvalidData` for a transform that cannot be applied to its source column.
    pub fn partition_type(&self, metadata: &TableMetadata) -> Result<StructType> {
        let fields = self.fields.iter().map(|field| {
            let result_type = field.result_type(metadata).context("partition spec", self.spec_id)?;
            Ok(Field::optional(field.field_id, field.name.as_str(), result_type))
        });
        Ok(StructType { fields: fields.collect::<Result<_>>()? })
    }
}

impl PartitionField {
    /// The type of the one source column, looked up in all schemas, the newest first.
    pub fn source_type<'a>(&self, metadata: &'a TableMetadata) -> Option<&'a Type> {
        let [source_id] = self.source_ids.as_slice() else { return None };
        let mut schemas = metadata.schemas_newest_first();
        schemas.find_map(|schema| schema.field(*source_id)).map(|source| &source.field_type)
    }

    fn result_type(&self, metadata: &TableMetadata) -> Result<Type> {
        match (&self.transform, self.source_type(metadata)) {
            (Transform::Unknown(_), _) | (_, None | Some(Type::Unrecognized(_))) => {
                Ok(PrimitiveType::Unknown.into())
            }
            (transform, Some(source)) => transform
                .result_type(source)
                .map_err(|error| {
                    Error::invalid_data(format!(
                        "a partition field does not fit its source column: {}",
                        error.message()
                    ))
                })
                .context("partition field", &self.name),
        }
    }
}

/// The union of the partition fields of all specs, by partition field id in ascending order.
///
/// A field in several specs has the name of the newest of them, and the type of the newest in which it is not void.
/// v1 numbered the fields of each spec from the start, so one id can mean different fields. Then the newest spec
/// keeps the id, and the field of the older spec gets a new id above all others. If two fields have the same name,
/// the one with the lower id is renamed: its id is appended.
///
/// Errors: those of [`PartitionSpec::partition_type`].
pub fn unified_partition(metadata: &TableMetadata) -> Result<UnifiedPartition> {
    let mut specs: Vec<&Arc<PartitionSpec>> = metadata.partition_specs.iter().collect();
    specs.sort_by_key(|spec| std::cmp::Reverse(spec.spec_id));
    let mut union = Union::new(&specs);
    let mut ids_by_spec = BTreeMap::new();
    for spec in specs {
        let types = spec.partition_type(metadata)?;
        let pairs = spec.fields.iter().zip(types.fields);
        let ids = pairs.map(|(field, typed)| union.add(field, typed)).collect::<Result<Vec<_>>>()?;
        ids_by_spec.insert(spec.spec_id, ids);
    }
    let order: HashMap<i32, usize> =
        union.by_id.keys().enumerate().map(|(position, id)| (*id, position)).collect();
    let positions = ids_by_spec
        .into_iter()
        .map(|(spec_id, ids)| (spec_id, ids.iter().filter_map(|id| order.get(id).copied()).collect()))
        .collect();
    Ok(UnifiedPartition { struct_type: union.into_struct(), positions })
}

/// The struct of [`unified_partition`] alone.
pub fn unified_partition_type(metadata: &TableMetadata) -> Result<StructType> {
    unified_partition(metadata).map(|unified| unified.struct_type)
}

/// The union in the making, fed from the newest spec to the oldest.
struct Union<'a> {
    by_id: BTreeMap<i32, (&'a PartitionField, Field)>,
    /// New ids for fields of v1 specs whose own id means something else.
    moved: Vec<i32>,
    highest_id: i32,
}

impl<'a> Union<'a> {
    fn new(specs: &[&'a Arc<PartitionSpec>]) -> Self {
        let highest_id =
            specs.iter().flat_map(|spec| &spec.fields).map(|field| field.field_id).max().unwrap_or(0);
        Self { by_id: BTreeMap::new(), moved: Vec::new(), highest_id }
    }

    /// Adds a field and returns its id in the union.
    fn add(&mut self, field: &'a PartitionField, typed: Field) -> Result<i32> {
        if let Entry::Vacant(unknown) = self.by_id.entry(field.field_id) {
            unknown.insert((field, typed));
            return Ok(field.field_id);
        }
        for id in std::iter::once(&field.field_id).chain(&self.moved) {
            let Some((known, known_typed)) = self.by_id.get_mut(id) else { continue };
            if means_the_same(known, field) {
                if known.transform == Transform::Void {
                    *known = field;
                    known_typed.field_type = typed.field_type;
                }
                return Ok(*id);
            }
        }
        let id = self.highest_id.checked_add(1).ok_or_else(|| {
            Error::invalid_data(format!("no partition field id is left above {}", self.highest_id))
        })?;
        self.highest_id = id;
        self.moved.push(id);
        self.by_id.insert(id, (field, Field { id, ..typed }));
        Ok(id)
    }

    fn into_struct(self) -> StructType {
        let mut names: HashSet<String> = HashSet::new();
        let mut fields: Vec<Field> = self.by_id.into_values().map(|(_, typed)| typed).collect();
        for field in fields.iter_mut().rev() {
            while !names.insert(field.name.clone()) {
                field.name = format!("{}_{}", field.name, field.id);
            }
        }
        StructType { fields }
    }
}

/// Do two fields with one id have the same values? A field stays the same if it was voided.
fn means_the_same(left: &PartitionField, right: &PartitionField) -> bool {
    let void = |field: &PartitionField| field.transform == Transform::Void;
    left.source_ids == right.source_ids && (left.transform == right.transform || void(left) || void(right))
}
