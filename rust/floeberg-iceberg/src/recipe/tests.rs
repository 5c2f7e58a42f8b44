#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use super::GroupRecipe;
use crate::plan::FileScanTask;
use crate::wire::unpack;

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
            "schema": schema(1), "projected": schema(1), "keys": [],
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
    GroupRecipe::from_json(recipe)
}

/// What a group is written as.
fn written(group: &GroupRecipe) -> Json {
    unpack(&group.to_bytes().unwrap(), "a read recipe").unwrap()
}

fn tasks(group: &GroupRecipe) -> Vec<FileScanTask> {
    group.tasks().map(Result::unwrap).collect()
}

#[test]
fn a_task_that_is_read_back_asks_only_what_its_partition_leaves() {
    let group = read(&recipe()).unwrap();
    let [task] = &tasks(&group)[..] else { panic!("one task") };
    assert_eq!(task.byte_range, Some(4..8));
    assert_eq!(task.residual.to_string(), "TRUE");
    let again = GroupRecipe::from_bytes(&group.to_bytes().unwrap()).unwrap();
    assert_eq!(tasks(&again), tasks(&group));
}

#[test]
fn a_partition_value_that_may_be_of_another_column_answers_nothing_and_an_identity_does() {
    let with = |transform: &str, untrusted: Json| {
        let mut recipe = recipe();
        recipe["read"]["specs"][0]["spec"]["fields"][0]["transform"] = json!(transform);
        recipe["read"]["untrusted"] = untrusted;
        let group = read(&recipe).unwrap();
        let again = GroupRecipe::from_bytes(&group.to_bytes().unwrap()).unwrap();
        [tasks(&group)[0].residual.to_string(), tasks(&again)[0].residual.to_string()]
    };
    assert_eq!(with("truncate[1]", json!([])), ["TRUE", "TRUE"]);
    assert_eq!(with("truncate[1]", json!([1])), ["id < 5", "id < 5"]);
    assert_eq!(with("identity", json!([1])), ["TRUE", "TRUE"]);
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

#[test]
fn a_group_says_where_the_fields_of_each_spec_stand_in_the_partition() {
    let mut recipe = recipe();
    recipe["read"]["partition-fields"] = json!([[1, [1000]], [2, []]]);
    let written = written(&read(&recipe).unwrap());
    assert_eq!(written["read"]["partition-fields"], recipe["read"]["partition-fields"]);
    for damaged in [json!("1"), json!([[1]]), json!([[1, ["1000"]]]), json!({"1": [1000]})] {
        recipe["read"]["partition-fields"] = damaged.clone();
        assert_eq!(read(&recipe).unwrap_err().kind(), ErrorKind::InvalidInput, "{damaged}");
    }
}

#[test]
fn a_group_carries_of_older_schemas_the_key_columns_of_its_deletes_and_no_more() {
    let dropped = |id: i32| {
        json!({"type": "struct", "schema-id": 0, "fields": [
            {"id": id, "name": "dropped", "required": false, "type": "long"}
        ]})
    };
    let mut recipe = recipe();
    recipe["read"]["keys"] = json!([dropped(7), dropped(8), dropped(9)]);
    recipe["deletes"] = json!([{
        "file-path": "d", "location": "d", "format": "parquet", "kind": {"equality": [8, 9]}, "records": 1,
        "size": 1, "sequence": 2, "referenced": null, "spec": 1, "partition": [[1000, [3, 0, 0, 0]]]
    }]);
    recipe["tasks"][0]["deletes"] = json!([0]);
    for _ in 0..2 {
        recipe = written(&read(&recipe).unwrap());
        let keys = recipe["read"]["keys"].as_array().unwrap();
        let ids: Vec<_> = keys.iter().map(|schema| schema["fields"][0]["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, [8, 9]);
        assert_eq!(keys[0]["fields"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_group_of_a_wide_table_with_many_literals_and_files_is_small() {
    let columns = (1..=1000).map(|id| {
        json!({"id": id, "name": format!("a_column_with_a_name_{id}"), "required": false, "type": "int"})
    });
    let columns: Vec<_> = columns.collect();
    let schema = json!({"type": "struct", "schema-id": 0, "fields": columns});
    let mut recipe = recipe();
    recipe["read"]["schema"] = schema.clone();
    recipe["read"]["projected"] = schema;
    let literals: Vec<_> = (0..10_000).map(|number| number * 7919).collect();
    let term = "a_column_with_a_name_1";
    recipe["read"]["filter"] = json!({"type": "in", "term": term, "values": literals});
    let group = read(&recipe).unwrap();
    let bytes = group.to_bytes().unwrap();
    assert!(bytes.len() < 64 << 10, "{} bytes", bytes.len());
    assert_eq!(written(&GroupRecipe::from_bytes(&bytes).unwrap()), written(&group));
}

#[test]
fn cut_and_damaged_bytes_are_errors() {
    let bytes = read(&recipe()).unwrap().to_bytes().unwrap();
    for length in 0..bytes.len() {
        let error = GroupRecipe::from_bytes(&bytes[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{length}: {error}");
    }
    let error = GroupRecipe::from_bytes(b"{}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
}

#[test]
fn a_long_recipe_comes_back_as_a_short_one_does() {
    let mut recipe = recipe();
    let task = recipe["tasks"][0].clone();
    let many = (0..20_000).map(|number| {
        let mut task = task.clone();
        task["file-path"] = json!(format!("s3://bucket/table/data/{number:08}.parquet"));
        task
    });
    recipe["tasks"] = many.collect();
    let group = read(&recipe).unwrap();
    assert!(recipe.to_string().len() > 2 << 20);
    assert_eq!(written(&group)["tasks"], recipe["tasks"]);
    assert_eq!(GroupRecipe::from_bytes(&group.to_bytes().unwrap()).unwrap().len(), 20_000);
}

#[test]
fn a_recipe_that_was_written_prints_no_secret() {
    let mut recipe = recipe();
    recipe["read"]["storage"] = json!({"s3.secret-access-key": "hidden"});
    let group = read(&recipe).unwrap();
    assert_eq!(written(&group)["read"]["storage"], recipe["read"]["storage"]);
    assert!(!format!("{group:?}").contains("hidden"));
}

#[test]
fn parts_have_every_byte_of_every_file_once_and_in_order() {
    let mut recipe = recipe();
    let file = |path: &str, format: &str, size: u64| {
        let mut file = recipe["tasks"][0].clone();
        for (name, value) in [("file-path", json!(path)), ("format", json!(format)), ("size", json!(size))] {
            file[name] = value;
        }
        file["range"] = Json::Null;
        file
    };
    let files = [
        file("a", "parquet", 10),
        file("b", "parquet", 1000),
        file("c", "avro", 1000),
        file("d", "orc", 0),
        file("e", "parquet", 90),
    ];
    recipe["tasks"] = json!(files);
    let group = read(&recipe).unwrap();
    for (share, count) in [(1, 4), (100, 13), (700, 3), (2100, 1), (u64::MAX, 1)] {
        let parts = group.parts(share).unwrap();
        assert!(parts.len() >= count.min(3), "{share}: {}", parts.len());
        assert!(parts.len() <= 2200, "{share}");
        let mut ends = std::collections::BTreeMap::<String, u64>::new();
        let mut paths: Vec<String> = Vec::new();
        for task in parts.iter().flat_map(tasks) {
            let range = task.byte_range.clone().unwrap_or(0..u64::MAX);
            let end = ends.entry(task.file_path.clone()).or_default();
            assert_eq!(range.start, *end, "{share}: {}", task.file_path);
            *end = range.end;
            assert!(task.file_path != "c" || task.byte_range.is_none());
            if paths.last() != Some(&task.file_path) {
                paths.push(task.file_path);
            }
        }
        assert_eq!(paths, ["a", "b", "c", "d", "e"], "{share}");
        assert!(ends.values().all(|end| *end == u64::MAX), "{share}: {ends:?}");
    }
    assert!(read(&recipe).unwrap().parts(0).unwrap().len() > 1);
}
