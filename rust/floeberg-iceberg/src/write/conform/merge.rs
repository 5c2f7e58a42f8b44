//! Which changes of columns make these rows fit a table?
//!
//! In: a table's schema, and that of the rows. Out: changes that add missing columns to the table, and promote
//! columns that are too narrow. Spec: Schema Evolution.
//!
//! Invariant: columns are added as optional, and columns that fit stay unchanged. A required column stays required, which Iceberg
//! Java's union by name gives up for rows that may be null.

use arrow_schema::Schema as ArrowSchema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::from_arrow::schema_from_arrow;
use floeberg_core::schema::json::type_to_json;
use floeberg_core::schema::{Type, promotes_to};
use floeberg_core::{Context, Result};
use serde_json::{Value as Json, json};

use super::identity::goes_by_ids;
use super::resolve::Resolver;
use crate::metadata::TableMetadata;

/// The changes, in the JSON of `floeberg_core::schema::evolve`; `None` if every column exists and is wide enough.
///
/// A column that differs from one of the table in case alone is not added.
///
/// Errors: `InvalidInput` for a column that no type of the table's format version can hold.
pub fn columns_to_add(metadata: &TableMetadata, input: &ArrowSchema) -> Result<Option<Json>> {
    let table = metadata.current_schema();
    let form = schema_to_arrow(table)?;
    let mut resolver = Resolver::new(goes_by_ids(table.fields(), input.fields()));
    resolver.columns(table.fields(), form.fields(), input.fields(), "");
    let mut changes = Vec::with_capacity(resolver.unknown.len());
    for (parent, field) in resolver.unknown {
        let one = ArrowSchema::new(vec![field]);
        let made = schema_from_arrow(&one, metadata.format_version).context("parent", &parent)?;
        for field in made.fields() {
            changes.push(json!({
                "change": "add-column",
                "parent": (!parent.is_empty()).then_some(&parent),
                "name": field.name,
                "type": type_to_json(&field.field_type)?,
                "doc": field.doc,
            }));
        }
    }
    for (name, narrow, field) in resolver.other_types {
        let one = ArrowSchema::new(vec![field]);
        // A type that a table cannot have is an error when the rows are matched.
        let Ok(made) = schema_from_arrow(&one, metadata.format_version) else { continue };
        for field in made.fields() {
            if matches!(&field.field_type, Type::Primitive(wider) if promotes_to(&narrow, wider)) {
                let wider = type_to_json(&field.field_type)?;
                changes.push(json!({ "change": "update-type", "name": name, "type": wider }));
            }
        }
    }
    let is_complete = changes.is_empty();
    Ok((!is_complete).then(|| json!({ "changes": changes })))
}
