//! How is one value written in JSON?
//!
//! In: JSON and the type. Out: the value (null is `None`), and back.
//! Spec: Appendix D, JSON single-value serialization.
//!
//! Invariant: what is written reads back as the same value. Numbers that JSON has no form for (NaN, infinities)
//! are the strings "NaN", "Infinity" and "-Infinity".

use serde_json::{Map, Value as Json};

use super::{StructType, Type};
use crate::error::{Error, Result, beginning};
use crate::primitive::PrimitiveType;
use crate::value::decimal::{format_decimal, parse_decimal, rescale};
use crate::value::{Value, datetime, format_hex, format_uuid, parse_hex, parse_uuid};

/// The value of JSON.
///
/// A struct's fields that are absent are absent from the value; its unknown ids are an error.
/// Errors: `InvalidData` for JSON that is not of the type, `Unsupported` for types without a JSON form here
/// (variant, geometry, geography, unknown types).
pub fn from_json(json: &Json, field_type: &Type) -> Result<Option<Value>> {
    if json.is_null() {
        return Ok(None);
    }
    let wrong = || wrong_json(field_type, json);
    let value = match field_type {
        Type::Primitive(primitive) => primitive_from(json, primitive)?,
        Type::Struct(fields) => struct_from(json, fields)?,
        Type::List(list) => {
            let elements = json.as_array().ok_or_else(wrong)?;
            let elements = elements.iter().map(|element| from_json(element, &list.element.field_type));
            Value::List(elements.collect::<Result<_>>()?)
        }
        Type::Map(map) => {
            let part = |name: &str| json.get(name).and_then(Json::as_array).ok_or_else(wrong);
            let (keys, values) = (part("keys")?, part("values")?);
            if keys.len() != values.len() {
                return Err(Error::invalid_data(format!(
                    "expected as many values as keys in a map, found {} and {}",
                    values.len(),
                    keys.len()
                )));
            }
            let mut entries = Vec::with_capacity(keys.len());
            for (key, value) in keys.iter().zip(values) {
                let key = from_json(key, &map.key.field_type)?.ok_or_else(wrong)?;
                entries.push((key, from_json(value, &map.value.field_type)?));
            }
            Value::Map(entries)
        }
        Type::Variant | Type::Unrecognized(_) => return Err(no_form(field_type)),
    };
    Ok(Some(value))
}

/// The JSON of a value.
///
/// Errors: `InvalidInput` for a value that is not of the type, `Unsupported` as in [`from_json`].
pub fn to_json(value: Option<&Value>, field_type: &Type) -> Result<Json> {
    let Some(value) = value else { return Ok(Json::Null) };
    match (value, field_type) {
        (_, Type::Variant | Type::Unrecognized(_)) => Err(no_form(field_type)),
        (value, Type::Primitive(primitive)) if value.matches(primitive) => primitive_to(value, primitive),
        (Value::Struct(values), Type::Struct(fields)) => {
            let mut object = Map::new();
            for (id, value) in values {
                let Some(field) = fields.fields.iter().find(|field| field.id == *id) else {
                    return Err(Error::invalid_input(format!("the struct has no field with the id {id}")));
                };
                object.insert(id.to_string(), to_json(value.as_ref(), &field.field_type)?);
            }
            Ok(Json::Object(object))
        }
        (Value::List(elements), Type::List(list)) => {
            let elements = elements.iter().map(|element| to_json(element.as_ref(), &list.element.field_type));
            elements.collect::<Result<_>>().map(Json::Array)
        }
        (Value::Map(entries), Type::Map(map)) => {
            let keys = entries.iter().map(|(key, _)| to_json(Some(key), &map.key.field_type));
            let keys: Vec<_> = keys.collect::<Result<_>>()?;
            let values = entries.iter().map(|(_, value)| to_json(value.as_ref(), &map.value.field_type));
            let values: Vec<_> = values.collect::<Result<_>>()?;
            Ok(serde_json::json!({ "keys": keys, "values": values }))
        }
        _ => Err(Error::invalid_input(format!("expected a value of type {field_type}, found {value}"))),
    }
}

fn struct_from(json: &Json, fields: &StructType) -> Result<Value> {
    let object = json.as_object().ok_or_else(|| wrong_json(&Type::Struct(fields.clone()), json))?;
    let is_known = |name: &&String| fields.fields.iter().any(|field| field.id.to_string() == **name);
    if let Some(unknown) = object.keys().find(|name| !is_known(name)) {
        let shown = beginning(unknown);
        return Err(Error::invalid_data(format!("expected ids of a struct's fields, found {shown:?}")));
    }
    let mut values = Vec::with_capacity(object.len());
    for field in &fields.fields {
        if let Some(json) = object.get(&field.id.to_string()) {
            values.push((field.id, from_json(json, &field.field_type)?));
        }
    }
    Ok(Value::Struct(values))
}

