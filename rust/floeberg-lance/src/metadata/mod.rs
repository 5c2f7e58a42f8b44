//! What is a version of a table?
//!
//! In: the files of `_versions` and `_refs`. Out: versions, their schemas, features and places of files, checked.
//!
//! Invariant: what a manifest says is believed only after `validate` looked at it.

pub(crate) mod flags;
mod names;
mod logical_type;
mod schema;
mod arrow;
mod from_arrow;
mod listing;
mod bases;
pub(crate) mod validate;
mod refs;
mod identity;
mod open;

#[cfg(test)]
mod tests;

pub use bases::Bases;
pub(crate) use bases::{DATA, INDICES};
pub use flags::{
    STABLE_ROW_IDS, check_readable, check_writable, computed as computed_flags, names as flag_names,
};
pub use from_arrow::{FieldIds, check_name, field_paths, layout_of, written_fields};
pub(crate) use listing::entries;
pub use listing::{
    ListedVersion, TRANSACTIONS, VERSIONS, detached_versions, is_table, migrate_to_v2, versions,
};
pub use logical_type::leaf_to_arrow;
pub(crate) use names::transaction_file;
pub use names::{DETACHED, NamingScheme, VERSION_HINT, hint, version_of};
pub use open::{ManifestFile, read_head};
pub(crate) use refs::{BRANCHES, TAGS, ref_files};
pub use refs::{
    Branch, MAIN, Tag, branch, branch_folder, branch_path, branches, check_branch, check_new_branch,
    check_new_tag, tag, tag_path, tags,
};
pub use schema::{Field, Schema};
pub use validate::check;
