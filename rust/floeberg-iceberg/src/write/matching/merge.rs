//! Which columns must a table get before these rows fit it?
//!
//! In: a table's schema, and that of the rows. Out: changes that add the columns which the rows have and it has not.
//! Spec: Schema Evolution.
//!
//! Invariant: columns are only added, as optional ones: nothing that is there changes.

use arrow_schema::Schema as ArrowSchema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::from_arrow::schema_from_arrow;
use floeberg_core::schema::json::type_to_json;
use floeberg_core::{Context, Result};
use serde_json::{Value as Json, json};

use super::identity::goes_by_ids;
use super::resolve::Resolver;
use crate::metadata::TableMetadata;

/// The changes, in the JSON of `floeberg_core::schema::evolve`; `None` where every column is there.
///
/// A column that differs from one of the table in case alone is not added.
///
/// Errors: `InvalidInput` for a column that no type of the table's format version holds.
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
    let is_complete = changes.is_empty();
    Ok((!is_complete).then(|| json!({ "changes": changes })))
}
