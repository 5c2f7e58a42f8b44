//! Which operations change rows or the files that hold them?
//!
//! In: the message of an operation. Out: its fields, and back.
//! Spec: Lance, `transaction.proto`.

use floeberg_protobuf::message;

use super::field::SchemaField;
use super::fragment::{DataFile, Fragment};
use super::manifest::BasePath;

message! {
    /// Adds fragments.
    pub struct Append {
        /// The new fragments, without ids.
        fragments: Vec<Fragment> = 1,
        ..unknown
    }
}

message! {
    /// Deletes rows.
    pub struct Delete {
        /// Fragments with another deletion file.
        updated_fragments: Vec<Fragment> = 1,
        /// Fragments that are gone.
        deleted_fragment_ids: Vec<u64> = 2,
        /// Which rows were to go.
        predicate: String = 3,
        ..unknown
    }
}

message! {
    /// Replaces everything.
    pub struct Overwrite {
        /// The new fragments, without ids.
        fragments: Vec<Fragment> = 1,
        /// The new schema.
        schema: Vec<SchemaField> = 2,
        /// Its metadata.
        schema_metadata: Vec<(String, Vec<u8>)> = 3,
        /// Settings to set.
        config_upsert_values: Vec<(String, String)> = 4,
        /// Other folders for files.
        initial_bases: Vec<BasePath> = 5,
        ..unknown
    }
}

message! {
    /// Fragments that others replace, with the same rows.
    pub struct RewriteGroup {
        /// Those that are gone.
        old_fragments: Vec<Fragment> = 1,
        /// Those that are new, with ids that were reserved.
        new_fragments: Vec<Fragment> = 2,
        ..unknown
    }
}

message! {
    /// Writes the same rows into other fragments.
    pub struct Rewrite {
        /// As writers of old said it.
        old_fragments: Vec<Fragment> = 1,
        /// As writers of old said it.
        new_fragments: Vec<Fragment> = 2,
        /// Fragments and what replaces them.
        groups: Vec<RewriteGroup> = 3,
        /// Indices that were written anew.
        rewritten_indices: Vec<Vec<u8>> = 4,
        ..unknown
    }
}

message! {
    /// Changes rows.
    pub struct Update {
        /// Fragments all of whose rows moved.
        removed_fragment_ids: Vec<u64> = 1,
        /// Fragments with other deletes or files.
        updated_fragments: Vec<Fragment> = 2,
        /// Fragments with the changed rows.
        new_fragments: Vec<Fragment> = 3,
        /// The fields that changed.
        fields_modified: Vec<u32> = 4,
        /// Fields by which indices keep new fragments.
        fields_for_preserving_frag_bitmap: Vec<u32> = 6,
        /// 0 where rows were written again, 1 where columns were.
        update_mode: u64 = 7,
        /// Keys of rows that were added.
        inserted_rows: Option<Vec<u8>> = 8,
        ..unknown
    }
}

message! {
    /// A file that replaces others of a fragment.
    pub struct DataReplacementGroup {
        /// The fragment.
        fragment_id: u64 = 1,
        /// The file.
        new_file: Option<DataFile> = 2,
        ..unknown
    }
}

message! {
    /// Replaces files of fragments.
    pub struct DataReplacement {
        /// The files.
        replacements: Vec<DataReplacementGroup> = 1,
        ..unknown
    }
}
