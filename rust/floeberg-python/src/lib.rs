//! The Python extension module `floeberg._native`.
//!
//! Classes and functions that the Python package wraps; nobody else calls them. `runtime` is the one door out of
//! Python, `error` the one mapping of errors, `arrow` the only code that shares memory with Python.

use pyo3::prelude::*;

/// What the Python package is built on. Use `floeberg`, not this.
#[pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
