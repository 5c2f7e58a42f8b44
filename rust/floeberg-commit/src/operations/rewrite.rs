//! Which data files does a user want to write again?
//!
//! Spec: Snapshots (`replace`).

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use serde_json::{Value as Json, json};

/// Data files whose rows are written again, as fewer or larger files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// The files, by their paths: each group becomes files of its own, its rows in the order of its files.
    pub groups: Vec<Vec<String>>,
    /// Options of the write, such as `target-file-size-bytes`.
    pub options: BTreeMap<String, String>,
}

impl Rewrite {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({ "groups": self.groups, "options": self.options })
    }

    /// Reads what [`Rewrite::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected groups of files to write again");
        let text = |text: &Json| text.as_str().map(str::to_owned).ok_or_else(invalid);
        let group = |group: &Json| -> Result<Vec<String>> {
            group.as_array().ok_or_else(invalid)?.iter().map(text).collect()
        };
        let groups = json.get("groups").and_then(Json::as_array).ok_or_else(invalid)?;
        let options = json.get("options").and_then(Json::as_object).ok_or_else(invalid)?;
        Ok(Self {
            groups: groups.iter().map(group).collect::<Result<_>>()?,
            options: options
                .iter()
                .map(|(name, value)| Ok((name.clone(), text(value)?)))
                .collect::<Result<_>>()?,
        })
    }
}
