//! How does Avro declare Iceberg's types?
//!
//! In: fields with ids. Out: the JSON of a writer schema, as Iceberg Java writes it.
//! Spec: Appendix A, Avro; Avro 1.12, Schema Declaration.
//!
//! Invariant: every type is declared where it stands, under a name of its own: `PyIceberg` knows no names of types that were
//! declared before. Names are `[A-Za-z_][A-Za-z0-9_]*`, and those of a record's fields are unique. A field that has another name
//! in Iceberg says it, and is found by its id.

use std::collections::{HashMap, HashSet};

use floeberg_core::schema::{Field, MapType, PrimitiveType, StructType, Type};
use floeberg_core::{Error, Result};
use serde_json::{Map, Value as Json, json};

/// The record of that name with these fields.
///
/// Errors: `Unsupported` for a type that this version cannot write.
pub fn declare(fields: &StructType, name: &str) -> Result<Json> {
    Declarer::default().record(&fields.fields, name)
}

/// The fewest bytes for a decimal of this many digits.
pub fn decimal_size(precision: u8) -> usize {
    let numbers = 10_u128.checked_pow(u32::from(precision)).unwrap_or(u128::MAX);
    (1..16).find(|bytes| numbers <= 1 << (8 * bytes - 1)).unwrap_or(16)
}

#[derive(Default)]
struct Declarer {
    /// How often each name of a fixed type was wanted.
    wanted: HashMap<String, u32>,
}

impl Declarer {
    fn record(&mut self, fields: &[Field], name: &str) -> Result<Json> {
        let names = avro_names(fields);
        let declared = fields.iter().zip(names).map(|(field, name)| self.field(field, name));
        let declared: Vec<Json> = declared.collect::<Result<_>>()?;
        Ok(json!({"type": "record", "name": name, "fields": declared}))
    }

    fn field(&mut self, field: &Field, avro_name: String) -> Result<Json> {
        let mut object = Map::new();
        let renamed = avro_name != field.name;
        object.insert("name".into(), avro_name.into());
        object.insert("type".into(), self.value(field)?);
        if let Some(doc) = &field.doc {
            object.insert("doc".into(), doc.as_str().into());
        }
        if !field.required {
            object.insert("default".into(), Json::Null);
        }
        if renamed {
            object.insert("iceberg-field-name".into(), field.name.as_str().into());
        }
        object.insert("field-id".into(), field.id.into());
        Ok(Json::Object(object))
    }

    /// The type of a field, an element, a key or a value: a union with null if it may be null.
    fn value(&mut self, field: &Field) -> Result<Json> {
        let declared = match &field.field_type {
            Type::Primitive(primitive) => self.primitive(primitive),
            Type::Struct(children) => self.record(&children.fields, &format!("r{}", field.id))?,
            Type::List(list) => {
                let (items, id) = (self.value(&list.element)?, list.element.id);
                json!({"type": "array", "items": items, "element-id": id})
            }
            Type::Map(map) => self.map(map)?,
            Type::Variant => json!({
                "type": "record",
                "name": format!("r{}", field.id),
                "logicalType": "variant",
                "fields": [{"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}],
            }),
            Type::Unrecognized(_) => {
                return Err(Error::unsupported("Avro files with a column of this type cannot be written")
                    .with("field", field));
            }
        };
        Ok(if field.required || declared == "null" { declared } else { json!(["null", declared]) })
    }

    fn map(&mut self, map: &MapType) -> Result<Json> {
        let (key_id, value_id) = (map.key.id, map.value.id);
        if map.key.field_type == Type::Primitive(PrimitiveType::String) {
            let values = self.value(&map.value)?;
            return Ok(json!({"type": "map", "values": values, "key-id": key_id, "value-id": value_id}));
        }
        let pair = self.record(&[map.key.clone(), map.value.clone()], &format!("k{key_id}_v{value_id}"))?;
        Ok(json!({"type": "array", "items": pair, "logicalType": "map"}))
    }

    fn primitive(&mut self, primitive: &PrimitiveType) -> Json {
        use PrimitiveType as P;
        let timestamp = |unit: &str, utc: bool| json!({"type": "long", "logicalType": format!("timestamp-{unit}"), "adjust-to-utc": utc});
        match primitive {
            P::Unknown => "null".into(),
            P::Boolean => "boolean".into(),
            P::Int => "int".into(),
            P::Long => "long".into(),
            P::Float => "float".into(),
            P::Double => "double".into(),
            P::Date => json!({"type": "int", "logicalType": "date"}),
            P::Time => json!({"type": "long", "logicalType": "time-micros"}),
            P::Timestamp => timestamp("micros", false),
            P::Timestamptz => timestamp("micros", true),
            P::TimestampNs => timestamp("nanos", false),
            P::TimestamptzNs => timestamp("nanos", true),
            P::String => "string".into(),
            P::Binary | P::Geometry { .. } | P::Geography { .. } => "bytes".into(),
            P::Uuid => self.fixed("uuid_fixed".to_owned(), 16, &json!({"logicalType": "uuid"})),
            P::Fixed(length) => self.fixed(format!("fixed_{length}"), *length as usize, &json!({})),
            P::Decimal { precision, scale } => self.fixed(
                format!("decimal_{precision}_{scale}"),
                decimal_size(*precision),
                &json!({"logicalType": "decimal", "precision": precision, "scale": scale}),
            ),
        }
    }

    fn fixed(&mut self, name: String, size: usize, logical: &Json) -> Json {
        let times = self.wanted.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { name } else { format!("{name}_{times}") };
        let mut declared = json!({"type": "fixed", "name": name, "size": size});
        if let (Some(declared), Some(logical)) = (declared.as_object_mut(), logical.as_object()) {
            declared.extend(logical.clone());
        }
        declared
    }
}

/// The names of a record's fields. A name that Avro allows stays; one that is made and is taken already gets a number.
fn avro_names(fields: &[Field]) -> Vec<String> {
    let sane: Vec<String> = fields.iter().map(|field| avro_name(&field.name)).collect();
    let is_kept = |(field, sane): (&Field, &String)| field.name == *sane;
    let kept: HashSet<&str> =
        fields.iter().zip(&sane).filter(|each| is_kept(*each)).map(|(_, sane)| sane.as_str()).collect();
    let mut made: HashSet<String> = HashSet::new();
    let name = |(field, sane): (&Field, &String)| {
        if is_kept((field, sane)) {
            return sane.clone();
        }
        let mut name = sane.clone();
        let mut number = 1;
        while kept.contains(name.as_str()) || made.contains(&name) {
            number += 1;
            name = format!("{sane}_{number}");
        }
        made.insert(name.clone());
        name
    };
    fields.iter().zip(&sane).map(name).collect()
}

/// A name that Avro allows, made as Iceberg Java does: UTF-16 units that it does not allow become hexadecimal numbers. Java leaves
/// letters beyond ASCII as they are, which readers that follow Avro refuse.
fn avro_name(name: &str) -> String {
    let mut sane = String::with_capacity(name.len());
    for (position, character) in name.chars().enumerate() {
        let is_digit = character.is_ascii_digit();
        if character == '_' || character.is_ascii_alphabetic() || is_digit && position > 0 {
            sane.push(character);
        } else if is_digit {
            sane.extend(['_', character]);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                sane.extend(format!("_x{unit:X}").chars());
            }
        }
    }
    if sane.is_empty() { "_".to_owned() } else { sane }
}
