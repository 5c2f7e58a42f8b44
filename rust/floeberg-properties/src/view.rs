//! Which properties of views are followed, and what are their defaults?
//!
//! Spec: View Spec, View Metadata (`properties`); Iceberg documentation, Configuration (view properties).
//!
//! Invariant: a property that tables have too may have another default here, and is never read with theirs.

use super::property::{Flag, Whole, Words};

/// How many versions the metadata of a view keeps.
pub const VERSION_HISTORY_SIZE: Whole = Whole { name: "version.history.num-entries", default: 10, least: 1 };
/// May a new version lack a dialect of the one before?
pub const REPLACE_DROP_DIALECT_ALLOWED: Flag = Flag { name: "replace.drop-dialect.allowed", default: false };
/// What metadata files of views are compressed by.
pub const VIEW_METADATA_CODEC: Words =
    Words { name: "write.metadata.compression-codec", default: "gzip", allowed: &["none", "gzip"] };
