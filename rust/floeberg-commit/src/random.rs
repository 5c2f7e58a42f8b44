//! Which snapshot ids are unique?
//!
//! Out: random ids, and uuids.
//! Spec: Appendix F, Assignment of Snapshot IDs.

use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::random::draw;

pub(crate) use floeberg_io::random::random_uuid;

/// A snapshot id that the table does not have: above 0.
pub(crate) fn new_snapshot_id(metadata: &TableMetadata) -> i64 {
    loop {
        let id = (draw() >> 1) as i64;
        if id > 0 && metadata.snapshot(id).is_err() {
            return id;
        }
    }
}
