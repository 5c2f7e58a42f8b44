//! How does a manifest write a field of its schema?
//!
//! Fields stand depth first in one list; each names its parent.
//! Spec: Lance, `file.proto`, `Field`.

use floeberg_protobuf::message;

message! {
    /// A field of a schema, as it is written.
    pub struct SchemaField {
        /// 0 for a parent, 1 for a list, 2 for a leaf.
        kind: u64 = 1,
        /// The name.
        name: String = 2,
        /// The id.
        id: i32 = 3,
        /// The id of the field that holds it; -1 for a column.
        parent_id: i32 = 4,
        /// The type, such as `int64`, `timestamp:us:UTC` or `list.struct`.
        logical_type: String = 5,
        /// May it be null?
        nullable: bool = 6,
        /// How files of version 0.1 store it.
        encoding: u64 = 7,
        /// Where files of version 0.1 keep its dictionary: a message as it is written.
        dictionary: Option<Vec<u8>> = 8,
        /// The name of its extension type, where no metadata have it.
        extension_name: String = 9,
        /// Its metadata.
        metadata: Vec<(String, Vec<u8>)> = 10,
        /// Is it part of the primary key that nobody enforces?
        unenforced_primary_key: bool = 12,
        /// Its place in that key, from 1; 0 for the order of ids.
        unenforced_primary_key_position: u32 = 13,
        ..unknown
    }
}
