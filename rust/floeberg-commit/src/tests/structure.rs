use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use super::kit::{Kit, append};
use crate::{Operation, StatisticsChange};

fn add(source: &str, transform: &str) -> Operation {
    let added = json!({"change": "add-field", "source": source, "transform": transform});
    Operation::UpdateSpec(json!({ "changes": [added] }))
}

fn remove(name: &str) -> Operation {
    Operation::UpdateSpec(json!({"changes": [{"change": "remove-field", "name": name}]}))
}

fn sort(fields: &Json) -> Operation {
    Operation::ReplaceSortOrder(json!({ "fields": fields }))
}

#[test]
fn a_new_spec_becomes_the_default_and_an_old_one_comes_back() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("a", "x")]);
    kit.commit(vec![add("id", "bucket[4]")]);
    assert_eq!((kit.metadata().default_spec_id, kit.metadata().last_partition_id), (1, 1001));
    assert_eq!(kit.live_paths(), ["a"], "files stay");
    kit.commit(vec![remove("id_bucket_4")]);
    assert_eq!(kit.metadata().default_spec_id, 0, "an equal spec is taken again");
    kit.commit(vec![add("id", "bucket[4]"), remove("day")]);
    assert_eq!(kit.metadata().default_spec_id, 2);
    let names: Vec<&str> =
        kit.metadata().default_spec().fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["id_bucket_4"]);
    assert_eq!(kit.refused(add("id", "day")).kind(), ErrorKind::InvalidInput);
}

#[test]
fn in_v1_the_ids_of_a_spec_stay_without_gaps() {
    let mut kit = Kit::partitioned(1, &[]);
    kit.commit(vec![append("a", "x")]);
    kit.commit(vec![remove("day"), add("id", "bucket[4]")]);
    let spec = kit.metadata().default_spec();
    let shown: Vec<(i32, String)> =
        spec.fields.iter().map(|field| (field.field_id, field.transform.to_string())).collect();
    assert_eq!(shown, [(1000, "void".to_owned()), (1001, "bucket[4]".to_owned())]);
}

#[test]
fn a_change_is_made_on_the_newest_spec() {
    let mut kit = Kit::partitioned(2, &[]);
    let mine = kit.begin(vec![add("id", "bucket[4]")], "mine");
    kit.commit(vec![add("id", "truncate[10]")]);
    let attempt = kit.attempt(&mine).unwrap();
    kit.take(&attempt);
    assert_eq!(kit.metadata().default_spec().fields.len(), 3);
    for theirs in [remove("day"), add("id", "bucket[8]")] {
        let mut kit = Kit::partitioned(2, &[]);
        let again = Operation::UpdateSpec(json!({"changes": [
            {"change": "rename-field", "name": "day", "new-name": "d"},
            {"change": "add-field", "source": "id", "transform": "bucket[8]"}]}));
        let mine = kit.begin(vec![again], "mine");
        kit.commit(vec![theirs]);
        let error = kit.attempt(&mine).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
        assert!(error.message().contains("another writer changed"), "{error}");
    }
}

#[test]
fn a_sort_order_is_replaced_and_an_equal_one_is_taken_again() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![sort(&json!(["id desc"]))]);
    let order = kit.metadata().default_sort_order();
    assert_eq!((order.order_id, order.fields.len()), (1, 1));
    kit.commit(vec![sort(&json!([]))]);
    assert_eq!(kit.metadata().default_sort_order_id, 0);
    kit.commit(vec![sort(&json!(["id desc"]))]);
    assert_eq!((kit.metadata().default_sort_order_id, kit.metadata().sort_orders.len()), (1, 2));
    assert_eq!(kit.refused(sort(&json!(["gone"]))).kind(), ErrorKind::InvalidInput);
}

#[test]
fn statistics_files_are_of_snapshots_that_are_there() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("a", "x")]);
    let id = kit.metadata().current_snapshot_id.unwrap();
    let file = |id: i64| {
        json!({"snapshot-id": id, "statistics-path": "memory://s.puffin", "file-size-in-bytes": 4,
        "file-footer-size-in-bytes": 2, "blob-metadata": []})
    };
    let set = |id: i64| Operation::SetStatistics(StatisticsChange::Set(file(id)));
    kit.commit(vec![set(id)]);
    assert_eq!(kit.metadata().statistics_files().unwrap().len(), 1);
    let attempt = kit.attempt(&kit.begin(vec![set(id)], "again")).unwrap();
    assert!(!attempt.changes());
    assert_eq!(kit.refused(set(5)).kind(), ErrorKind::NotFound);
    let partition =
        json!({"snapshot-id": id, "statistics-path": "memory://p.parquet", "file-size-in-bytes": 4});
    kit.commit(vec![Operation::SetStatistics(StatisticsChange::SetPartition(partition))]);
    assert_eq!(kit.metadata().partition_statistics_files().unwrap().len(), 1);
    kit.commit(vec![
        Operation::SetStatistics(StatisticsChange::Remove(id)),
        Operation::SetStatistics(StatisticsChange::RemovePartition(id)),
    ]);
    assert_eq!(kit.metadata().statistics.len() + kit.metadata().partition_statistics.len(), 0);
    for change in [json!({"set": {"snapshot-id": 3}}), json!({"explode": 3}), json!({}), json!(3)] {
        assert_eq!(StatisticsChange::from_json(change).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    for change in [StatisticsChange::Set(file(id)), StatisticsChange::Remove(4)] {
        let operation = Operation::SetStatistics(change);
        assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    }
}

#[test]
fn new_files_go_to_a_new_location() {
    let mut kit = Kit::partitioned(2, &[]);
    let other = format!("{}-moved", kit.location);
    kit.commit(vec![Operation::SetLocation(format!("{other}/"))]);
    assert_eq!(kit.metadata().location, other);
}
