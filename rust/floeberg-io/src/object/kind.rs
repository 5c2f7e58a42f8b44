//! Which bucket and which key does a location name?
//!
//! In: a parsed location. Out: the identity of its client, and the path in the store.
//!
//! Invariant: a key that the client library would change is refused, never rewritten.

use floeberg_core::{Error, Result};
use object_store::path::Path;

use crate::location::{Location, shown};

/// A kind of object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Amazon S3 and compatible stores.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage and Data Lake Storage.
    Azure,
    /// A server of files.
    Http,
}

impl Kind {
    /// The bucket, container or server of a location, and the path in it.
    ///
    /// Errors: `InvalidInput` without a bucket, `Unsupported` for a key that the client library cannot express.
    pub(super) fn address(self, location: &Location<'_>) -> Result<(String, Path)> {
        if location.authority().is_empty() {
            let message = format!("expected `{0}://bucket/key`, found no bucket", location.scheme());
            return Err(Error::invalid_input(message).with("path", shown(location.written())));
        }
        let key = location.key();
        if self == Self::Http {
            // A URL is percent-encoded by its nature, and its query belongs to every request.
            let (key, query) = key.find('?').map_or((key, ""), |at| key.split_at(at));
            let server = format!("{}://{}/{query}", location.scheme(), location.authority());
            let path = Path::from_url_path(key).ok();
            let changed =
                key.starts_with('/') || key.ends_with('/') || key.to_ascii_lowercase().contains("%2f");
            return Ok((server, path.filter(|_| !changed).ok_or_else(|| unspeakable(location))?));
        }
        let path = Path::parse(key).ok().filter(|path| path.as_ref() == key);
        Ok((location.authority().to_owned(), path.ok_or_else(|| unspeakable(location))?))
    }
}

fn unspeakable(location: &Location<'_>) -> Error {
    let message = "object keys with empty segments, `.`, `..` or control characters are not supported";
    Error::unsupported(message).with("path", shown(location.written()))
}
