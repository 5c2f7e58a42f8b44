//! Are the sort orders of a table what they may be?
//!
//! Spec: Sorting; Appendix C, Sort Orders.

use std::collections::HashSet;

use floeberg_core::schema::Type;
use serde_json::Value as Json;

use crate::check::keys::{Object, join, long, objects, text};
use crate::check::rules::schemas::{ORDER_0, ORDER_KEPT_TWICE, SORT_FIELD, SORT_SOURCE};
use floeberg_core::finding::Findings;

use super::specs::{check_sources, current_columns, known_transform};

/// Checks the sort orders of a table.
pub(super) fn check_orders(found: &mut Findings, table: &Object) {
    let current = current_columns(table);
    let mut seen = HashSet::new();
    for (part, order) in objects(table, "sort-orders") {
        let id = long(order, "order-id");
        let fields = objects(order, "fields");
        if id.is_some_and(|id| (id == 0) != fields.is_empty()) {
            let message = format_args!("sort order {} has {} fields", id.unwrap_or(0), fields.len());
            found.add(&ORDER_0, &part, message);
        }
        let is_default = id == long(table, "default-sort-order-id");
        for (below, field) in fields {
            let at = join(&part, &below);
            let direction = text(field, "direction").is_some_and(|text| ["asc", "desc"].contains(&text));
            let nulls =
                text(field, "null-order").is_some_and(|text| ["nulls-first", "nulls-last"].contains(&text));
            if !direction || !nulls {
                let shown = |name: &str| field.get(name).map_or_else(|| "none".to_owned(), Json::to_string);
                let (direction, nulls) = (shown("direction"), shown("null-order"));
                found.add(
                    &SORT_FIELD,
                    &at,
                    format_args!("found the direction {direction}, and the nulls {nulls}"),
                );
            }
            let sources = check_sources(found, field, &at);
            let transform = known_transform(found, field, &at);
            for source in sources.iter().filter(|_| is_default && !current.is_empty()) {
                let column = current.get(source).filter(|column| !column.repeated);
                let field_type = column.map(super::columns::Column::field_type);
                let fits = match (&field_type, &transform) {
                    (None, _) => false,
                    (Some(Some(Type::Unrecognized(_)) | None), _) | (_, None) => true,
                    (Some(Some(field_type)), Some(transform)) => {
                        matches!(field_type, Type::Primitive(_)) && transform.accepts(field_type)
                    }
                };
                if !fits {
                    found.add(
                        &SORT_SOURCE,
                        &at,
                        format_args!("the table cannot be sorted by column {source}"),
                    );
                }
            }
        }
        if !seen.insert(order.get("fields").map(Json::to_string)) {
            found.add(&ORDER_KEPT_TWICE, &part, "another sort order has the same fields");
        }
    }
}
