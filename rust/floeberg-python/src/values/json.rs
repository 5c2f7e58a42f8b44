//! How does JSON text of Python become JSON?

use std::borrow::Cow;
use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use pyo3::prelude::*;
use serde_json::Value as Json;
use serde_json::value::{RawValue, to_raw_value};

use crate::runtime;

/// The JSON of a text; null without one. `what` names it in errors.
pub fn json(what: &str, text: Option<&str>) -> Result<Json> {
    text.map_or(Ok(Json::Null), |text| {
        serde_json::from_str(text).map_err(|failure| {
            Error::invalid_input(format!("the {what} is not valid JSON")).caused_by(failure)
        })
    })
}

/// The members of a JSON object, each as its own text.
type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// A JSON object without the lists and objects of one of its members, and this member as its own text; `None` for bytes that are
/// not a JSON object with such a member.
///
/// So a large member is not made into objects of Python only to be written again.
#[pyfunction]
pub fn split_json(py: Python<'_>, content: &[u8], member: &str) -> PyResult<Option<(String, String)>> {
    runtime::call(py, || Ok(split(content, member)))
}

fn split(content: &[u8], member: &str) -> Option<(String, String)> {
    let whole: Members<'_> = serde_json::from_slice(content).ok()?;
    let text = whole.get(member)?.get();
    let own: Members<'_> = serde_json::from_str(text).ok()?;
    let is_flat = |value: &RawValue| !value.get().starts_with(['{', '[']);
    let own: Members<'_> = own.into_iter().filter(|(_, value)| is_flat(value)).collect();
    let own = to_raw_value(&own).ok()?;
    let mut rest = whole.clone();
    rest.insert(Cow::Borrowed(member), &own);
    Some((serde_json::to_string(&rest).ok()?, text.to_owned()))
}
