//! How does a task reach Python?

use floeberg_iceberg::metadata::PartitionSpec;
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, FileScanTask};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::values::expression::{Tree, unbind, value_to_python};

/// The fields of a data file, its partition as (name, literal), the fields of its deletes, its residual, and the byte
/// range if only a part of the file is read.
pub type TaskParts<'py> =
    (Bound<'py, PyDict>, Bound<'py, PyList>, Vec<Bound<'py, PyDict>>, Tree, Option<(u64, Option<u64>)>);

/// The parts of a task of a file that is partitioned by a spec.
pub fn describe_task<'py>(
    py: Python<'py>,
    task: &FileScanTask,
    spec: &PartitionSpec,
) -> PyResult<TaskParts<'py>> {
    let file = PyDict::new(py);
    file.set_item("file_path", &task.file_path)?;
    file.set_item("location", &task.location)?;
    file.set_item("file_format", task.file_format.name())?;
    file.set_item("spec_id", task.spec_id)?;
    file.set_item("record_count", task.record_count)?;
    file.set_item("file_size_in_bytes", task.file_size_in_bytes)?;
    file.set_item("data_sequence_number", task.data_sequence_number)?;
    file.set_item("first_row_id", task.first_row_id)?;
    let partition = PyList::empty(py);
    for (field, (_, value)) in spec.fields.iter().zip(task.partition.iter()) {
        let value = value.as_ref().map(|value| value_to_python(py, value)).transpose()?;
        partition.append((&field.name, value))?;
    }
    let deletes = task.deletes.iter().map(|delete| describe_delete(py, delete));
    // The last part of a file has no end.
    let range = task.byte_range.as_ref();
    let range = range.map(|range| (range.start, (range.end != u64::MAX).then_some(range.end)));
    Ok((file, partition, deletes.collect::<PyResult<_>>()?, Tree(unbind(&task.residual)), range))
}

/// The fields of a delete file.
pub fn describe_delete<'py>(py: Python<'py>, delete: &DeleteFile) -> PyResult<Bound<'py, PyDict>> {
    let nothing = || py.None().into_bound(py);
    let (content, ids, offset, size) = match &delete.kind {
        DeleteKind::Position => ("position", Vec::new(), nothing(), nothing()),
        DeleteKind::Equality { equality_ids } => ("equality", equality_ids.clone(), nothing(), nothing()),
        DeleteKind::Vector { content_offset, content_size_in_bytes } => (
            "vector",
            Vec::new(),
            content_offset.into_bound_py_any(py)?,
            content_size_in_bytes.into_bound_py_any(py)?,
        ),
    };
    let fields = PyDict::new(py);
    fields.set_item("file_path", &delete.file_path)?;
    fields.set_item("location", &delete.location)?;
    fields.set_item("file_format", delete.file_format.name())?;
    fields.set_item("content", content)?;
    fields.set_item("equality_ids", pyo3::types::PyTuple::new(py, ids)?)?;
    fields.set_item("record_count", delete.record_count)?;
    fields.set_item("file_size_in_bytes", delete.file_size_in_bytes)?;
    fields.set_item("data_sequence_number", delete.data_sequence_number)?;
    fields.set_item("referenced_data_file", &delete.referenced_data_file)?;
    fields.set_item("content_offset", offset)?;
    fields.set_item("content_size_in_bytes", size)?;
    Ok(fields)
}
