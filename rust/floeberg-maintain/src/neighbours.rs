//! Does another table of the catalog have a folder?
//!
//! In: a folder, and the metadata files of the other tables of the catalog. Out: an error that names the other table's location.
//! Spec: Metastore Tables; Table Metadata Fields (`location`).
//!
//! Invariant: a metadata file in a folder `metadata` is of the table in the folder above, as all writers have it. Other metadata files are
//! opened, since the folder does not say where their tables are.

use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::metadata::open_metadata;
use floeberg_io::{Store, location};

use crate::place::{Place, Places};

/// Errors: `InvalidInput` where the location of another table is the folder, is in it, or has it; `InvalidData` for metadata that cannot
/// be read; `Cancelled`; those of the store. A metadata file that is gone has no table.
pub fn check_no_other_table(
    store: &dyn Store,
    folder: &str,
    metadata_locations: &[String],
    cancel: &Cancel,
) -> Result<()> {
    let locations = ordered(metadata_locations, thread_budget()?, cancel, |written| {
        if let Some(above) = table_of(written) {
            return Ok(vec![above.to_owned()]);
        }
        match open_metadata(store, written) {
            Ok((_, metadata)) => {
                let own = location::parent(written).map(str::to_owned);
                Ok(own.into_iter().chain([metadata.location]).collect())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    })?;
    let mut places = Places::default();
    let own = places.of_folder(folder);
    for other in locations.into_iter().flatten() {
        let place = places.of_folder(&other);
        if place.prefix == own.prefix && (is_in(&own, &place) || is_in(&place, &own)) {
            let message = "the folder shares files with the location of another table of the catalog: its files would be taken for orphans";
            return Err(Error::invalid_input(message)
                .with("path", location::shown(folder))
                .with("other", location::shown(&other)));
        }
    }
    Ok(())
}

/// The location of the table of a metadata file, if its folder says it.
fn table_of(metadata_location: &str) -> Option<&str> {
    let folder = location::parent(metadata_location)?;
    (location::file_name(folder)? == "metadata").then(|| location::parent(folder)).flatten()
}

/// Is a folder another one, or in it?
fn is_in(inner: &Place, outer: &Place) -> bool {
    let rest = inner.path.strip_prefix(outer.path.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || outer.path.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_io::MemoryStore;

    use super::*;

    fn checked(folder: &str, others: &[&str]) -> Result<()> {
        let others: Vec<String> = others.iter().map(|each| (*each).to_owned()).collect();
        check_no_other_table(&MemoryStore::new(), folder, &others, &Cancel::default())
    }

    #[test]
    fn a_folder_of_another_table_is_refused() {
        let others = ["s3://b/db/t/metadata/v1.metadata.json"];
        for folder in ["s3://b/db/t", "s3a://b/db/t/", "s3://b/db/t/data", "s3://b/db", "s3://b"] {
            let error = checked(folder, &others).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{folder}");
            assert!(error.to_string().contains("s3://b/db/t"), "{error}");
        }
        for folder in ["s3://b/db/t2", "s3://b/db/u", "s3://c/db/t", "gs://b/db/t"] {
            checked(folder, &others).unwrap();
        }
    }

    #[test]
    fn metadata_elsewhere_is_opened() {
        // It is gone: no table has it.
        checked("s3://b/db/t", &["s3://b/names/v1.metadata.json"]).unwrap();
        let store = MemoryStore::new();
        store.put("s3://b/names/v1.metadata.json", "not JSON");
        let others = ["s3://b/names/v1.metadata.json".to_owned()];
        let error = check_no_other_table(&store, "s3://b/db/t", &others, &Cancel::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let metadata = r#"{"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://b/db/t",
            "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": []}], "current-schema-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0, "last-partition-id": 999,
            "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0}"#;
        store.put("s3://b/names/v1.metadata.json", metadata);
        for folder in ["s3://b/db/t", "s3://b/db/t/data", "s3://b/names"] {
            check_no_other_table(&store, folder, &others, &Cancel::default()).unwrap_err();
        }
        check_no_other_table(&store, "s3://b/db/u", &others, &Cancel::default()).unwrap();
    }
}
