//! What must still hold when a commit to a view is applied?
//!
//! Spec: REST catalog specification, `ViewRequirement`.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::ViewMetadata;
use floeberg_iceberg::metadata::json::ObjectWriter;
use serde_json::{Map, Value as Json};

/// The one requirement that views have, as in Iceberg Java.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewRequirement {
    /// `assert-view-uuid`: it is this view.
    ViewUuid(String),
}

impl ViewRequirement {
    /// Does it hold? Errors: `CommitConflict`, which a retry does not help.
    pub fn check(&self, base: Option<&ViewMetadata>) -> Result<()> {
        let Self::ViewUuid(expected) = self;
        let found = base.map(|base| base.view_uuid.as_str());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(expected)) {
            return Ok(());
        }
        let found = found.unwrap_or("none");
        let message = format!("expected the view with the uuid {expected}, found {found}");
        Err(Error::new(ErrorKind::CommitConflict, message))
    }

    /// The requirement as JSON.
    pub fn to_json(&self) -> Json {
        let Self::ViewUuid(uuid) = self;
        let mut object = ObjectWriter::default();
        object.put("type", "assert-view-uuid");
        object.put("uuid", uuid.as_str());
        object.finish(&Map::new())
    }
}
