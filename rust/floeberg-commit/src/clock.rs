//! When does a commit happen?
//!
//! Out: milliseconds from 1970-01-01 UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, Result};

pub(super) fn now_ms() -> Result<i64> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let milliseconds = elapsed.and_then(|elapsed| i64::try_from(elapsed.as_millis()).ok());
    milliseconds.ok_or_else(|| Error::internal("the clock of this machine is before 1970"))
}
