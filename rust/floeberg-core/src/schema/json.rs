//! How is a schema written in JSON?
//!
//! In: the JSON of a schema or type. Out: the shape in [`crate::schema`], and back.
//! Spec: Appendix C, Schemas; Default values.
//!
//! Invariant: keys that this version does not know are kept, at the schema and at every struct field, and the depth of
//! a type is limited, so that recursion over one is bounded.

use serde_json::{Map, Value as Json};

use super::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use crate::error::{Context as _, Error, Result, beginning};
use crate::schema::value_json;
use crate::value::Value;

/// The deepest nesting of types that is accepted.
pub const MAX_DEPTH: usize = 100;

/// The schema of a JSON object.
///
/// Errors: `InvalidData` for a missing or malformed key, an id or name that occurs twice, types that are too deep.
pub fn schema_from_json(json: &Json) -> Result<Schema> {
    let object = object_of(json, "schema")?;
    let schema_id = match object.get("schema-id") {
        None | Some(Json::Null) => 0,
        Some(id) => integer(id, "schema-id")?,
    };
    let fields = fields_from(object, MAX_DEPTH).context("schema", schema_id)?;
    let identifiers = match object.get("identifier-field-ids") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(ids)) => {
            ids.iter().map(|id| integer(id, "identifier-field-ids")).collect::<Result<_>>()?
        }
        Some(other) => return Err(expected("an array for identifier-field-ids", other)),
    };
    let unknown = unknown_keys(object, &["type", "schema-id", "identifier-field-ids", "fields"]);
    let schema = Schema::new(schema_id, fields).context("schema", schema_id)?;
    Ok(schema.with_identifier_field_ids(identifiers).with_unknown_keys(unknown))
}

/// The JSON object of a schema. Errors: those of [`type_to_json`].
pub fn schema_to_json(schema: &Schema) -> Result<Json> {
    let mut object = Map::new();
    object.insert("type".into(), "struct".into());
    object.insert("schema-id".into(), schema.schema_id().into());
    if !schema.identifier_field_ids().is_empty() {
        object.insert("identifier-field-ids".into(), schema.identifier_field_ids().into());
    }
    object.insert("fields".into(), fields_to(schema.fields())?);
    object.extend(schema.unknown_keys().clone());
    Ok(Json::Object(object))
}

/// The type of a type string or of the JSON object of a struct, list or map.
///
/// Errors: `InvalidData` as for [`schema_from_json`]. A string that names no known type is kept.
pub fn type_from_json(json: &Json) -> Result<Type> {
    type_from(json, MAX_DEPTH)
}

/// The JSON of a type. Errors: `InvalidInput` for a default that is not of its field's type.
pub fn type_to_json(field_type: &Type) -> Result<Json> {
    Ok(match field_type {
        Type::Struct(fields) => object([("type", "struct".into()), ("fields", fields_to(&fields.fields)?)]),
        Type::List(list) => object([
            ("type", "list".into()),
            ("element-id", list.element.id.into()),
            ("element", type_to_json(&list.element.field_type)?),
            ("element-required", list.element.required.into()),
        ]),
        Type::Map(map) => object([
            ("type", "map".into()),
            ("key-id", map.key.id.into()),
            ("key", type_to_json(&map.key.field_type)?),
            ("value-id", map.value.id.into()),
            ("value", type_to_json(&map.value.field_type)?),
            ("value-required", map.value.required.into()),
        ]),
        Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => field_type.to_string().into(),
    })
}

fn type_from(json: &Json, depth: usize) -> Result<Type> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::invalid_data(format!("a type is nested more than {MAX_DEPTH} levels deep")));
    };
    let object = match json {
        Json::String(text) => return text.parse(),
        Json::Object(object) => object,
        other => return Err(expected("a type string or object", other)),
    };
    match key(object, "type")?.as_str() {
        Some("struct") => Ok(Type::Struct(StructType { fields: fields_from(object, depth)? })),
        Some("list") => {
            let required = boolean(key(object, "element-required")?, "element-required")?;
            let element = child(object, ["element", "element-id"], required, depth)?;
            Ok(Type::List(Box::new(ListType { element })))
        }
        Some("map") => {
            let required = boolean(key(object, "value-required")?, "value-required")?;
            let key = child(object, ["key", "key-id"], true, depth)?;
            let value = child(object, ["value", "value-id"], required, depth)?;
            Ok(Type::Map(Box::new(MapType { key, value })))
        }
        _ => Err(expected("\"struct\", \"list\" or \"map\" for type", &object["type"])),
    }
}

