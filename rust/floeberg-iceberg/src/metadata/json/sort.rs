//! Which sort orders does the metadata hold?
//!
//! In: order objects. Out: the model, and back.
//! Spec: Sorting; Appendix C, Sort Orders.

use std::sync::Arc;

use floeberg_core::Result;
use serde_json::Value as Json;

use super::emit::ObjectWriter;
use super::partition::{emit_sources, parse_sources, parse_transform};
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};
use crate::wire::json::{JsonPath, ObjectReader, int, list, string};

/// A sort order. Errors: `InvalidData`.
pub fn parse_order(json: Json, path: &JsonPath<'_>) -> Result<Arc<SortOrder>> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(Arc::new(SortOrder {
        order_id: object.required("order-id", int)?,
        fields: object.required("fields", list(parse_field))?,
        unknown_keys: object.unknown_keys(),
    }))
}

/// A sort order.
pub fn emit_order(order: &SortOrder) -> Json {
    let mut object = ObjectWriter::default();
    object.put("order-id", order.order_id);
    object.put("fields", order.fields.iter().map(emit_field).collect::<Json>());
    object.finish(&order.unknown_keys)
}

fn parse_field(json: Json, path: &JsonPath<'_>) -> Result<SortField> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(SortField {
        transform: object.required("transform", parse_transform)?,
        source_ids: parse_sources(&mut object)?,
        direction: object.required("direction", parse_direction)?,
        null_order: object.required("null-order", parse_null_order)?,
        unknown_keys: object.unknown_keys(),
    })
}

fn parse_direction(json: Json, path: &JsonPath<'_>) -> Result<SortDirection> {
    let name = string(json, path)?;
    match name.to_ascii_lowercase().as_str() {
        "asc" => Ok(SortDirection::Ascending),
        "desc" => Ok(SortDirection::Descending),
        _ => Err(path.expected("\"asc\" or \"desc\"", &Json::String(name))),
    }
}

fn parse_null_order(json: Json, path: &JsonPath<'_>) -> Result<NullOrder> {
    let name = string(json, path)?;
    match name.to_ascii_lowercase().as_str() {
        "nulls-first" => Ok(NullOrder::First),
        "nulls-last" => Ok(NullOrder::Last),
        _ => Err(path.expected("\"nulls-first\" or \"nulls-last\"", &Json::String(name))),
    }
}

fn emit_field(field: &SortField) -> Json {
    let mut object = ObjectWriter::default();
    object.put("transform", field.transform.to_string());
    emit_sources(&mut object, &field.source_ids);
    object.put(
        "direction",
        match field.direction {
            SortDirection::Ascending => "asc",
            SortDirection::Descending => "desc",
        },
    );
    object.put(
        "null-order",
        match field.null_order {
            NullOrder::First => "nulls-first",
            NullOrder::Last => "nulls-last",
        },
    );
    object.finish(&field.unknown_keys)
}
