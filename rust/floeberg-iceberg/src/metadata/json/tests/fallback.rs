//! What old writers leave out.

use serde_json::json;

use crate::metadata::fixture::{parsed, refused, snapshot, v1, v2, with};
use crate::metadata::{RefKind, SnapshotManifests};

#[test]
fn v1_needs_no_lists() {
    let metadata = parsed(&v1());
    assert_eq!(metadata.format_version, 1);
    assert_eq!(metadata.table_uuid, None);
    assert_eq!(metadata.last_sequence_number, 0);
    assert_eq!((metadata.schemas.len(), metadata.current_schema_id), (1, 0));
    assert_eq!(metadata.current_schema().fields().len(), 2);
    assert_eq!((metadata.default_spec().spec_id, metadata.default_spec().fields.len()), (0, 0));
    assert_eq!(metadata.last_partition_id, 999);
    assert_eq!(metadata.default_sort_order().order_id, 0);
    assert!(metadata.default_sort_order().fields.is_empty());
    assert_eq!(metadata.current_snapshot_id, None);
    assert!(metadata.refs.is_empty() && metadata.snapshots.is_empty());
}

#[test]
fn v1_partition_fields_without_ids_are_counted_from_1000() {
    let fields = json!([
        { "name": "b", "transform": "bucket[4]", "source-id": 1 },
        { "name": "d", "transform": "day", "source-id": 2 }
    ]);
    let metadata = parsed(&with(v1(), "", "partition-spec", fields.clone()));
    let ids = |index: usize| metadata.partition_specs[index].fields.iter().map(|field| field.field_id);
    assert_eq!(ids(0).collect::<Vec<_>>(), [1000, 1001]);
    assert_eq!(metadata.last_partition_id, 1001);

    let specs = json!([{ "spec-id": 0, "fields": fields }, { "spec-id": 1, "fields": fields }]);
    let listed = with(with(v1(), "", "partition-specs", specs), "", "default-spec-id", json!(1));
    let metadata = parsed(&listed);
    assert_eq!(metadata.default_spec().spec_id, 1);
    assert!(metadata.partition_specs.iter().all(|spec| spec.fields[1].field_id == 1001));
}

#[test]
fn partition_field_ids_are_all_there_or_all_absent() {
    let fields = json!([
        { "name": "b", "transform": "bucket[4]", "source-id": 1, "field-id": 1000 },
        { "name": "d", "transform": "day", "source-id": 2 }
    ]);
    let error = refused(&with(v1(), "", "partition-spec", fields));
    assert_eq!(
        error.message(),
        "table metadata: partition-spec: expected all or none of the fields to have a `field-id`, found 1 of 2"
    );
}

#[test]
fn where_the_lists_are_there_the_single_forms_do_not_count() {
    let document = with(v2(), "", "schema", json!("whatever"));
    let metadata = parsed(&with(document, "", "partition-spec", json!(17)));
    assert_eq!(metadata.current_schema_id, 1);
    assert!(metadata.unknown_keys.is_empty());
}

#[test]
fn drafts_of_v2_may_have_the_single_forms_and_v3_may_not() {
    let schema = v1()["schema"].clone();
    let mut draft = with(with(v2(), "", "schemas", json!(null)), "", "schema", schema);
    draft = with(with(draft, "", "partition-specs", json!(null)), "", "partition-spec", json!([]));
    for key in ["current-schema-id", "default-spec-id", "last-partition-id", "refs"] {
        draft = with(draft, "", key, json!(null));
    }
    assert_eq!(parsed(&draft).current_schema().fields().len(), 2);
    let later = with(draft, "", "format-version", json!(3));
    assert_eq!(refused(&later).message(), "table metadata: the required key \"schemas\" is missing");
}

#[test]
fn a_list_of_one_needs_no_id_that_chooses() {
    let schemas = json!([v2()["schemas"][1]]);
    let document = with(with(v2(), "", "schemas", schemas), "", "current-schema-id", json!(null));
    assert_eq!(parsed(&document).current_schema().schema_id(), 1);
    let error = refused(&with(v2(), "", "current-schema-id", json!(null)));
    assert!(error.message().contains("\"current-schema-id\""), "{error}");
}

#[test]
fn minus_one_and_null_mean_no_current_snapshot() {
    let bare = with(v1(), "", "snapshots", json!([]));
    assert_eq!(parsed(&with(bare.clone(), "", "current-snapshot-id", json!(-1))).current_snapshot_id, None);
    let mut null = bare;
    null["current-snapshot-id"] = json!(null);
    assert_eq!(parsed(&null).current_snapshot_id, None);
}

#[test]
fn main_is_there_whenever_there_is_a_current_snapshot() {
    let without_refs = parsed(&with(v2(), "", "refs", json!(null)));
    let without_main = parsed(&with(v2(), "/refs", "main", json!(null)));
    for metadata in [without_refs, without_main] {
        let main = &metadata.refs["main"];
        assert_eq!((main.snapshot_id, main.kind), (30, RefKind::Branch));
    }
}

#[test]
fn a_snapshot_of_v1_may_name_its_manifests_itself() {
    let old = json!({ "snapshot-id": 5, "timestamp-ms": 1, "manifests": ["/m/a.avro", "/m/b.avro"] });
    let metadata =
        parsed(&with(with(v1(), "", "snapshots", json!([old])), "", "current-snapshot-id", json!(5)));
    let snapshot = metadata.current_snapshot().unwrap();
    let expected = SnapshotManifests::Inline(vec!["/m/a.avro".into(), "/m/b.avro".into()]);
    assert_eq!(snapshot.manifests, expected);
    assert_eq!((snapshot.sequence_number, snapshot.schema_id), (0, None));
    assert_eq!((snapshot.operation.as_deref(), snapshot.summary.len()), (None, 0));
}

#[test]
fn a_manifest_list_counts_before_inline_manifests_which_are_kept() {
    let document = with(v2(), "/snapshots/0", "manifests", json!(["/m/a.avro"]));
    let metadata = parsed(&document);
    let location = "file:///warehouse/t/metadata/snap-10.avro".to_owned();
    assert_eq!(metadata.snapshots[0].manifests, SnapshotManifests::List(location));
    assert_eq!(metadata.to_json().unwrap(), document);
}

#[test]
fn a_snapshot_without_manifests_is_an_error() {
    let error = refused(&with(v2(), "/snapshots/1", "manifest-list", json!(null)));
    assert!(error.message().starts_with("table metadata: snapshots[1]: expected `manifest-list`"), "{error}");
}

#[test]
fn an_upgraded_table_may_have_snapshots_without_sequence_number() {
    let mut document = v2();
    document["snapshots"][0] = with(snapshot(10, None, 1), "", "sequence-number", json!(null));
    assert_eq!(parsed(&document).snapshots[0].sequence_number, 0);
}

#[test]
fn sort_order_0_is_added_where_it_is_the_default() {
    assert_eq!(parsed(&with(v2(), "", "sort-orders", json!(null))).sort_orders.len(), 1);
    let field =
        json!({ "transform": "day", "source-id": 2, "direction": "desc", "null-order": "nulls-last" });
    let orders = json!([{ "order-id": 4, "fields": [field] }]);
    let document = with(with(v2(), "", "sort-orders", orders), "", "default-sort-order-id", json!(4));
    let metadata = parsed(&document);
    assert_eq!((metadata.sort_orders.len(), metadata.default_sort_order().order_id), (1, 4));
}
