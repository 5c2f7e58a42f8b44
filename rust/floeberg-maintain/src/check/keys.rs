//! Does an object of JSON have the fields that it must have, with their types?
//!
//! In: an object, a list of fields and a format version. Out: findings.
//! Spec: Table Metadata Fields; Appendix C; View Metadata.
//!
//! Invariant: nothing is parsed twice: what other rules need of a field of the wrong type is not there for them.

use serde_json::{Map, Value as Json};

use super::rules::documents::{FIELD_OF_VERSION, FIELD_TYPE, REQUIRED_FIELD};
use floeberg_core::finding::Findings;

/// An object of JSON.
pub(super) type Object = Map<String, Json>;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number of 32 bits.
    Int,
    /// A number of 64 bits.
    Long,
    Text,
    Boolean,
    Object,
    /// A list of objects.
    Objects,
    /// A list of numbers.
    Longs,
    /// A list of texts.
    Texts,
    /// An object whose values are texts.
    TextMap,
    /// Anything but null.
    Any,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Int => "an integer of 32 bits",
            Self::Long => "an integer of 64 bits",
            Self::Text => "a string",
            Self::Boolean => "true or false",
            Self::Object => "an object",
            Self::Objects => "a list of objects",
            Self::Longs => "a list of integers",
            Self::Texts => "a list of strings",
            Self::TextMap => "an object of strings",
            Self::Any => "a value",
        }
    }

    fn takes(self, json: &Json) -> bool {
        let all = |takes: fn(&Json) -> bool| json.as_array().is_some_and(|list| list.iter().all(takes));
        match self {
            Self::Int => json.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Self::Long => json.is_i64(),
            Self::Text => json.is_string(),
            Self::Boolean => json.is_boolean(),
            Self::Object => json.is_object(),
            Self::Objects => all(Json::is_object),
            Self::Longs => all(Json::is_i64),
            Self::Texts => all(Json::is_string),
            Self::TextMap => json.as_object().is_some_and(|object| object.values().all(Json::is_string)),
            Self::Any => !json.is_null(),
        }
    }
}

/// Whether a format version has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
    Absent,
}

/// A field: its name, its type, and whether versions 1, 2 and 3 have it.
pub(super) type Key = (&'static str, Kind, [Need; 3]);

pub(super) const REQUIRED: [Need; 3] = [Need::Required; 3];
pub(super) const OPTIONAL: [Need; 3] = [Need::Optional; 3];
pub(super) const FROM_2: [Need; 3] = [Need::Absent, Need::Required, Need::Required];
pub(super) const REQUIRED_FROM_2: [Need; 3] = [Need::Optional, Need::Required, Need::Required];
pub(super) const REQUIRED_IN_3: [Need; 3] = [Need::Absent, Need::Absent, Need::Required];
pub(super) const FROM_3: [Need; 3] = [Need::Absent, Need::Absent, Need::Optional];
pub(super) const ONLY_1: [Need; 3] = [Need::Required, Need::Absent, Need::Absent];

/// Checks the fields of an object that stands at a part of the document.
pub(super) fn check_keys(found: &mut Findings, part: &str, object: &Object, keys: &[Key], version: u8) {
    let version = usize::from(version.clamp(1, 3)) - 1;
    for (name, kind, needs) in keys {
        let at = join(part, name);
        match (object.get(*name), needs[version]) {
            (None, Need::Required) => {
                found.add(&REQUIRED_FIELD, at, format_args!("expected {}, found none", kind.name()));
            }
            (None, _) => {}
            // Null is none.
            (Some(Json::Null), Need::Optional | Need::Absent) => {}
            (Some(_), Need::Absent) => {
                found.add(
                    &FIELD_OF_VERSION,
                    at,
                    format_args!("format version {} has no such field", version + 1),
                );
            }
            (Some(json), _) if !kind.takes(json) => {
                found.add(&FIELD_TYPE, at, format_args!("expected {}, found {json}", kind.name()));
            }
            (Some(_), _) => {}
        }
    }
}

/// The place of a field below another one.
pub(super) fn join(part: &str, name: &str) -> String {
    if part.is_empty() { name.to_owned() } else { format!("{part}.{name}") }
}

/// A whole number.
pub(super) fn long(object: &Object, name: &str) -> Option<i64> {
    object.get(name).and_then(Json::as_i64)
}

/// A text.
pub(super) fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Json::as_str)
}

/// The objects of a list, each with its place in the document.
pub(super) fn objects<'a>(object: &'a Object, name: &str) -> Vec<(String, &'a Object)> {
    let list = object.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let numbered = list.iter().enumerate();
    numbered.filter_map(|(number, json)| Some((format!("{name}[{number}]"), json.as_object()?))).collect()
}

/// The whole numbers of a list.
pub(super) fn longs(object: &Object, name: &str) -> Vec<i64> {
    let list = object.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Json::as_i64).collect()
}
