//! Which manifests does a user want to have written again?
//!
//! Spec: Manifests.

use floeberg_core::{Error, Result};
use serde_json::{Value as Json, json};

/// Manifests to write again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestRewrite {
    /// The manifests of this partition spec; `None` is the table's default spec.
    pub spec_id: Option<i32>,
    /// Names of partition fields that files are clustered by, the first one first; empty is all fields, in the order of the spec.
    pub sort_by: Vec<String>,
}

impl ManifestRewrite {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({ "spec-id": self.spec_id, "sort-by": self.sort_by })
    }

    /// Reads what [`ManifestRewrite::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected which manifests are written again");
        let spec_id = match json.get("spec-id") {
            None | Some(Json::Null) => None,
            Some(id) => Some(id.as_i64().and_then(|id| i32::try_from(id).ok()).ok_or_else(invalid)?),
        };
        let names = json.get("sort-by").and_then(Json::as_array).ok_or_else(invalid)?;
        let name = |name: &Json| name.as_str().map(str::to_owned).ok_or_else(invalid);
        Ok(Self { spec_id, sort_by: names.iter().map(name).collect::<Result<_>>()? })
    }
}
