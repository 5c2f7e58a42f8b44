//! Which paths does a metadata file have?
//!
//! In: the JSON of a metadata file. Out: the same with other paths, and the statistics files that it names.
//! Spec: Table Metadata Fields; Snapshots; Table Statistics; Partition Statistics.
//!
//! Invariant: all other keys stay as they are, unknown ones among them.

use floeberg_core::{Error, Result};
use floeberg_io::location::within;
use floeberg_properties::{DATA_PATH, FORMER_DATA_PATHS, METADATA_PATH};
use serde_json::Value as Json;

use super::file_list::FileToCopy;
use super::prefixes::PathPrefixes;

/// Gives the paths of a document, which was read as table metadata, the target prefix. Returns its statistics files.
///
/// Errors: `InvalidInput` for a path that is not below the source prefix.
pub(super) fn rewrite_document(document: &mut Json, prefixes: &PathPrefixes) -> Result<Vec<FileToCopy>> {
    change(document.get_mut("location"), "the location of the table", prefixes)?;
    for property in [DATA_PATH, FORMER_DATA_PATHS[0], FORMER_DATA_PATHS[1], METADATA_PATH] {
        let value = document.get_mut("properties").and_then(|properties| properties.get_mut(property));
        // A relative path is below the location.
        let is_absolute = |path: &str| !path.is_empty() && within("/folder", path) == path;
        if value.as_ref().and_then(|value| value.as_str()).is_some_and(is_absolute) {
            change(value, &format!("the property {property}"), prefixes)?;
        }
    }
    for entry in list(document, "metadata-log") {
        change(entry.get_mut("metadata-file"), "a metadata file of the log", prefixes)?;
    }
    for snapshot in list(document, "snapshots") {
        change(snapshot.get_mut("manifest-list"), "a manifest list", prefixes)?;
        for manifest in list(snapshot, "manifests") {
            change(Some(manifest), "a manifest", prefixes)?;
        }
    }
    let mut statistics = Vec::new();
    for key in ["statistics", "partition-statistics"] {
        for file in list(document, key) {
            let source = file.get("statistics-path").and_then(Json::as_str).map(str::to_owned);
            let source = source.ok_or_else(|| {
                Error::invalid_data(format!(
                    "table metadata: expected a statistics-path in each entry of {key}"
                ))
            })?;
            let target = prefixes.target("a statistics file", &source)?;
            file["statistics-path"] = target.as_str().into();
            statistics.push(FileToCopy { source, target });
        }
    }
    Ok(statistics)
}

fn list<'a>(object: &'a mut Json, key: &str) -> impl Iterator<Item = &'a mut Json> {
    object.get_mut(key).and_then(Json::as_array_mut).into_iter().flatten()
}

fn change(value: Option<&mut Json>, what: &str, prefixes: &PathPrefixes) -> Result<()> {
    if let Some(value) = value
        && let Some(path) = value.as_str()
    {
        *value = prefixes.target(what, path)?.into();
    }
    Ok(())
}
