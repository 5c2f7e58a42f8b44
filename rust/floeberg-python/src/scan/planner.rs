//! Who plans a scan where the server of a catalog demands it?
//!
//! In: a scan. Out: the same scan with the plan of the server, which a function of Python asks.
//!
//! Invariant: Python is asked on the thread that called, and its exceptions are raised unchanged.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_iceberg::Scan as IcebergScan;
use floeberg_iceberg::plan::ScanPlanner;
use pyo3::prelude::*;
use serde_json::Value as Json;

use crate::runtime;

/// A function of Python: it takes the JSON text of a request, and returns the JSON texts of the answers, and options of stores that
/// read the files, or `None`.
pub struct PythonPlanner(Py<PyAny>);

impl PythonPlanner {
    /// The planner of a function.
    pub fn of(function: Py<PyAny>) -> Arc<dyn ScanPlanner> {
        Arc::new(Self(function))
    }
}

impl fmt::Debug for PythonPlanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PythonPlanner")
    }
}

impl ScanPlanner for PythonPlanner {}

/// The scan, with the plan of the server where one demands it.
pub fn planned(py: Python<'_>, scan: &IcebergScan) -> PyResult<IcebergScan> {
    let Some(planner) = &scan.table().options().planner else { return Ok(scan.clone()) };
    let planner: &dyn Any = planner.as_ref();
    let Some(PythonPlanner(function)) = planner.downcast_ref() else {
        let elsewhere = || {
            Err(Error::unsupported(
                "the server of the catalog demands to plan scans of this table, and a table or scan that was pickled cannot ask it: \
                 send the groups of scan.plan_files().split() instead",
            ))
        };
        return runtime::call(py, elsewhere);
    };
    let request = runtime::call(py, || Ok(scan.served_request()?.map(|body| body.to_string())))?;
    let Some(request) = request else { return Ok(scan.clone()) };
    let (answers, storage): (Vec<String>, Option<BTreeMap<String, String>>) =
        function.bind(py).call1((request,))?.extract()?;
    runtime::call(py, || {
        let read = |text: &String| -> Result<Json> {
            serde_json::from_str(text).map_err(|failure| {
                Error::invalid_data("an answer with scan tasks is not valid JSON").caused_by(failure)
            })
        };
        let answers: Vec<Json> = answers.iter().map(read).collect::<Result<_>>()?;
        scan.served(&answers, storage.map(|storage| storage.into_iter().collect()))
    })
}
