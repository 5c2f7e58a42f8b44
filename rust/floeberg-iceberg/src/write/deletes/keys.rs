//! Which columns can be the keys of equality deletes, and under which specs do their files go?
//!
//! In: field ids, and the specs under which the table has data files. Out: nothing, or why not; the specs of delete files.
//! Spec: Equality Delete Files; Identifier Field IDs; Scan Planning (equality deletes apply within a partition, those of an
//! unpartitioned spec everywhere).
//!
//! Invariant: every data file that may hold a row with a key is in the partition of a delete file with that key.

use std::collections::{BTreeSet, HashSet};

use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};

use super::recipe::DeleteRecipe;
use crate::metadata::PartitionSpec;

/// Errors: `InvalidInput` for columns that cannot be keys, and without any.
pub(super) fn check_keys(schema: &Schema, keys: &[i32]) -> Result<()> {
    if keys.is_empty() {
        return Err(Error::invalid_input("equality deletes compare at least one column"));
    }
    let mut seen = HashSet::new();
    for id in keys {
        let Some(path) = schema.path(*id) else {
            return Err(Error::invalid_input(format!("no column has the field id {id}")));
        };
        let name = schema.full_name(*id).unwrap_or_default();
        let refused =
            |why: &str| Err(Error::invalid_input(format!("column {name:?} cannot be a key: {why}")));
        if !seen.insert(*id) {
            return refused("it is named twice");
        }
        let Some((field, parents)) = path.split_last() else { continue };
        if parents.iter().any(|parent| !matches!(parent.field_type, Type::Struct(_))) {
            return refused("it is inside a list or a map");
        }
        match &field.field_type {
            Type::Primitive(PrimitiveType::Float | PrimitiveType::Double) => {
                return refused("floating-point numbers are not compared by equality deletes");
            }
            Type::Primitive(
                PrimitiveType::Unknown | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. },
            ) => return refused(&format!("values of type {} are not compared", field.field_type)),
            Type::Primitive(_) => {}
            other => return refused(&format!("it is of type {other}, and keys are of primitive types")),
        }
    }
    Ok(())
}

/// The specs that each key is written under, where the table has data files of some specs.
///
/// Errors: `InvalidInput` where rows with a key may be in any partition, and the table has no unpartitioned spec.
pub(super) fn specs_for(recipe: &DeleteRecipe, keys: &[i32], live: &BTreeSet<i32>) -> Result<Vec<i32>> {
    let live = if live.is_empty() { BTreeSet::from([recipe.default_spec_id]) } else { live.clone() };
    let mut uncovered = None;
    let mut reaches_all = None;
    for spec_id in &live {
        let spec = recipe.spec(*spec_id)?;
        if spec.is_unpartitioned() {
            reaches_all = Some(*spec_id);
        }
        uncovered = uncovered.or_else(|| source_beside(spec, keys).map(|id| (*spec_id, id)));
    }
    match (reaches_all, uncovered) {
        // Deletes of an unpartitioned spec apply to files of all specs.
        (Some(spec_id), _) => Ok(vec![spec_id]),
        (None, None) => Ok(live.into_iter().collect()),
        (None, Some((spec_id, source))) => recipe.unpartitioned_spec().map(|id| vec![id]).ok_or_else(|| {
            let name = recipe.schema.full_name(source).unwrap_or_else(|| format!("of field id {source}"));
            Error::invalid_input(format!(
                "rows with these keys may be in any partition: partition spec {spec_id} depends on column {name:?}, which \
                 is not a key, and the table has no unpartitioned spec for deletes of all partitions. Add {name:?} to the \
                 keys, or delete by a filter"
            ))
        }),
    }
}

/// A column that the partition of a row depends on and that is not a key.
fn source_beside(spec: &PartitionSpec, keys: &[i32]) -> Option<i32> {
    let fields = spec.fields.iter().filter(|field| field.transform != Transform::Void);
    fields.flat_map(|field| &field.source_ids).find(|id| !keys.contains(id)).copied()
}
