//! How do the times and counts of a scan reach Python?

use std::time::Duration;

use floeberg_core::Cancel;
use floeberg_iceberg::{PlanningAnalysis, ReadingAnalysis, Scan};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime;

/// Reads all rows of a scan and drops them: the fields of `floeberg.scan.analysis.PlanningAnalysis` and of `ReadingAnalysis`. Times are in seconds.
pub fn analyze<'py>(py: Python<'py>, scan: &Scan) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let scan = scan.clone();
    let (_, planning, reading) = runtime::run(py, &Cancel::default(), move |cancel| scan.analyze(cancel))?;
    Ok((describe_planning(py, planning)?, describe_reading(py, reading)?))
}

fn describe_planning(py: Python<'_>, planning: PlanningAnalysis) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("seconds", planning.elapsed.as_secs_f64())?;
    fields.set_item("waiting_seconds", planning.read.waited.as_secs_f64())?;
    fields.set_item("reads", planning.read.reads)?;
    fields.set_item("bytes_read", planning.read.bytes)?;
    Ok(fields)
}

fn describe_reading(py: Python<'_>, reading: ReadingAnalysis) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    let seconds: [(&str, Duration); 5] = [
        ("seconds", reading.elapsed),
        ("waiting_seconds", reading.read.waited),
        ("opening_seconds", reading.opening),
        ("deletes_seconds", reading.deletes),
        ("rows_seconds", reading.rows),
    ];
    for (name, duration) in seconds {
        fields.set_item(name, duration.as_secs_f64())?;
    }
    let counts = [
        ("threads", reading.threads as u64),
        ("reads", reading.read.reads),
        ("bytes_read", reading.read.bytes),
        ("data_files", reading.files),
        ("row_groups", reading.row_groups),
        ("row_groups_skipped", reading.row_groups_skipped),
        ("pages", reading.pages),
        ("pages_skipped", reading.pages_skipped),
        ("batches", reading.batches),
        ("rows", reading.result_rows),
        ("size_in_bytes", reading.result_bytes),
    ];
    for (name, count) in counts {
        fields.set_item(name, count)?;
    }
    Ok(fields)
}
