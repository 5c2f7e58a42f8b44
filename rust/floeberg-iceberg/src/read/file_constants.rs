//! Which values do all rows of a task have, without reading the file?
//!
//! Spec: Column Projection (identity transforms); Reserved Field IDs.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use floeberg_files::{FileConstants, Origin};

use super::ReadRequest;
use crate::metadata::PartitionSpec;
use crate::plan::FileScanTask;

/// The columns that have one value in all rows of a task. Errors: `InvalidData` for a spec that the table does not have.
pub(super) fn constants_of(request: &ReadRequest, task: &FileScanTask) -> Result<FileConstants> {
    let values = match request.specs.get(&task.spec_id) {
        Some(spec) => identity_values(spec, &task.partition),
        None if task.partition.is_empty() => BTreeMap::new(),
        None => {
            return Err(Error::invalid_data(format!(
                "the file has partition spec {}, which the table does not have",
                task.spec_id
            )));
        }
    };
    let origin = request.names_metadata().then(|| Arc::new(origin(request, task)));
    Ok(FileConstants::new(values).with_origin(origin))
}

/// The values of identity partition fields by their columns, from partition values by partition field id.
fn identity_values(spec: &PartitionSpec, partition: &[(i32, Option<Value>)]) -> BTreeMap<i32, Option<Value>> {
    let identity = spec.fields.iter().filter(|field| field.transform == Transform::Identity);
    let values = identity.filter_map(|field| {
        let [source] = field.source_ids.as_slice() else { return None };
        let (_, value) = partition.iter().find(|(id, _)| *id == field.field_id)?;
        Some((*source, value.clone()))
    });
    values.collect()
}

fn origin(request: &ReadRequest, task: &FileScanTask) -> Origin {
    let ids = request.partition_fields.get(&task.spec_id).map_or(&[][..], Vec::as_slice);
    let values = ids.iter().zip(task.partition.iter());
    Origin {
        file_path: task.file_path.clone(),
        spec_id: task.spec_id,
        partition: values.map(|(id, (_, value))| (*id, value.clone())).collect(),
        first_row_id: task.first_row_id,
        data_sequence_number: task.data_sequence_number,
    }
}
