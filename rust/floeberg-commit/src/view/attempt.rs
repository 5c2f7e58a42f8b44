//! What does one attempt of a commit change in a view?
//!
//! Out: requirements and updates for a catalog that applies them itself, and metadata for one that does not.
//! Spec: REST catalog specification, `CommitViewRequest`; View Spec, Metadata Location.
//!
//! Invariant: no two attempts have a metadata file of one name.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::metadata::ViewMetadata;
use floeberg_iceberg::{OpenOptions, View};
use floeberg_io::location::{file_name, join};
use floeberg_io::{StoreOptions, open_store};
use floeberg_properties::VIEW_METADATA_CODEC;
use serde_json::Value as Json;

use super::{ViewOperation, ViewRequirement, ViewUpdate, apply_to_view};
use crate::apply::write_document;
use crate::state::now_ms;
use floeberg_io::random::random_uuid;

/// An operation on one base.
#[derive(Debug)]
pub struct ViewAttempt {
    options: OpenOptions,
    metadata: Arc<ViewMetadata>,
    requirements: Vec<ViewRequirement>,
    updates: Vec<ViewUpdate>,
    version: u64,
}

impl ViewOperation {
    /// Tries the operation on a base; without one the view is made. `storage` holds the options of a new view.
    ///
    /// Errors: those of [`apply_to_view`]; `AlreadyExists`, `CommitConflict` and `InvalidInput`, if the operation does not fit
    /// the base.
    pub fn attempt(&self, base: Option<&View>, storage: &StoreOptions) -> Result<ViewAttempt> {
        let now_ms = now_ms()?;
        let before = base.map(|view| view.metadata().as_ref());
        let updates = self.updates(before, now_ms)?;
        let requirements: Vec<_> =
            before.map(|before| ViewRequirement::ViewUuid(before.view_uuid.clone())).into_iter().collect();
        let metadata = apply_to_view(before, &requirements, &updates, now_ms)?;
        let options = match base {
            Some(base) => base.options().clone(),
            None => OpenOptions { storage: storage.clone(), ..OpenOptions::default() },
        };
        let version = base.map_or(0, |base| next_version(base.metadata_location()));
        Ok(ViewAttempt { options, metadata: Arc::new(metadata), requirements, updates, version })
    }
}

impl ViewAttempt {
    /// Does it change anything? If not, there is nothing to commit.
    pub fn changes(&self) -> bool {
        !self.updates.is_empty()
    }

    /// The metadata afterwards.
    pub fn metadata(&self) -> &Arc<ViewMetadata> {
        &self.metadata
    }

    /// What must still be so when it is applied.
    pub fn requirements(&self) -> &[ViewRequirement] {
        &self.requirements
    }

    /// The updates of the commit.
    pub fn updates(&self) -> &[ViewUpdate] {
        &self.updates
    }

    /// The requirements as JSON.
    pub fn requirements_json(&self) -> Json {
        self.requirements.iter().map(ViewRequirement::to_json).collect()
    }

    /// The updates as JSON.
    pub fn updates_json(&self) -> Result<Json> {
        self.updates.iter().map(ViewUpdate::to_json).collect::<Result<Vec<_>>>().map(Json::Array)
    }

    /// A new name for its metadata file: `<V>-<uuid>.metadata.json`, compressed unless the view's properties say otherwise.
    ///
    /// Errors: `InvalidInput` for an unknown codec.
    pub fn new_metadata_location(&self) -> Result<String> {
        let gzip = VIEW_METADATA_CODEC.of(&self.metadata.properties)? == "gzip";
        let suffix = if gzip { ".gz" } else { "" };
        let name = format!("{:05}-{}{suffix}.metadata.json", self.version, random_uuid());
        Ok(join(&self.metadata.metadata_folder(), &name))
    }

    /// Writes the metadata to a new file, durably. Errors: those of the store.
    pub fn write_metadata(&self, location: &str) -> Result<()> {
        let store = open_store(&self.options.storage)?;
        // The name is unique, so that the store need not check for an existing file.
        write_document(store.as_ref(), &self.metadata.to_json()?, location, false)
    }

    /// The view afterwards, at the metadata file that it was written to. Nothing is read.
    pub fn view(&self, metadata_location: &str) -> View {
        View::written(Arc::clone(&self.metadata), metadata_location.to_owned(), self.options.clone())
    }
}

/// One more than the version in the name of a metadata file; 0 after a name without one, as in Iceberg Java.
fn next_version(metadata_location: &str) -> u64 {
    let name = file_name(metadata_location).unwrap_or_default();
    let digits = name.split_once('-').map(|(version, _)| version);
    digits
        .and_then(|digits| digits.parse::<u64>().ok())
        .and_then(|version| version.checked_add(1))
        .unwrap_or(0)
}
