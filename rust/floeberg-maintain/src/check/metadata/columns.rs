//! Which fields does a schema have, at any depth?
//!
//! In: the JSON of a schema. Out: its fields, parents before children.
//! Spec: Appendix C, Schemas.
//!
//! Invariant: what is not of the right type is left out: the shape of the document is checked elsewhere. The depth is that of the
//! JSON, which its parser bounds.

use floeberg_core::schema::Type;
use floeberg_core::schema::json::type_from_json;
use serde_json::Value as Json;

use crate::check::keys::{Object, long, text};

/// A field of a schema, an element of a list, a key or a value of a map.
#[derive(Debug, Clone)]
pub(super) struct Column<'a> {
    pub(super) id: i64,
    pub(super) name: &'a str,
    /// Its place in the document.
    pub(super) part: String,
    pub(super) json: &'a Json,
    pub(super) required: bool,
    /// The object that declares it, with its defaults; of elements, keys and values that of the list or the map.
    pub(super) declared: &'a Object,
    /// Is it a field of a struct?
    pub(super) is_field: bool,
    /// The ids of what it stands in, outermost first.
    pub(super) above: Vec<i64>,
    /// Does it stand in a list or a map?
    pub(super) repeated: bool,
}

impl Column<'_> {
    /// Its type; `None` for one that cannot be parsed.
    pub(super) fn field_type(&self) -> Option<Type> {
        type_from_json(self.json).ok()
    }

    /// `struct`, `list` or `map`; a type's own text for others.
    pub(super) fn kind(&self) -> &str {
        self.json.get("type").unwrap_or(self.json).as_str().unwrap_or_default()
    }
}

/// All fields of a schema that stands at a part of the document.
pub(super) fn columns<'a>(schema: &'a Object, part: &str) -> Vec<Column<'a>> {
    let mut found = Vec::new();
    add_fields(schema, part, &[], false, &mut found);
    found
}

fn add_fields<'a>(
    holder: &'a Object,
    part: &str,
    above: &[i64],
    repeated: bool,
    found: &mut Vec<Column<'a>>,
) {
    let fields = holder.get("fields").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    for (number, field) in fields.iter().enumerate() {
        let Some(declared) = field.as_object() else { continue };
        let (Some(id), Some(json)) = (long(declared, "id"), declared.get("type")) else { continue };
        let column = Column {
            id,
            name: text(declared, "name").unwrap_or_default(),
            part: format!("{part}.fields[{number}]"),
            json,
            required: declared.get("required").and_then(Json::as_bool).unwrap_or(false),
            declared,
            is_field: true,
            above: above.to_vec(),
            repeated,
        };
        add(column, found);
    }
}

fn add<'a>(column: Column<'a>, found: &mut Vec<Column<'a>>) {
    let above: Vec<i64> = column.above.iter().copied().chain([column.id]).collect();
    let (json, part, repeated) = (column.json, format!("{}.type", column.part), column.repeated);
    found.push(column);
    let Some(nested) = json.as_object() else { return };
    if text(nested, "type") == Some("struct") {
        add_fields(nested, &part, &above, repeated, found);
        return;
    }
    for (name, id, is_key) in
        [("element", "element-id", false), ("key", "key-id", true), ("value", "value-id", false)]
    {
        let (Some(json), Some(id)) = (nested.get(name), long(nested, id)) else { continue };
        let required =
            is_key || nested.get(&format!("{name}-required")).and_then(Json::as_bool).unwrap_or(false);
        let child = Column {
            id,
            name,
            part: format!("{part}.{name}"),
            json,
            required,
            declared: nested,
            is_field: false,
            above: above.clone(),
            repeated: true,
        };
        add(child, found);
    }
}
