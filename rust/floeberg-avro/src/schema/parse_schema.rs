//! What does the JSON of a writer schema declare?
//!
//! In: `avro.schema` of a container's header. Out: an [`AvroSchema`].
//! Spec: Avro 1.12, Schema Declaration, Names.
//!
//! Invariant: depth and number of types are within the limits, whatever the JSON holds.

use std::collections::HashMap;

use arrow_schema::TimeUnit;
use floeberg_core::{Error, Result};
use serde_json::{Map, Value as Json};

use super::limits::Limits;
use super::types::{AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Logical, TypeId};

/// Parses the JSON of a writer schema.
pub fn parse_schema(json: &[u8], limits: &Limits) -> Result<AvroSchema> {
    if json.len() > limits.schema_bytes {
        let (found, most) = (json.len(), limits.schema_bytes);
        return Err(Error::limit(format!("the Avro schema has {found} bytes, more than {most}")));
    }
    let json: Json = serde_json::from_slice(json)
        .map_err(|error| Error::invalid_data("the Avro schema is not JSON").caused_by(error))?;
    let mut parser = Parser { types: Vec::new(), named: HashMap::new(), has_ids: false, limits };
    let root = parser.any(&json, "", 0)?;
    Ok(AvroSchema { types: parser.types, root, has_ids: parser.has_ids })
}

struct Parser<'a> {
    types: Vec<AvroType>,
    named: HashMap<String, TypeId>,
    has_ids: bool,
    limits: &'a Limits,
}

impl Parser<'_> {
    fn any(&mut self, json: &Json, namespace: &str, depth: usize) -> Result<TypeId> {
        if depth > self.limits.type_depth {
            let most = self.limits.type_depth;
            return Err(Error::limit(format!("the Avro schema nests deeper than {most} types")));
        }
        match json {
            Json::String(name) => self.by_name(name, namespace),
            Json::Array(branches) => {
                let branches: Result<Vec<TypeId>> =
                    branches.iter().map(|branch| self.any(branch, namespace, depth + 1)).collect();
                self.add(AvroType::Union(branches?))
            }
            Json::Object(object) => self.object(object, namespace, depth),
            other => Err(expected("a type (a name, an object or an array)", other)),
        }
    }

    fn object(&mut self, object: &Map<String, Json>, namespace: &str, depth: usize) -> Result<TypeId> {
        let name = match object.get("type") {
            Some(Json::String(name)) => name.as_str(),
            // `{"type": {"type": "int"}}`: one object too many, but unambiguous.
            Some(nested) => return self.any(nested, namespace, depth + 1),
            None => return Err(expected("an object with a type", &Json::Object(object.clone()))),
        };
        match name {
            "record" | "error" => self.record(object, namespace, depth),
            "enum" => {
                let symbols = list(object, "symbols")?;
                let symbols: Option<Vec<String>> =
                    symbols.iter().map(|symbol| symbol.as_str().map(str::to_owned)).collect();
                let Some(symbols) = symbols else {
                    return Err(Error::invalid_data("Avro enum: a symbol is not a string"));
                };
                let id = self.add(AvroType::Enum(symbols))?;
                self.declare(object, namespace, id)?;
                Ok(id)
            }
            "fixed" => {
                let size =
                    object.get("size").and_then(Json::as_u64).and_then(|size| i32::try_from(size).ok());
                let Some(size) = size else {
                    return Err(Error::invalid_data("Avro fixed: expected a size of 0 to 2147483647"));
                };
                let id = self.add(AvroType::Fixed(size as usize, logical(object)))?;
                self.declare(object, namespace, id)?;
                Ok(id)
            }
            "array" => {
                let items = member(object, "items")?;
                let element_id = self.id(object, "element-id")?;
                let items = self.any(items, namespace, depth + 1)?;
                let is_map = object.get("logicalType").and_then(Json::as_str) == Some("map");
                self.add(AvroType::Array(AvroArray { items, element_id, is_map }))
            }
            "map" => {
                let values = member(object, "values")?;
                let (key_id, value_id) = (self.id(object, "key-id")?, self.id(object, "value-id")?);
                let values = self.any(values, namespace, depth + 1)?;
                self.add(AvroType::Map(AvroMap { values, key_id, value_id }))
            }
            "int" => self.add(AvroType::Int(logical(object))),
            "long" => self.add(AvroType::Long(logical(object))),
            "bytes" => self.add(AvroType::Bytes(logical(object))),
            other => self.by_name(other, namespace),
        }
    }

    fn record(&mut self, object: &Map<String, Json>, namespace: &str, depth: usize) -> Result<TypeId> {
        // Declared before its fields are parsed: they may name it.
        let id = self.add(AvroType::Record(Vec::new()))?;
        let namespace = self.declare(object, namespace, id)?;
        let mut fields = Vec::new();
        for field in list(object, "fields")? {
            let Some(field) = field.as_object() else { return Err(expected("a field (an object)", field)) };
            let Some(name) = field.get("name").and_then(Json::as_str) else {
                return Err(Error::invalid_data("Avro record: a field has no name"));
            };
            let field_id = self.id(field, "field-id")?;
            let field_type = self.any(member(field, "type")?, &namespace, depth + 1)?;
            fields.push(AvroField { name: name.to_owned(), id: field_id, field_type });
        }
        self.types[id.0] = AvroType::Record(fields);
        Ok(id)
    }

    /// An id of 32 bits, where there is one.
    fn id(&mut self, object: &Map<String, Json>, key: &str) -> Result<Option<i32>> {
        let json = match object.get(key) {
            None | Some(Json::Null) => return Ok(None),
            Some(json) => json,
        };
        self.has_ids = true;
        let id = json.as_i64().and_then(|id| i32::try_from(id).ok());
        id.map(Some).ok_or_else(|| expected(&format!("a {key} of 32 bits"), json))
    }

    fn by_name(&mut self, name: &str, namespace: &str) -> Result<TypeId> {
        let primitive = match name {
            "null" => AvroType::Null,
            "boolean" => AvroType::Boolean,
            "int" => AvroType::Int(Logical::Plain),
            "long" => AvroType::Long(Logical::Plain),
            "float" => AvroType::Float,
            "double" => AvroType::Double,
            "bytes" => AvroType::Bytes(Logical::Plain),
            "string" => AvroType::String,
            _ => {
                return self
                    .named
                    .get(&full_name(name, namespace))
                    .or_else(|| self.named.get(name))
                    .copied()
                    .ok_or_else(|| Error::invalid_data(format!("Avro schema: unknown type {name}")));
            }
        };
        self.add(primitive)
    }

    /// Makes a named type known; the namespace that its fields are in.
    fn declare(&mut self, object: &Map<String, Json>, namespace: &str, id: TypeId) -> Result<String> {
        let Some(name) = object.get("name").and_then(Json::as_str) else {
            return Err(Error::invalid_data("Avro schema: a record, enum or fixed has no name"));
        };
        let own = object.get("namespace").and_then(Json::as_str).unwrap_or(namespace);
        let full = full_name(name, own);
        let inner = full.rsplit_once('.').map_or("", |(before, _)| before).to_owned();
        self.named.insert(full, id);
        Ok(inner)
    }

    fn add(&mut self, avro_type: AvroType) -> Result<TypeId> {
        if self.types.len() >= self.limits.type_count {
            let most = self.limits.type_count;
            return Err(Error::limit(format!("the Avro schema has more than {most} types")));
        }
        self.types.push(avro_type);
        Ok(TypeId(self.types.len() - 1))
    }
}

