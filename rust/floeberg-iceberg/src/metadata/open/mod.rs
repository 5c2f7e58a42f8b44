//! Finding the current metadata file of a table or a view, and reading it.

mod name;
mod folder;
mod later;
mod table;
mod versions;

pub use folder::{HintedFile, hinted_metadata, hinted_version};
pub use later::check_latest_version;
pub use table::{locate_metadata, open_metadata, open_view_metadata};
pub use versions::{FolderVersions, VersionFile, file_version, folder_versions};

#[cfg(test)]
mod tests;
