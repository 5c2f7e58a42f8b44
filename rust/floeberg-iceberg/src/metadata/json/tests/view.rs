//! What the metadata of a view says, and what of it is refused.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use floeberg_core::{Error, ErrorKind, Result};
use serde_json::{Value as Json, json};

use crate::metadata::fixture::{v2, with};
use crate::metadata::{ViewMetadata, ViewRepresentation, ViewVersion, parse_view_metadata};

/// Two versions of a view, the first without a catalog, the second in two dialects.
fn view() -> Json {
    let sql = |sql: &str, dialect: &str| json!({ "type": "sql", "sql": sql, "dialect": dialect });
    json!({
        "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385",
        "format-version": 1,
        "location": "s3://bucket/v",
        "schemas": [{ "type": "struct", "schema-id": 1, "fields": [
            { "id": 0, "name": "n", "required": false, "type": "long" }
        ] }],
        "current-version-id": 2,
        "versions": [
            { "version-id": 1, "timestamp-ms": 10, "schema-id": 1, "summary": {},
              "default-namespace": [], "representations": [sql("SELECT 1", "spark")] },
            { "version-id": 2, "timestamp-ms": 20, "schema-id": 1, "summary": { "engine-name": "Spark" },
              "default-catalog": "prod", "default-namespace": ["a", "b"],
              "representations": [sql("SELECT 2", "spark"), sql("SELECT 3", "Trino")] }
        ],
        "version-log": [
            { "timestamp-ms": 5, "version-id": 0 },
            { "timestamp-ms": 10, "version-id": 1 },
            { "timestamp-ms": 30, "version-id": 2 }
        ],
        "properties": { "comment": "c" }
    })
}

fn parse(document: &Json) -> Result<ViewMetadata> {
    parse_view_metadata(document.to_string().as_bytes(), "s3://bucket/v/metadata/1.metadata.json")
}

fn refused(document: &Json) -> Error {
    match parse(document) {
        Ok(metadata) => panic!("was read: {metadata:?}"),
        Err(error) => error,
    }
}

fn message(document: &Json) -> String {
    let error = refused(document);
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    assert!(error.to_string().contains("s3://bucket/v/metadata/1.metadata.json"), "{error}");
    error.message().to_owned()
}

fn sql_of<'a>(version: &'a ViewVersion, wanted: &str) -> Option<&'a str> {
    version.representations.iter().find_map(|representation| match representation {
        ViewRepresentation::Sql { sql, dialect, .. } => {
            dialect.eq_ignore_ascii_case(wanted).then_some(sql.as_str())
        }
        ViewRepresentation::Unknown(_) => None,
    })
}

#[test]
fn the_current_version_has_one_statement_a_dialect() {
    let view = parse(&view()).unwrap();
    let current = view.current_version();
    assert_eq!((current.version_id, current.timestamp_ms), (2, 20));
    assert_eq!(sql_of(current, "spark"), Some("SELECT 2"));
    assert_eq!(sql_of(current, "trino"), Some("SELECT 3"));
    assert_eq!(sql_of(current, "duckdb"), None);
    assert_eq!(view.schema_of(current).unwrap().fields()[0].name, "n");
}

#[test]
fn a_version_without_a_catalog_is_of_the_views_own() {
    let null = with(view(), "/versions/0", "default-catalog", json!("x"));
    assert_eq!(parse(&null).unwrap().versions[0].default_catalog.as_deref(), Some("x"));
    assert_eq!(parse(&view()).unwrap().versions[0].default_catalog, None);
    let mut null = view();
    null["versions"][1]["default-catalog"] = Json::Null;
    assert_eq!(parse(&null).unwrap().current_version().default_catalog, None);
}

#[test]
fn the_log_says_when_versions_became_current_and_may_name_ones_that_are_gone() {
    let view = parse(&view()).unwrap();
    let log: Vec<_> = view.version_log.iter().map(|entry| (entry.timestamp_ms, entry.version_id)).collect();
    assert_eq!(log, [(5, 0), (10, 1), (30, 2)]);
    assert_ne!(view.current_version().timestamp_ms, 30, "made earlier than it became current");
}

