use floeberg_core::expr::BoundExpr;

use crate::manifest::prune_counts::PruneCounts;
use crate::manifest::pruner::Pruner;
use crate::manifest::specs::Specs;
use crate::manifest::{ManifestContent, ManifestFile};
use crate::metadata::parse_table_metadata;

/// Is a manifest of these counts of added and of existing files read?
fn is_read(added: Option<i64>, existing: Option<i64>) -> bool {
    let document = br#"{"format-version": 1, "location": "/t", "last-updated-ms": 1, "last-column-id": 1,
        "schema": {"type": "struct", "fields": [{"id": 1, "name": "a", "required": false, "type": "long"}]},
        "partition-spec": []}"#;
    let metadata = parse_table_metadata(document, "/t/metadata/v1.metadata.json").unwrap();
    let specs = Specs::new(&metadata, metadata.current_schema()).unwrap();
    let filter = Pruner::new(BoundExpr::True, &specs);
    let manifest = ManifestFile {
        added_files_count: added,
        existing_files_count: existing,
        ..ManifestFile::unlisted("/t/metadata/m.avro".to_owned(), 1, 0, ManifestContent::Data)
    };
    filter.keeps_manifest(&manifest, specs.get(0).unwrap(), &mut PruneCounts::default())
}

#[test]
fn a_count_that_is_not_known_is_taken_for_some() {
    assert!(!is_read(Some(0), Some(0)));
    for (added, existing) in
        [(None, None), (None, Some(0)), (Some(0), None), (Some(1), Some(0)), (Some(0), Some(1))]
    {
        assert!(is_read(added, existing), "{added:?} {existing:?}");
    }
}
