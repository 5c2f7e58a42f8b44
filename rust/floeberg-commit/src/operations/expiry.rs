//! Which snapshots does a user want to expire?
//!
//! Spec: Snapshot Retention Policy.

use floeberg_core::{Error, Result};
use serde_json::{Value as Json, json};

/// What expires. What is `None` follows the table's properties.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expiry {
    /// Snapshots that were made before then, in milliseconds since 1970. `None` follows `history.expire.max-snapshot-age-ms`.
    pub older_than_ms: Option<i64>,
    /// So many snapshots of each branch stay; at least 1. `None` follows `history.expire.min-snapshots-to-keep`.
    pub retain_last: Option<u32>,
    /// Snapshots that expire whatever their age.
    pub snapshot_ids: Vec<i64>,
    /// Do only these snapshots expire?
    pub only_ids: bool,
    /// Do schemas and partition specs go that nothing uses any more?
    pub clean_expired_metadata: bool,
}

impl Expiry {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "older-than-ms": self.older_than_ms,
            "retain-last": self.retain_last,
            "snapshot-ids": self.snapshot_ids,
            "only-ids": self.only_ids,
            "clean-expired-metadata": self.clean_expired_metadata,
        })
    }

    /// Reads what [`Expiry::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected which snapshots expire");
        let number = |name: &str| match json.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => value.as_i64().map(Some).ok_or_else(invalid),
        };
        let retain_last = number("retain-last")?.map(|last| u32::try_from(last).map_err(|_| invalid()));
        let ids = json.get("snapshot-ids").and_then(Json::as_array).ok_or_else(invalid)?;
        Ok(Self {
            older_than_ms: number("older-than-ms")?,
            retain_last: retain_last.transpose()?.filter(|last| *last > 0),
            snapshot_ids: ids.iter().map(|id| id.as_i64().ok_or_else(invalid)).collect::<Result<_>>()?,
            only_ids: json.get("only-ids").and_then(Json::as_bool).ok_or_else(invalid)?,
            clean_expired_metadata: json
                .get("clean-expired-metadata")
                .and_then(Json::as_bool)
                .ok_or_else(invalid)?,
        })
    }
}