#[test]
fn two_statements_of_one_dialect_are_an_error() {
    for dialect in ["spark", "SPARK"] {
        let mut document = view();
        document["versions"][1]["representations"][1]["dialect"] = json!(dialect);
        let text = message(&document);
        assert!(text.contains("versions[1].representations: expected one SQL text a dialect"), "{text}");
    }
    // In different versions it is the rule.
    assert!(parse(&view()).is_ok());
}

#[test]
fn an_unknown_format_version_is_an_error_before_anything_else() {
    let error = refused(&json!({ "view-uuid": "u", "format-version": 2, "versions": 7 }));
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("expected 1, found 2"), "{error}");
    for version in [json!(0), json!("1"), json!(1.5)] {
        let text = message(&with(view(), "", "format-version", version));
        assert!(text.starts_with("view metadata: format-version: expected the integer 1, found"), "{text}");
    }
}

#[test]
fn the_metadata_of_a_table_is_named_so() {
    let error = refused(&v2());
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("open it with open_table"), "{error}");
}

#[test]
fn what_the_specification_requires_must_be_there() {
    let required = [
        ("", "view-uuid"),
        ("", "format-version"),
        ("", "location"),
        ("", "schemas"),
        ("", "current-version-id"),
        ("", "versions"),
        ("", "version-log"),
        ("/versions/0", "version-id"),
        ("/versions/0", "schema-id"),
        ("/versions/0", "timestamp-ms"),
        ("/versions/0", "summary"),
        ("/versions/0", "representations"),
        ("/versions/0", "default-namespace"),
        ("/versions/0/representations/0", "type"),
        ("/versions/0/representations/0", "sql"),
        ("/versions/0/representations/0", "dialect"),
        ("/version-log/0", "timestamp-ms"),
        ("/version-log/0", "version-id"),
    ];
    for (parent, key) in required {
        let text = message(&with(view(), parent, key, Json::Null));
        assert!(text.ends_with(&format!("the required key {key:?} is missing")), "{key}: {text}");
    }
    let without = with(view(), "", "properties", Json::Null);
    assert!(parse(&without).unwrap().properties.is_empty());
}

#[test]
fn ids_occur_once_and_the_current_ones_are_there() {
    let text = message(&with(view(), "/versions/0", "version-id", json!(2)));
    assert_eq!(text, "view metadata: versions: the id 2 occurs twice");
    let text = message(&with(view(), "", "current-version-id", json!(7)));
    assert!(text.contains("expected one with the id 7, which `current-version-id` names"), "{text}");
    let text = message(&with(view(), "/versions/1", "schema-id", json!(9)));
    assert!(
        text.contains("version 2 of the view has schema 9, but the view has only the schemas [1]"),
        "{text}"
    );
    let schema = view()["schemas"][0].clone();
    let text = message(&with(view(), "", "schemas", json!([schema, schema])));
    assert_eq!(text, "view metadata: schemas: the id 1 occurs twice");
}

#[test]
fn what_is_not_known_is_kept_and_written_again() {
    let mut document = view();
    for place in ["", "/versions/0", "/versions/0/representations/0", "/version-log/1"] {
        document = with(document, place, "later", json!({ "a": [1, null] }));
    }
    let other = json!({ "type": "plan", "bytes": "AAAA", "dialect": "spark" });
    document["versions"][0]["representations"].as_array_mut().unwrap().push(other.clone());
    let view = parse(&document).unwrap();
    assert_eq!(view.versions[0].representations[1], ViewRepresentation::Unknown(other));
    assert_eq!(sql_of(&view.versions[0], "spark"), Some("SELECT 1"));
    assert_eq!(view.to_json().unwrap(), document);
    assert_eq!(parse(&view.to_json().unwrap()).unwrap(), view);
}

#[test]
fn gzip_is_told_by_content() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(view().to_string().as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(parse_view_metadata(&bytes, "any").unwrap(), parse(&view()).unwrap());
    let error = parse_view_metadata(&bytes[..bytes.len() / 2], "any").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn encrypted_metadata_is_told_as_such() {
    let error = parse_view_metadata(b"AGS1\x00\x00\x10\x00rest", "any").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("encrypted"), "{error}");
}
