//! When does a commit happen?

use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, Result};

use crate::wire::Timestamp;

/// Now. Errors: `Internal` for a clock before 1970.
pub(crate) fn now() -> Result<Timestamp> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let elapsed = elapsed.ok_or_else(|| Error::internal("the clock of this machine is before 1970"))?;
    Ok(Timestamp {
        seconds: elapsed.as_secs() as i64,
        nanos: elapsed.subsec_nanos() as i32,
        ..Timestamp::default()
    })
}
