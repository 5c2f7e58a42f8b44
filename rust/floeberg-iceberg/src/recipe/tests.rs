#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use super::GroupRecipe;

/// A group of one task: `id < 5` of a file that is partitioned by `id`, in the partition of 3.
fn recipe() -> Json {
    let schema = |id: i32| {
        json!({"type": "struct", "schema-id": 0, "fields": [
            {"id": id, "name": "id", "required": false, "type": "int"}
        ]})
    };
    let spec =
        json!({"id": 1, "fields": [{"id": 1000, "sources": [1], "name": "id", "transform": "identity"}]});
    json!({
        "read": {
            "schema": schema(1), "projected": schema(1),
            "filter": {"type": "lt", "term": "id", "value": 5}, "case-sensitive": true,
            "specs": [{"spec": spec, "values": schema(1000)}],
            "name-mapping": null, "storage": {}, "batch-rows": null
        },
        "deletes": [],
        "tasks": [{
            "file-path": "a", "location": "a", "format": "parquet", "size": 10, "records": 2, "range": [4, 8],
            "spec": 1, "partition": [[1000, [3, 0, 0, 0]]], "sequence": 1, "first-row-id": null, "deletes": []
        }]
    })
}

fn read(recipe: &Json) -> floeberg_core::Result<GroupRecipe> {
    GroupRecipe::from_bytes(recipe.to_string().as_bytes())
}

#[test]
fn a_task_that_is_read_back_asks_only_what_its_partition_leaves() {
    let group = read(&recipe()).unwrap();
    let [task] = group.tasks() else { panic!("one task") };
    assert_eq!(task.byte_range, Some(4..8));
    assert_eq!(task.residual.to_string(), "TRUE");
    let again = GroupRecipe::from_bytes(&group.to_bytes().unwrap()).unwrap();
    assert_eq!(again.tasks(), group.tasks());
}

#[test]
fn a_field_that_is_damaged_is_an_error_and_never_left_out() {
    for (field, damaged) in [
        ("range", json!([4, -8])),
        ("range", json!(["4", "8"])),
        ("partition", json!([])),
        ("partition", json!([[1000, "3"]])),
        ("partition", json!([[1000]])),
        ("spec", json!(7)),
        ("deletes", json!([0])),
    ] {
        let mut recipe = recipe();
        recipe["tasks"][0][field] = damaged.clone();
        let error = read(&recipe).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{field} {damaged}: {error}");
    }
}
