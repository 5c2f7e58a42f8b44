//! Which operations change schema, settings, indices or what else a table is?
//!
//! In: the message of an operation. Out: its fields, and back.
//! Spec: Lance, `transaction.proto`.

use floeberg_protobuf::message;

use super::field::SchemaField;
use super::fragment::Fragment;
use super::index::IndexMetadata;
use super::manifest::BasePath;

message! {
    /// Adds, replaces or removes indices.
    pub struct CreateIndex {
        /// Those that are new or changed.
        new_indices: Vec<IndexMetadata> = 1,
        /// Those that they replace, or that are gone.
        removed_indices: Vec<IndexMetadata> = 2,
        ..unknown
    }
}

message! {
    /// Adds columns, or otherwise changes schema and files.
    pub struct Merge {
        /// All fragments, as they are now.
        fragments: Vec<Fragment> = 1,
        /// The new schema.
        schema: Vec<SchemaField> = 2,
        /// Its metadata.
        schema_metadata: Vec<(String, Vec<u8>)> = 3,
        /// Does no field forbid null that rows written meanwhile may lack?
        preserves_nullability: bool = 4,
        ..unknown
    }
}

message! {
    /// Makes an old version the newest.
    pub struct Restore {
        /// The version.
        version: u64 = 1,
        ..unknown
    }
}

message! {
    /// Takes ids of fragments for later.
    pub struct ReserveFragments {
        /// How many.
        num_fragments: u32 = 1,
        ..unknown
    }
}

message! {
    /// Changes the schema alone.
    pub struct Project {
        /// The new schema.
        schema: Vec<SchemaField> = 1,
        /// Does no field forbid null that rows written meanwhile may lack?
        preserves_nullability: bool = 2,
        ..unknown
    }
}

message! {
    /// Changes settings and metadata.
    pub struct UpdateConfig {
        /// Settings.
        config_updates: Option<UpdateMap> = 6,
        /// Metadata of the table.
        table_metadata_updates: Option<UpdateMap> = 7,
        /// Metadata of the schema.
        schema_metadata_updates: Option<UpdateMap> = 8,
        /// Metadata of fields, by id.
        field_metadata_updates: Vec<Vec<u8>> = 9,
        ..unknown
    }
}

message! {
    /// Makes a table of the files of another.
    pub struct Clone {
        /// Do the files stay where they are?
        is_shallow: bool = 1,
        /// The branch or tag.
        ref_name: Option<String> = 2,
        /// The version.
        ref_version: u64 = 3,
        /// The table.
        ref_path: String = 4,
        /// The branch that was made.
        branch_name: Option<String> = 5,
        ..unknown
    }
}

message! {
    /// Adds folders for files.
    pub struct UpdateBases {
        /// The folders.
        new_bases: Vec<BasePath> = 1,
        ..unknown
    }
}

message! {
    /// Changes of a map of texts.
    pub struct UpdateMap {
        /// Keys with their new values; those without a value are removed.
        update_entries: Vec<(String, Option<String>)> = 1,
        /// Is everything else removed?
        replace: bool = 2,
        ..unknown
    }
}
