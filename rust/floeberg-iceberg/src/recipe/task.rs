//! A task and its deletes, as JSON.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::expr::{BoundExpr, Residuals, json as expr_json, unbind};
use floeberg_core::schema::{StructType, Type};
use floeberg_core::value::{Value, single_value};
use floeberg_core::{Context, Result};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::ReadRecipe;
use super::fields::{array, field, int, ints, long, optional_long, optional_string, string, wrong};
use crate::plan::{DeleteFile, DeleteKind, FileScanTask, TaskRow};

type Partition = Vec<(i32, Option<Value>)>;

/// A task in a recipe. Its deletes are numbers in the group's list; its residual is computed again, unless a server gave it.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TaskText<'a> {
    file_path: &'a str,
    location: &'a str,
    format: &'static str,
    size: i64,
    records: i64,
    range: Option<(u64, u64)>,
    spec: i32,
    partition: Vec<(i32, Option<Vec<u8>>)>,
    sequence: i64,
    first_row_id: Option<i64>,
    deletes: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<Json>,
}

impl<'a> TaskText<'a> {
    /// Of a row of a plan, and the part of its file.
    pub fn of_row(
        row: &TaskRow<'a>,
        range: Option<Range<u64>>,
        deletes: Vec<usize>,
        served_residual: Option<&BoundExpr>,
    ) -> Result<Self> {
        Ok(Self {
            file_path: row.file_path,
            location: row.location,
            format: row.file_format.name(),
            size: row.file_size_in_bytes,
            records: row.record_count,
            range: range.map(|range| (range.start, range.end)),
            spec: row.spec_id,
            partition: partition_bytes(&row.partition)?,
            sequence: row.data_sequence_number,
            first_row_id: row.first_row_id,
            deletes,
            residual: served_residual.map(|residual| expr_json::to_json(&unbind(residual))).transpose()?,
        })
    }

    /// Of a task.
    pub fn of_task(task: &'a FileScanTask, deletes: Vec<usize>, has_served_residual: bool) -> Result<Self> {
        let served_residual = Some(&task.residual).filter(|_| has_served_residual);
        Ok(Self {
            file_path: &task.file_path,
            location: &task.location,
            format: task.file_format.name(),
            size: task.file_size_in_bytes,
            records: task.record_count,
            range: task.byte_range.as_ref().map(|range| (range.start, range.end)),
            spec: task.spec_id,
            partition: partition_bytes(&task.partition)?,
            sequence: task.data_sequence_number,
            first_row_id: task.first_row_id,
            deletes,
            residual: served_residual.map(|residual| expr_json::to_json(&unbind(residual))).transpose()?,
        })
    }
}

pub(super) fn task_from_json(
    json: &Json,
    deletes: &[Arc<DeleteFile>],
    read: &ReadRecipe,
    residuals: &BTreeMap<i32, Residuals>,
) -> Result<FileScanTask> {
    let spec_id = int(json, "spec")?;
    let numbers = array(json, "deletes")?.iter().map(|number| {
        let position = number.as_u64().and_then(|number| usize::try_from(number).ok());
        position.and_then(|position| deletes.get(position)).cloned().ok_or_else(|| wrong("deletes", number))
    });
    let deletes = numbers.collect::<Result<_>>()?;
    let range = field(json, "range")?;
    let byte_range = match range.as_array().map(Vec::as_slice) {
        None if range.is_null() => None,
        Some([start, end]) => match start.as_u64().zip(end.as_u64()) {
            Some((start, end)) => Some(start..end),
            None => return Err(wrong("range", range)),
        },
        _ => return Err(wrong("range", range)),
    };
    let partition = partition_from_json(field(json, "partition")?, read.partition_type(spec_id)?)?;
    let residual = match json.get("residual") {
        Some(served) => read.bound(&expr_json::from_json(served)?)?,
        None => residuals.get(&spec_id).ok_or_else(|| wrong("specs", spec_id))?.of(&partition),
    };
    Ok(FileScanTask {
        file_path: string(json, "file-path")?,
        location: string(json, "location")?,
        file_format: string(json, "format")?.parse()?,
        file_size_in_bytes: long(json, "size")?,
        record_count: long(json, "records")?,
        byte_range,
        spec_id,
        residual: Arc::new(residual),
        partition: Arc::new(partition),
        data_sequence_number: long(json, "sequence")?,
        first_row_id: optional_long(json, "first-row-id")?,
        deletes,
    })
}