fn child(object: &Map<String, Json>, [name, id]: [&str; 2], required: bool, depth: usize) -> Result<Field> {
    let field_type = type_from(key(object, name)?, depth)?;
    let id = integer(key(object, id)?, id)?;
    Ok(Field { required, ..Field::optional(id, name, field_type) })
}

fn fields_from(object: &Map<String, Json>, depth: usize) -> Result<Vec<Field>> {
    match key(object, "fields")? {
        Json::Array(fields) => fields.iter().map(|field| field_from(field, depth)).collect(),
        other => Err(expected("an array for fields", other)),
    }
}

fn field_from(json: &Json, depth: usize) -> Result<Field> {
    let object = object_of(json, "field")?;
    let id = integer(key(object, "id")?, "id")?;
    let Json::String(name) = key(object, "name")? else {
        return Err(expected("a string for name", &object["name"]).with("field id", id));
    };
    let known = ["id", "name", "required", "type", "doc", "initial-default", "write-default"];
    let mut field = Field {
        required: boolean(key(object, "required")?, "required")?,
        unknown_keys: unknown_keys(object, &known),
        ..Field::optional(id, name.as_str(), type_from(key(object, "type")?, depth).context("field", name)?)
    };
    match object.get("doc") {
        None | Some(Json::Null) => {}
        Some(Json::String(doc)) => field.doc = Some(doc.clone()),
        Some(other) => return Err(expected("a string for doc", other).with("field", name)),
    }
    for name in ["initial-default", "write-default"] {
        let Some(written) = object.get(name).filter(|default| !default.is_null()) else { continue };
        if matches!(field.field_type, Type::Unrecognized(_)) {
            field.unknown_keys.insert(name.to_owned(), written.clone());
            continue;
        }
        let default =
            default_from(written, &field.field_type).context(name, written).context("field", &field.name)?;
        if name == "initial-default" {
            field.initial_default = default;
        } else {
            field.write_default = default;
        }
    }
    Ok(field)
}

fn default_from(json: &Json, field_type: &Type) -> Result<Option<Value>> {
    let null_only = matches!(
        field_type,
        Type::Variant
            | Type::Primitive(
                PrimitiveType::Unknown | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. }
            )
    );
    if null_only {
        return Err(Error::invalid_data(format!(
            "the default of a column of type {field_type} can only be null"
        )));
    }
    value_json::from_json(json, field_type)
}

fn fields_to(fields: &[Field]) -> Result<Json> {
    fields.iter().map(field_to).collect::<Result<Vec<_>>>().map(Json::Array)
}

fn field_to(field: &Field) -> Result<Json> {
    let mut object = Map::new();
    object.insert("id".into(), field.id.into());
    object.insert("name".into(), field.name.as_str().into());
    object.insert("required".into(), field.required.into());
    object.insert("type".into(), type_to_json(&field.field_type)?);
    if let Some(doc) = &field.doc {
        object.insert("doc".into(), doc.as_str().into());
    }
    for (name, default) in
        [("initial-default", &field.initial_default), ("write-default", &field.write_default)]
    {
        if let Some(default) = default {
            let json = value_json::to_json(Some(default), &field.field_type).context("field", &field.name)?;
            object.insert(name.into(), json);
        }
    }
    object.extend(field.unknown_keys.clone());
    Ok(Json::Object(object))
}

fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn object_of<'a>(json: &'a Json, what: &str) -> Result<&'a Map<String, Json>> {
    json.as_object().ok_or_else(|| expected(&format!("an object for a {what}"), json))
}

fn key<'a>(object: &'a Map<String, Json>, name: &str) -> Result<&'a Json> {
    object.get(name).ok_or_else(|| Error::invalid_data(format!("expected the key {name:?}, found none")))
}

fn integer(json: &Json, name: &str) -> Result<i32> {
    json.as_i64()
        .and_then(|number| i32::try_from(number).ok())
        .ok_or_else(|| expected(&format!("a 32-bit integer for {name}"), json))
}

fn boolean(json: &Json, name: &str) -> Result<bool> {
    json.as_bool().ok_or_else(|| expected(&format!("true or false for {name}"), json))
}

fn unknown_keys(object: &Map<String, Json>, known: &[&str]) -> Map<String, Json> {
    let unknown = object.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    unknown.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn expected(what: &str, found: &Json) -> Error {
    let shown = beginning(found);
    Error::invalid_data(format!("expected {what}, found {shown}"))
}
