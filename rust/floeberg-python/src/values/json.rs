//! How does JSON text of Python become JSON?

use std::borrow::Cow;
use std::fmt;

use floeberg_core::{Error, Result};
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::runtime;

/// The JSON of a text; null without one. `what` names it in errors.
pub fn json(what: &str, text: Option<&str>) -> Result<Json> {
    text.map_or(Ok(Json::Null), |text| {
        serde_json::from_str(text).map_err(|failure| {
            Error::invalid_input(format!("the {what} is not valid JSON")).caused_by(failure)
        })
    })
}

/// A JSON object without the lists and objects of one of its members, and this member as its own text; `None` for bytes that are
/// not a JSON object with such a member.
///
/// So a large member is not made into objects of Python only to be written again.
#[pyfunction]
pub fn split_json(py: Python<'_>, content: &[u8], member: &str) -> PyResult<Option<(String, String)>> {
    runtime::call(py, || Ok(split(content, member)))
}

fn split(content: &[u8], member: &str) -> Option<(String, String)> {
    let mut deserializer = serde_json::Deserializer::from_slice(content);
    let whole = Whole { member }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let own = whole.own?;
    let is_flat = |value: &RawValue| !value.get().starts_with(['{', '[']);
    let flat = object(own.iter().filter(|(_, value)| is_flat(value)).map(|(key, value)| (key, value.get())));
    let rest = whole.others.iter().map(|(key, value)| (key, value.get()));
    let key = Cow::Borrowed(member);
    let rest = object(rest.chain([(&key, flat.as_str())]));
    Some((rest, object(own.iter().map(|(key, value)| (key, value.get())))))
}

/// The members of a JSON object in their order, each as its own text.
type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The text of an object with these members. What occurs twice stays so, for those who read the text.
fn object<'a>(members: impl Iterator<Item = (&'a Cow<'a, str>, &'a str)> + Clone) -> String {
    let bytes: usize = members.clone().map(|(key, value)| key.len() + value.len() + 8).sum();
    let mut text = String::with_capacity(bytes + 2);
    text.push('{');
    for (at, (key, value)) in members.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&Json::from(key.as_ref()).to_string());
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    text
}

/// Reads an object, one member of which is an object too, in one pass.
struct Whole<'a> {
    member: &'a str,
}

#[derive(Default)]
struct Split<'de> {
    others: Members<'de>,
    own: Option<Members<'de>>,
}

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = Split<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Split<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = Split<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Split<'de>, A::Error> {
        let mut found = Split::default();
        while let Some(Borrowed(key)) = entries.next_key()? {
            if key == self.member {
                found.own = Some(entries.next_value_seed(Own)?);
            } else {
                found.others.push((key, entries.next_value()?));
            }
        }
        Ok(found)
    }
}

/// Reads the members of an object.
struct Own;

impl<'de> DeserializeSeed<'de> for Own {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<Members<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Own {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Members<'de>, A::Error> {
        let mut members = Members::new();
        while let Some((Borrowed(key), value)) = entries.next_entry()? {
            members.push((key, value));
        }
        Ok(members)
    }
}

/// A string that is borrowed where no escape is in it.
#[derive(Deserialize)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
