//! Which id and which time does a new snapshot get?
//!
//! Out: random ids that the table does not have, and milliseconds from 1970-01-01 UTC.
//! Spec: Appendix F, Assignment of Snapshot IDs.

use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::random::draw;

/// A snapshot id that the table does not have: above 0.
pub(crate) fn new_snapshot_id(metadata: &TableMetadata) -> i64 {
    loop {
        let id = (draw() >> 1) as i64;
        if id > 0 && metadata.snapshot(id).is_err() {
            return id;
        }
    }
}

/// The time of a commit, in milliseconds from 1970-01-01 UTC. Errors: `Internal` for a clock before 1970.
pub fn now_ms() -> Result<i64> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let milliseconds = elapsed.and_then(|elapsed| i64::try_from(elapsed.as_millis()).ok());
    milliseconds.ok_or_else(|| Error::internal("the clock of this machine is before 1970"))
}
