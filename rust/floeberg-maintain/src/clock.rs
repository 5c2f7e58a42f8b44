//! What time is it by the clock of a store?
//!
//! In: a store, and a folder that may be written to. Out: milliseconds since 1970.
//!
//! Invariant: the time is that of a file that the store just took, which is removed again, and whose name is hidden.

use bytes::Bytes;
use floeberg_core::Result;
use floeberg_io::Store;
use floeberg_io::location::join;
use floeberg_io::random::random_uuid;

/// The time by the clock of a store: a small file is written to the folder, and removed.
///
/// Errors: `Unsupported` where the store does not say when its files were written, or cannot be written; those of the store.
pub fn store_time_ms(store: &dyn Store, folder: &str) -> Result<i64> {
    let location = join(folder, &format!(".clock-{}", random_uuid()));
    let written = store.put(&location, Bytes::from_static(b"clock"));
    let time = written.and_then(|()| store.modified_ms(&location));
    // A file that stays is hidden, and said nowhere: the time is what was asked for.
    let removed = store.remove(&location);
    let time = time?;
    removed?;
    Ok(time)
}
