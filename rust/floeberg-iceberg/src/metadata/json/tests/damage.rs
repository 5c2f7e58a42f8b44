//! What is refused, and how the error says so.

use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use crate::metadata::fixture::{parse, parsed, refused, snapshot, v1, v2, with};
use crate::metadata::parse_table_metadata;

fn message(document: &Json) -> String {
    let error = refused(document);
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    error.message().to_owned()
}

#[test]
fn an_unknown_format_version_is_an_error_before_anything_else() {
    let error = refused(&json!({ "format-version": 4, "schemas": 17 }));
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("expected 1, 2 or 3, found 4"), "{error}");
    for version in [json!(0), json!(-1), json!("2"), json!(2.0), json!([2])] {
        let text = message(&json!({ "format-version": version, "schemas": 17 }));
        assert!(
            text.starts_with("table metadata: format-version: expected the integer 1, 2 or 3, found"),
            "{text}"
        );
    }
    assert_eq!(message(&json!({})), "table metadata: the required key \"format-version\" is missing");
}

#[test]
fn the_metadata_of_a_view_is_named_so() {
    let view = json!({ "view-uuid": "x", "format-version": 1, "location": "l", "versions": [] });
    let error = refused(&view);
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("view"), "{error}");
}

#[test]
fn errors_name_the_file() {
    let error = refused(&json!([]));
    assert!(error.to_string().contains("(path: file:///warehouse/t/metadata/v3.metadata.json)"), "{error}");
    let error = parse_table_metadata(b"{", "somewhere").unwrap_err();
    assert!(error.to_string().contains("(path: somewhere)"), "{error}");
}

#[test]
fn every_required_key_is_missed() {
    for key in
        ["table-uuid", "location", "last-sequence-number", "last-updated-ms", "last-column-id", "schemas"]
    {
        let text = message(&with(v2(), "", key, json!(null)));
        assert_eq!(text, format!("table metadata: the required key {key:?} is missing"));
    }
    for key in ["snapshot-id", "timestamp-ms"] {
        let text = message(&with(v2(), "/snapshots/0", key, json!(null)));
        assert_eq!(text, format!("table metadata: snapshots[0]: the required key {key:?} is missing"));
    }
    let text = message(&with(v2(), "", "format-version", json!(3)));
    assert_eq!(text, "table metadata: the required key \"next-row-id\" is missing");
}

#[test]
fn a_wrong_type_anywhere_is_an_error_that_names_the_place() {
    let places = [
        ("", "location"),
        ("", "table-uuid"),
        ("", "last-sequence-number"),
        ("", "last-column-id"),
        ("", "current-schema-id"),
        ("", "schemas"),
        ("", "partition-specs"),
        ("", "sort-orders"),
        ("", "properties"),
        ("", "refs"),
        ("", "snapshots"),
        ("", "snapshot-log"),
        ("", "metadata-log"),
        ("", "statistics"),
        ("/properties", "owner"),
        ("/partition-specs/0", "spec-id"),
        ("/partition-specs/0/fields/0", "source-id"),
        ("/partition-specs/0/fields/0", "transform"),
        ("/refs/audit", "type"),
        ("/refs/audit", "min-snapshots-to-keep"),
        ("/snapshots/1", "summary"),
        ("/snapshots/1", "manifest-list"),
        ("/snapshots/1/summary", "added-records"),
        ("/snapshot-log/2", "snapshot-id"),
        ("/metadata-log/0", "metadata-file"),
    ];
    for (parent, key) in places {
        let text = message(&with(v2(), parent, key, json!(true)));
        let steps = parent.split('/').skip(1).chain([key]).map(|step| match step.parse::<usize>() {
            Ok(index) => format!("[{index}]"),
            Err(_) => format!(".{step}"),
        });
        let place = steps.collect::<String>().trim_start_matches('.').to_owned();
        assert!(text.starts_with(&format!("table metadata: {place}: expected ")), "{text}");
        assert!(text.ends_with(", found true"), "{text}");
    }
}

#[test]
fn a_damaged_schema_is_named_by_its_place() {
    let error = refused(&with(v2(), "/schemas/1", "fields", json!(7)));
    assert!(error.to_string().contains("table metadata: schemas[1]"), "{error}");
}

