//! What does `floeberg.Table` ask of statistics files?

use floeberg_core::Cancel;
use floeberg_iceberg::metadata::{PartitionStatisticsFile, StatisticsFile};
use floeberg_iceberg::wire::puffin::{BlobMetadata, Compression};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::Value as Json;

use crate::arrow::Batches;
use crate::runtime;
use crate::table::table::Table;

/// The statistics files of a table, as JSON text.
#[pyfunction]
pub fn statistics_files(py: Python<'_>, table: &Bound<'_, Table>) -> PyResult<String> {
    let table = &table.get().table;
    runtime::call(py, || {
        let files = table.metadata().statistics_files()?;
        Ok(files.iter().map(StatisticsFile::to_json).collect::<Json>().to_string())
    })
}

/// The partition statistics files of a table, as JSON text.
#[pyfunction]
pub fn partition_statistics_files(py: Python<'_>, table: &Bound<'_, Table>) -> PyResult<String> {
    let table = &table.get().table;
    runtime::call(py, || {
        let files = table.metadata().partition_statistics_files()?;
        Ok(files.iter().map(PartitionStatisticsFile::to_json).collect::<Json>().to_string())
    })
}

/// The blobs that the footer of a statistics file lists: the fields of `floeberg.statistics.PuffinBlob`.
#[pyfunction]
pub fn statistics_blobs<'py>(
    py: Python<'py>,
    table: &Bound<'_, Table>,
    path: String,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let table = table.get().table.clone();
    let work = move |_: &Cancel| table.statistics_footer(&path);
    let footer = runtime::run(py, &Cancel::default(), work)?;
    footer.blobs.iter().enumerate().map(|(number, blob)| describe_blob(py, number, blob)).collect()
}

/// The content of a blob of a statistics file, decompressed.
#[pyfunction]
pub fn statistics_blob<'py>(
    py: Python<'py>,
    table: &Bound<'_, Table>,
    path: String,
    number: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let table = table.get().table.clone();
    let work = move |_: &Cancel| table.statistics_blob(&path, number);
    Ok(PyBytes::new(py, &runtime::run(py, &Cancel::default(), work)?))
}

/// The rows of a partition statistics file.
#[pyfunction]
pub fn partition_statistics_rows(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    path: String,
) -> PyResult<Batches> {
    let table = table.get().table.clone();
    let work = move |cancel: &Cancel| table.partition_statistics_rows(&path, cancel);
    let (schema, rows) = runtime::run(py, &Cancel::default(), work)?;
    Ok(Batches { schema, rows })
}

fn describe_blob<'py>(py: Python<'py>, number: usize, blob: &BlobMetadata) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("number", number)?;
    fields.set_item("type", &blob.blob_type)?;
    fields.set_item("snapshot_id", blob.snapshot_id)?;
    fields.set_item("sequence_number", blob.sequence_number)?;
    fields.set_item("fields", PyTuple::new(py, &blob.fields)?)?;
    fields.set_item("offset", blob.offset)?;
    fields.set_item("length", blob.length)?;
    fields.set_item("compression_codec", blob.compression.map(Compression::name))?;
    fields.set_item("properties", &blob.properties)?;
    Ok(fields)
}