pub(super) fn delete_to_json(delete: &DeleteFile) -> Result<Json> {
    let kind = match &delete.kind {
        DeleteKind::Position => json!("position"),
        DeleteKind::Equality { equality_ids } => json!({"equality": equality_ids}),
        DeleteKind::Vector { content_offset, content_size_in_bytes } => {
            json!({"offset": content_offset, "size": content_size_in_bytes})
        }
    };
    Ok(json!({
        "file-path": delete.file_path,
        "location": delete.location,
        "format": delete.file_format.to_string(),
        "kind": kind,
        "records": delete.record_count,
        "size": delete.file_size_in_bytes,
        "sequence": delete.data_sequence_number,
        "referenced": delete.referenced_data_file,
        "spec": delete.spec_id,
        "partition": partition_bytes(&delete.partition)?,
    }))
}

pub(super) fn delete_from_json(json: &Json, read: &ReadRecipe) -> Result<DeleteFile> {
    let spec_id = int(json, "spec")?;
    Ok(DeleteFile {
        file_path: string(json, "file-path")?,
        location: string(json, "location")?,
        file_format: string(json, "format")?.parse()?,
        kind: kind_from_json(field(json, "kind")?)?,
        record_count: long(json, "records")?,
        file_size_in_bytes: long(json, "size")?,
        data_sequence_number: long(json, "sequence")?,
        referenced_data_file: optional_string(json, "referenced")?,
        spec_id,
        partition: partition_from_json(field(json, "partition")?, read.partition_type(spec_id)?)?,
    })
}

fn kind_from_json(kind: &Json) -> Result<DeleteKind> {
    if kind == "position" {
        return Ok(DeleteKind::Position);
    }
    if kind.get("offset").is_some() {
        return Ok(DeleteKind::Vector {
            content_offset: long(kind, "offset")?,
            content_size_in_bytes: long(kind, "size")?,
        });
    }
    Ok(DeleteKind::Equality { equality_ids: ints(kind, "equality")? })
}

/// Values by field, in the spec's order, as the bytes of their single-value serialization: JSON numbers have no NaN.
fn partition_bytes(partition: &[(i32, Option<Value>)]) -> Result<Vec<(i32, Option<Vec<u8>>)>> {
    let values = partition
        .iter()
        .map(|(id, value)| Ok((*id, value.as_ref().map(single_value::to_bytes).transpose()?)));
    values.collect::<Result<_>>().context("recipe", "partition")
}

fn partition_from_json(json: &Json, partition_type: &StructType) -> Result<Partition> {
    let values = json.as_array().filter(|values| values.len() == partition_type.fields.len());
    let values = values.ok_or_else(|| wrong("partition", json))?;
    let pairs = values.iter().zip(&partition_type.fields).map(|(pair, field)| {
        let id = pair.get(0).and_then(Json::as_i64).and_then(|id| i32::try_from(id).ok());
        let id = id.ok_or_else(|| wrong("partition", pair))?;
        let bytes = match pair.get(1) {
            Some(Json::Null) => return Ok((id, None)),
            Some(Json::Array(bytes)) => bytes,
            _ => return Err(wrong("partition", pair)),
        };
        let bytes = bytes.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()));
        let bytes: Vec<u8> = bytes.collect::<Option<_>>().ok_or_else(|| wrong("partition", pair))?;
        let Type::Primitive(primitive) = &field.field_type else { return Err(wrong("partition", pair)) };
        Ok((id, Some(single_value::from_bytes(primitive, &bytes)?)))
    });
    pairs.collect()
}