fn full_name(name: &str, namespace: &str) -> String {
    if namespace.is_empty() || name.contains('.') { name.to_owned() } else { format!("{namespace}.{name}") }
}

fn logical(object: &Map<String, Json>) -> Logical {
    let number = |key| object.get(key).and_then(Json::as_i64).unwrap_or(0);
    let timestamp = |unit| {
        let utc = object.get("adjust-to-utc").and_then(Json::as_bool).unwrap_or(false);
        Logical::Timestamp { unit, utc }
    };
    match object.get("logicalType").and_then(Json::as_str) {
        Some("decimal") => Logical::Decimal { precision: number("precision"), scale: number("scale") },
        Some("date") => Logical::Date,
        Some("time-millis") => Logical::Time(TimeUnit::Millisecond),
        Some("time-micros") => Logical::Time(TimeUnit::Microsecond),
        Some("timestamp-millis" | "local-timestamp-millis") => timestamp(TimeUnit::Millisecond),
        Some("timestamp-micros" | "local-timestamp-micros") => timestamp(TimeUnit::Microsecond),
        Some("timestamp-nanos" | "local-timestamp-nanos") => timestamp(TimeUnit::Nanosecond),
        _ => Logical::Plain,
    }
}

fn member<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a Json> {
    object
        .get(key)
        .ok_or_else(|| Error::invalid_data(format!("Avro schema: expected a type with the key {key}")))
}

fn list<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a Vec<Json>> {
    member(object, key)?
        .as_array()
        .ok_or_else(|| Error::invalid_data(format!("Avro schema: expected {key} to be a list")))
}

fn expected(what: &str, found: &Json) -> Error {
    let found: String = found.to_string().chars().take(80).collect();
    Error::invalid_data(format!("Avro schema: expected {what}, found {found}"))
}
