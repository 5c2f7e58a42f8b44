//! How do properties of tables reach Python?
//!
//! In: properties, as a dict of texts, and the key of one. Out: its value, as a flag, a number or a text.
//!
//! Invariant: keys, defaults and parsers are those of `floeberg-properties`.

use std::collections::BTreeMap;

use floeberg_core::Error;
use floeberg_properties::{
    Kind, OF_OTHER_ENGINES, PROPERTIES, PropertyDefault, Use, flag, known, whole, word,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::runtime;

/// A key, its default as a text, how it is treated ("followed", "kept" or "refused"), and its meaning.
type Described = (&'static str, String, &'static str, &'static str);

/// What a property says.
enum Said {
    Flag(bool),
    Whole(u64),
    Text(Option<String>),
}

/// The value of a property, or its default where it is not set.
#[pyfunction]
pub fn table_property(
    py: Python<'_>,
    properties: BTreeMap<String, String>,
    name: &str,
) -> PyResult<Py<PyAny>> {
    match runtime::call(py, || said(&properties, name))? {
        Said::Flag(flag) => flag.into_py_any(py),
        Said::Whole(number) => number.into_py_any(py),
        Said::Text(text) => text.into_py_any(py),
    }
}

fn said(properties: &BTreeMap<String, String>, name: &str) -> floeberg_core::Result<Said> {
    let known = known(name).ok_or_else(|| Error::internal(format!("unknown property {name:?}")))?;
    Ok(match (known.kind, known.default) {
        (Kind::Flag, PropertyDefault::Flag(default)) => Said::Flag(flag(properties, name, default)?),
        (Kind::Whole(least), PropertyDefault::Whole(default)) => {
            Said::Whole(whole(properties, name, least)?.unwrap_or(default))
        }
        (Kind::Words(words), PropertyDefault::Word(default)) => {
            let text = properties.get(name).map_or(default, String::as_str);
            Said::Text(Some(word(name, text, words)?.to_owned()))
        }
        _ => Said::Text(properties.get(name).cloned()),
    })
}

/// Every known property, and those of other engines. A name that ends with a dot is followed by the name of a column.
#[pyfunction]
pub fn table_properties() -> Vec<Described> {
    let described = PROPERTIES.iter().map(|known| {
        let (in_use, meaning) = match known.in_use {
            Use::Followed => ("followed", known.meaning),
            Use::Kept => ("kept", known.meaning),
            Use::Refused(why) => ("refused", why),
        };
        (known.name, known.default.to_string(), in_use, meaning)
    });
    let others = OF_OTHER_ENGINES.iter().map(|name| (*name, String::new(), "kept", "Of other engines"));
    described.chain(others).collect()
}