#[test]
fn numbers_out_of_range_are_errors() {
    let text = message(&with(v2(), "", "last-column-id", json!(1_i64 << 31)));
    assert_eq!(
        text,
        "table metadata: last-column-id: expected a 32-bit integer, found the number 2147483648"
    );
    let text = message(&with(v2(), "/snapshots/0", "timestamp-ms", json!(u64::MAX)));
    assert!(
        text.starts_with("table metadata: snapshots[0].timestamp-ms: expected a 64-bit integer"),
        "{text}"
    );
}

#[test]
fn what_is_current_must_be_there() {
    for (key, id, list) in [
        ("current-schema-id", 7, "schemas"),
        ("default-spec-id", 7, "partition-specs"),
        ("default-sort-order-id", 7, "sort-orders"),
    ] {
        let text = message(&with(v2(), "", key, json!(id)));
        let expected =
            format!("table metadata: {list}: expected one with the id {id}, which `{key}` names; found none");
        assert_eq!(text, expected);
    }
    let document = with(with(v2(), "", "refs", json!(null)), "", "current-snapshot-id", json!(99));
    assert!(message(&document).contains("id 99, which `current-snapshot-id` names"));
}

#[test]
fn an_id_occurs_once() {
    let mut document = v2();
    document["snapshots"].as_array_mut().unwrap().push(snapshot(20, None, 4));
    assert_eq!(message(&document), "table metadata: snapshots: the id 20 occurs twice");
    for list in ["schemas", "partition-specs", "sort-orders"] {
        let mut document = v2();
        let again = document[list][0].clone();
        document[list].as_array_mut().unwrap().push(again);
        assert_eq!(message(&document), format!("table metadata: {list}: the id 0 occurs twice"));
    }
    let field = v2()["partition-specs"][0]["fields"][0].clone();
    let text = message(&with(v2(), "/partition-specs/0", "fields", json!([field, field])));
    assert_eq!(text, "table metadata: partition-specs[0].fields: partition field id 1000 occurs twice");
}

#[test]
fn main_and_the_current_snapshot_agree() {
    let text = message(&with(v2(), "/refs/main", "snapshot-id", json!(20)));
    assert!(text.contains("found 20 and 30"), "{text}");
    let text = message(&with(v2(), "", "current-snapshot-id", json!(null)));
    assert!(text.contains("found one at snapshot 30"), "{text}");
}

#[test]
fn a_ref_to_a_snapshot_that_is_gone_is_an_error_only_when_used() {
    let metadata = parsed(&with(v2(), "/refs/first", "snapshot-id", json!(99)));
    assert_eq!(metadata.snapshot_of_ref("audit").unwrap().snapshot_id, 20);
    let error = metadata.snapshot_of_ref("first").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.message().contains("99"), "{error}");
}

#[test]
fn sources_are_given_and_agree() {
    let field = |sources: Json| {
        let mut field = json!({ "name": "a", "transform": "identity", "field-id": 1000 });
        field.as_object_mut().unwrap().extend(sources.as_object().unwrap().clone());
        with(v2(), "/partition-specs/0", "fields", json!([field]))
    };
    assert!(message(&field(json!({}))).contains("source-id"));
    assert!(message(&field(json!({ "source-ids": [] }))).contains("source-ids"));
    assert!(message(&field(json!({ "source-id": 3, "source-ids": [1, 2] }))).contains("found 3 and [1, 2]"));
    assert!(parse(&field(json!({ "source-id": 2, "source-ids": [1, 2] }))).is_ok());
}

#[test]
fn every_truncation_is_an_error() {
    let text = v1().to_string();
    for length in 0..text.len() {
        let error = parse_table_metadata(&text.as_bytes()[..length], "cut").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn every_key_replaced_by_any_type_is_read_or_refused_and_nothing_else() {
    let replacements = [
        json!(null),
        json!(true),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!([]),
        json!({}),
        json!([[]]),
    ];
    let mut pointers = Vec::new();
    collect_pointers(&v2(), String::new(), &mut pointers);
    assert!(pointers.len() > 80);
    for pointer in pointers {
        for replacement in &replacements {
            let mut document = v2();
            *document.pointer_mut(&pointer).unwrap() = replacement.clone();
            if let Err(error) = parse(&document) {
                assert!(
                    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::Unsupported),
                    "{pointer}: {error}"
                );
            }
        }
    }
}

fn collect_pointers(json: &Json, at: String, pointers: &mut Vec<String>) {
    match json {
        Json::Object(keys) => {
            for (key, value) in keys {
                collect_pointers(value, format!("{at}/{key}"), pointers);
            }
        }
        Json::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect_pointers(value, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(at);
}
