//! Who gives new options for a store whose last ones end?
//!
//! In: options that requests wait for. Out: what their provider answers, a function of Python that is found by name.
//!
//! Invariant: providers are asked on the thread that called from Python, between two looks at the work that it waits for.

use std::collections::BTreeMap;

use floeberg_io::{StoreOptions, renewal};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// Asks the providers of all options that are wanted. An exception of a provider is passed to the threads that wait
/// for its options. Other exceptions, such as Ctrl-C, are raised here.
pub fn renew_wanted(py: Python<'_>) -> PyResult<()> {
    let mut interrupted = Ok(());
    for first in renewal::wanted() {
        let answer = ask(py, &first).map_err(|raised| {
            let text = raised.value(py).to_string();
            if !raised.is_instance_of::<PyException>(py) {
                interrupted = Err(raised);
            }
            text
        });
        renewal::renewed(&first, answer);
    }
    interrupted
}

fn ask(py: Python<'_>, first: &StoreOptions) -> PyResult<StoreOptions> {
    let options: BTreeMap<&str, &str> = first.iter().collect();
    let answer =
        py.import("floeberg.storage_options")?.call_method1("refresh_storage_options", (options,))?;
    Ok(answer.extract::<BTreeMap<String, String>>()?.into_iter().collect())
}