fn primitive_from(json: &Json, primitive: &PrimitiveType) -> Result<Value> {
    let wrong = || wrong_json(primitive, json);
    let text = || json.as_str().ok_or_else(wrong);
    // What these parsers call the caller's fault is the file's here.
    let of_file = |error: Error| Error::invalid_data(error.message());
    Ok(match primitive {
        PrimitiveType::Boolean => Value::Boolean(json.as_bool().ok_or_else(wrong)?),
        PrimitiveType::Int => {
            Value::Int(json.as_i64().and_then(|value| value.try_into().ok()).ok_or_else(wrong)?)
        }
        PrimitiveType::Long => Value::Long(json.as_i64().ok_or_else(wrong)?),
        PrimitiveType::Float => {
            let wide = number(json).ok_or_else(wrong)?;
            let value = wide as f32;
            if wide.is_finite() && value.is_infinite() {
                return Err(wrong());
            }
            Value::Float(value)
        }
        PrimitiveType::Double => Value::Double(number(json).ok_or_else(wrong)?),
        PrimitiveType::Decimal { scale, .. } => {
            let (written, written_scale) = parse_decimal(text()?).map_err(of_file)?;
            let unscaled = rescale(written, written_scale, *scale).ok_or_else(wrong)?;
            Some(Value::Decimal { unscaled, scale: *scale })
                .filter(|value| value.matches(primitive))
                .ok_or_else(wrong)?
        }
        PrimitiveType::Date => Value::Date(datetime::parse_date(text()?).map_err(of_file)?),
        PrimitiveType::Time => Value::Time(datetime::parse_time(text()?).map_err(of_file)?),
        PrimitiveType::Timestamp
        | PrimitiveType::Timestamptz
        | PrimitiveType::TimestampNs
        | PrimitiveType::TimestamptzNs => moment_from(text()?, primitive)?.ok_or_else(wrong)?,
        PrimitiveType::String => Value::String(text()?.to_owned()),
        PrimitiveType::Uuid => Value::Uuid(parse_uuid(text()?).map_err(of_file)?),
        PrimitiveType::Fixed(length) => {
            let bytes = parse_hex(text()?).map_err(of_file)?;
            if bytes.len() != *length as usize {
                return Err(wrong());
            }
            Value::Fixed(bytes)
        }
        PrimitiveType::Binary => Value::Binary(parse_hex(text()?).map_err(of_file)?),
        PrimitiveType::Unknown | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. } => {
            return Err(no_form(primitive));
        }
    })
}

/// `None` if a time zone is missing, superfluous or not UTC.
fn moment_from(text: &str, primitive: &PrimitiveType) -> Result<Option<Value>> {
    let read = || -> Result<Option<Value>> {
        let moment = datetime::parse_timestamp(text)?;
        Ok(match (primitive, moment.offset_seconds()) {
            (PrimitiveType::Timestamp, None) => Some(Value::Timestamp(moment.micros()?)),
            (PrimitiveType::Timestamptz, Some(0)) => Some(Value::Timestamptz(moment.micros()?)),
            (PrimitiveType::TimestampNs, None) => Some(Value::TimestampNs(moment.nanos()?)),
            (PrimitiveType::TimestamptzNs, Some(0)) => Some(Value::TimestamptzNs(moment.nanos()?)),
            _ => None,
        })
    };
    read().map_err(|error| Error::invalid_data(error.message()))
}

fn number(json: &Json) -> Option<f64> {
    match json.as_str() {
        None => json.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

fn primitive_to(value: &Value, primitive: &PrimitiveType) -> Result<Json> {
    Ok(match value {
        Value::Boolean(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Long(value) => (*value).into(),
        Value::Float(value) => number_to(shortest(*value)),
        Value::Double(value) => number_to(*value),
        Value::Decimal { unscaled, scale } => format_decimal(*unscaled, *scale).into(),
        Value::Date(days) => datetime::format_date(*days).into(),
        Value::Time(micros) => datetime::format_time(*micros).into(),
        Value::Timestamp(micros) => datetime::format_timestamp(*micros).into(),
        Value::Timestamptz(micros) => datetime::format_timestamptz(*micros).into(),
        Value::TimestampNs(nanos) => datetime::format_timestamp_ns(*nanos).into(),
        Value::TimestamptzNs(nanos) => datetime::format_timestamptz_ns(*nanos).into(),
        Value::String(text) => text.as_str().into(),
        Value::Uuid(bytes) => format_uuid(bytes).into(),
        Value::Fixed(bytes) => format_hex(bytes).into(),
        Value::Binary(bytes) if *primitive == PrimitiveType::Binary => format_hex(bytes).into(),
        Value::Binary(_) | Value::Struct(_) | Value::List(_) | Value::Map(_) => {
            return Err(no_form(primitive));
        }
    })
}

/// The double with a float's shortest digits (0.1, not 0.10000000149011612), as long as it reads back.
fn shortest(value: f32) -> f64 {
    match value.to_string().parse::<f64>() {
        Ok(wide) if wide as f32 == value => wide,
        _ => f64::from(value),
    }
}

fn number_to(value: f64) -> Json {
    serde_json::Number::from_f64(value).map_or_else(
        || {
            let text = match value {
                f64::INFINITY => "Infinity",
                f64::NEG_INFINITY => "-Infinity",
                _ => "NaN",
            };
            text.into()
        },
        Json::Number,
    )
}

fn wrong_json(field_type: &dyn std::fmt::Display, found: &Json) -> Error {
    let shown = beginning(found);
    Error::invalid_data(format!("expected the JSON of a value of type {field_type}, found {shown}"))
}

fn no_form(field_type: &dyn std::fmt::Display) -> Error {
    let shown = beginning(field_type);
    Error::unsupported(format!("a value of type {shown} other than null has no JSON form here"))
}
