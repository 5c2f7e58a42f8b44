//! Does every view of the corpus say what its oracle says it says?

use std::fs;

use corpus::{Case, cases};
use floeberg_iceberg::metadata::{ViewMetadata, ViewRepresentation, parse_view_metadata};
use floeberg_iceberg::{OpenOptions, View};
use serde_json::{Value as Json, json};

fn views() -> Vec<Case> {
    let views: Vec<_> = cases().into_iter().filter(Case::is_view).collect();
    assert!(!views.is_empty());
    views
}

#[test]
fn every_view_says_what_its_oracle_says() {
    for case in views() {
        let folder = case.folder.join("table");
        let view = View::open(folder.to_str().unwrap(), OpenOptions::default()).unwrap();
        assert!(view.metadata_location().ends_with(case.text("metadata_file")), "{}", case.name);
        let found = facts(view.metadata());
        for (name, fact) in found.as_object().unwrap() {
            assert_eq!(fact, &case.expected[name], "{}: {name}", case.name);
        }
    }
}

#[test]
fn every_metadata_file_of_a_view_is_written_as_it_was_read() {
    for case in views() {
        let mut files = 0;
        for entry in fs::read_dir(case.folder.join("table/metadata")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let view = parse_view_metadata(&bytes, path.to_str().unwrap()).unwrap();
            let written = view.to_json().unwrap().to_string();
            assert_eq!(parse_view_metadata(written.as_bytes(), "again").unwrap(), view);
            files += 1;
        }
        assert!(files > 1, "{}", case.name);
    }
}

fn facts(view: &ViewMetadata) -> Json {
    let current = view.current_version();
    let statements = current.representations.iter().filter_map(|each| match each {
        ViewRepresentation::Sql { sql, dialect, .. } => Some((dialect.clone(), Json::from(sql.as_str()))),
        ViewRepresentation::Unknown(_) => None,
    });
    let written = view.to_json().unwrap();
    json!({
        "format_version": view.format_version,
        "view_uuid": view.view_uuid,
        "location": view.location,
        "properties": view.properties,
        "current_version_id": current.version_id,
        "current_sql": statements.collect::<serde_json::Map<_, _>>(),
        "versions": written["versions"],
        "version_log": written["version-log"],
        "schemas": written["schemas"],
    })
}
