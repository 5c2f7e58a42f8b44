//! Is an error one that bytes may end in?

use floeberg_core::{Error, ErrorKind, Result};

/// The value, or `None` for an error that is the fault of the bytes.
///
/// # Panics
/// For an error that says it is a fault of Floeberg.
pub(crate) fn decoded<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| judge(&error)).ok()
}

/// Refuses an error that says it is a fault of Floeberg.
pub(crate) fn judge(error: &Error) {
    assert_ne!(error.kind(), ErrorKind::Internal, "{error:?}");
    assert!(error.message().len() < 4096, "a message of {} bytes: {error}", error.message().len());
}
