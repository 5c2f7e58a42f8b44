//! Which columns does a schema of the metadata have?
//!
//! In: schema objects. Out: schemas, with errors that name the path in the metadata.
//! Spec: Appendix C, Schemas.

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_from_json;
use floeberg_core::{Context, Result};
use serde_json::Value as Json;

use crate::wire::json::JsonPath;

/// A schema. Errors: `InvalidData`.
#[expect(clippy::needless_pass_by_value, reason = "has the shape of the readers of wire::json")]
pub fn parse_schema(json: Json, path: &JsonPath<'_>) -> Result<Arc<Schema>> {
    schema_from_json(&json).map(Arc::new).context("json", path)
}
