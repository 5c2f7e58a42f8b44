//! How does a user declare another sort order?
//!
//! In: JSON, `{"fields": [...], "case-sensitive": true}`, the fields as in a new table. Out: declared fields.
//! Spec: Sorting; Appendix C, Sort Orders.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{DeclaredSort, parse_sorts};
use serde_json::Value as Json;

/// The fields that new data is sorted by. No fields: it is not sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct SortOrderChange {
    /// The fields, the most significant first.
    pub fields: Vec<DeclaredSort>,
    /// Are the names of columns case-sensitive?
    pub case_sensitive: bool,
}

impl SortOrderChange {
    /// Reads the change. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let fields = json.get("fields").filter(|fields| fields.is_array());
        let fields = fields.ok_or_else(|| Error::invalid_input("expected a list of sort fields"))?;
        let case_sensitive = json.get("case-sensitive").and_then(Json::as_bool).unwrap_or(true);
        Ok(Self { fields: parse_sorts(fields)?, case_sensitive })
    }
}
