//! Who wraps the keys of encrypted tables, in Python?
//!
//! In: an object of the user, or the options that name one. Out: a service for the Rust crates.
//!
//! Invariant: Python is asked only for a table that is encrypted, by the thread that needs the answer, and no lock is held. An
//! object crosses to another process as its pickle, or as the options that name it, and never with a key of a file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{KeyManagement, Secret, StoreOptions, set_key_management_opener};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

use crate::error::kind_of;

/// How an object was sent.
const BY_OPTIONS: u8 = 0;
const BY_PICKLE: u8 = 1;

/// A service in Python.
pub struct PythonKeyManagement {
    object: PyOnceLock<Py<PyAny>>,
    /// The options that name the object, where it was not given.
    options: Option<BTreeMap<String, String>>,
}

impl fmt::Debug for PythonKeyManagement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PythonKeyManagement")
    }
}

impl PythonKeyManagement {
    /// A service that was given.
    fn of_object(object: Py<PyAny>) -> Self {
        let cell = PyOnceLock::new();
        Python::attach(|py| cell.set(py, object).ok());
        Self { object: cell, options: None }
    }

    /// The object; `None` of Python for options that name none.
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.object.get_or_try_init(py, || {
            let options = self.options.clone().unwrap_or_default();
            let made = py.import("floeberg.encryption")?.call_method1("key_management_of", (options,))?;
            Ok::<_, PyErr>(made.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// Asks Python.
    fn ask<T: Send>(what: &'static str, ask: impl FnOnce(Python<'_>) -> PyResult<T> + Send) -> Result<T> {
        let asked = Python::try_attach(|py| {
            ask(py).map_err(|raised| {
                if let Some(kind) = kind_of(py, &raised) {
                    return Error::new(kind, raised.value(py).to_string());
                }
                // The text of another error may have a key.
                let class = raised.get_type(py).name();
                let class = class.map_or_else(|_| String::new(), |name| name.to_string());
                Error::new(
                    ErrorKind::Storage,
                    format!("the key management could not {what}: it raised {class}"),
                )
            })
        });
        asked.unwrap_or_else(|| Err(Error::new(ErrorKind::Storage, "Python ends: no key can be asked for")))
    }
}

impl KeyManagement for PythonKeyManagement {
    fn is_there(&self) -> Result<bool> {
        Self::ask("be opened", |py| Ok(!self.object(py)?.is_none()))
    }

    fn wrap_key(&self, key: &[u8], wrapping_key_id: &str) -> Result<Vec<u8>> {
        Self::ask("wrap a key", |py| {
            let key = PyBytes::new(py, key);
            self.object(py)?.call_method1("wrap_key", (key, wrapping_key_id))?.extract()
        })
    }

    fn unwrap_key(&self, wrapped_key: &[u8], wrapping_key_id: &str) -> Result<Secret> {
        Self::ask("unwrap a key", |py| {
            let wrapped = PyBytes::new(py, wrapped_key);
            let key = self.object(py)?.call_method1("unwrap_key", (wrapped, wrapping_key_id))?;
            Ok(Secret::new(key.extract()?))
        })
    }

    fn generate_key(&self, wrapping_key_id: &str) -> Result<Option<(Secret, Vec<u8>)>> {
        Self::ask("generate a key", |py| {
            let object = self.object(py)?;
            let Some(supports) = object.getattr_opt("supports_key_generation")? else { return Ok(None) };
            let supports = if supports.is_callable() { supports.call0()? } else { supports };
            if !supports.is_truthy()? {
                return Ok(None);
            }
            let made = object.call_method1("generate_key", (wrapping_key_id,))?;
            let (key, wrapped): (Vec<u8>, Vec<u8>) = made.extract()?;
            Ok(Some((Secret::new(key), wrapped)))
        })
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let (kind, body) = if let Some(options) = &self.options {
            let body = serde_json::to_vec(options)
                .map_err(|failure| Error::internal("options cannot be written").caused_by(failure))?;
            (BY_OPTIONS, body)
        } else {
            let pickled = Self::ask("be sent to another process", |py| {
                py.import("pickle")?.call_method1("dumps", (self.object(py)?,))?.extract::<Vec<u8>>()
            });
            (BY_PICKLE, pickled.map_err(Error::of_input)?)
        };
        Ok([&[kind], body.as_slice()].concat())
    }
}

/// Lets recipes of other processes open the services that they describe.
pub fn open_described_services() {
    set_key_management_opener(opened);
}

/// The options of stores with the service of a user: the object, or what the options name.
pub fn storage_of(options: BTreeMap<String, String>, object: Option<Py<PyAny>>) -> StoreOptions {
    let management: Arc<dyn KeyManagement> = match object {
        Some(object) => Arc::new(PythonKeyManagement::of_object(object)),
        None => named(options.clone()),
    };
    options.into_iter().collect::<StoreOptions>().with_key_management(Some(management))
}

/// The object of the service of some options; `None` where they name one or none.
pub fn object_of(py: Python<'_>, options: &StoreOptions) -> PyResult<Option<Py<PyAny>>> {
    let Some(management) = options.key_management() else { return Ok(None) };
    let management: &dyn std::any::Any = management.as_ref();
    match management.downcast_ref::<PythonKeyManagement>() {
        Some(own) => own.object(py).map(|object| (!object.is_none()).then(|| object.unbind())),
        None => Ok(None),
    }
}

/// What the options name, once it is needed.
fn named(options: BTreeMap<String, String>) -> Arc<dyn KeyManagement> {
    Arc::new(PythonKeyManagement { object: PyOnceLock::new(), options: Some(options) })
}

/// Opens the service that another process described.
fn opened(bytes: &[u8]) -> Result<Arc<dyn KeyManagement>> {
    let damaged = || Error::invalid_input("the key management of a recipe is damaged");
    match bytes.split_first().ok_or_else(damaged)? {
        (&BY_OPTIONS, body) => {
            let options: BTreeMap<String, String> =
                serde_json::from_slice(body).map_err(|failure| damaged().caused_by(failure))?;
            Ok(named(options))
        }
        (&BY_PICKLE, body) => PythonKeyManagement::ask("be opened", |py| {
            let object = py.import("pickle")?.call_method1("loads", (PyBytes::new(py, body),))?;
            Ok(Arc::new(PythonKeyManagement::of_object(object.unbind())) as Arc<dyn KeyManagement>)
        }),
        _ => Err(damaged()),
    }
}
