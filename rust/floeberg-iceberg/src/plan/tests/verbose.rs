//! The account names what was dropped where it is asked to, and counts the same where it is not.

use apache_avro::types::Value;
use floeberg_core::expr::{bind, parse};
use serde_json::json;

use super::one_manifest::{LIST, manifest, manifest_list, request};
use crate::manifest::tests::document::document;
use crate::plan::{Dropped, PlanRequest, Stage, plan};
use crate::read::tests::avro_fixture::none;

/// The stages of a plan of four files, two of which have no rows.
fn stages(verbose: bool, list_field: (&str, &'static str, Value)) -> Vec<Stage> {
    let more = json!({
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": LIST
        }],
    });
    let file = |number: i64| (format!("memory://t/{number}.parquet"), number % 2 * 10, none());
    let field = r#"{"name":"sort_order_id","type":["null","int"],"field-id":140}"#;
    let files = manifest(field, "sort_order_id", (0..4).map(file).collect(), 4);
    let (field, name, value) = list_field;
    let request = request(&document(2, 1, more), manifest_list(field, name, value), files, 1);
    let filter = bind(&parse("a = 1").unwrap(), &request.schema, true).unwrap();
    plan(PlanRequest { filter, verbose, ..request }).unwrap().explain().stages.clone()
}

const CONTENT: (&str, &str) = (r#"{"name":"content","type":"int","field-id":517}"#, "content");

fn files(verbose: bool) -> Stage {
    let stages = stages(verbose, (CONTENT.0, CONTENT.1, Value::Int(0)));
    stages.into_iter().find(|stage| stage.name == "data files by counts and bounds").unwrap()
}

#[test]
fn files_that_were_dropped_are_named_where_it_is_asked_for() {
    let quiet = files(false);
    assert_eq!((quiet.entered, quiet.kept), (4, 2));
    let dropped =
        Dropped { by: String::new(), reason: "no rows", columns: Vec::new(), count: 2, files: Vec::new() };
    assert_eq!(quiet.dropped, std::slice::from_ref(&dropped));
    let names = vec!["memory://t/0.parquet".to_owned(), "memory://t/2.parquet".to_owned()];
    let named = files(true);
    assert_eq!(named, Stage { dropped: vec![Dropped { files: names, ..dropped }], ..quiet });
}
