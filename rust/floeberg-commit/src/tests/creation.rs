use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::MAIN_BRANCH;
use serde_json::json;

use super::kit::{Kit, append, map};
use crate::{Commit, Operation, Requirement};

#[test]
fn a_table_begins_with_what_was_said_of_it_and_nothing_else() {
    for version in 1..=3 {
        let kit = Kit::partitioned(version, &[("owner", "us")]);
        let metadata = kit.metadata();
        assert_eq!(metadata.format_version, version);
        assert_eq!(metadata.location, kit.location);
        assert_eq!(metadata.properties, map(&[("owner", "us")]));
        assert_eq!((metadata.last_column_id, metadata.last_partition_id), (2, 1000));
        assert_eq!((metadata.current_schema_id, metadata.default_spec_id), (0, 0));
        assert_eq!(metadata.default_sort_order_id, 0);
        assert_eq!(metadata.next_row_id, (version == 3).then_some(0));
        assert_eq!(metadata.last_sequence_number, 0);
        assert!(
            metadata.refs.is_empty() && metadata.snapshots.is_empty() && metadata.metadata_log.is_empty()
        );
        assert_eq!(metadata.table_uuid.as_ref().unwrap().len(), 36);
        assert_eq!(kit.files().len(), 1);
    }
}

#[test]
fn a_new_table_is_required_not_to_be_there() {
    let kit = Kit::empty();
    let commit = kit.begin(vec![kit.create(2, &json!([]), &[])], "k");
    let attempt = kit.attempt(&commit).unwrap();
    assert_eq!(attempt.requirements(), [Requirement::Create]);
    let mut taken = Kit::partitioned(2, &[]);
    let again = taken.create(2, &json!([]), &[]);
    assert_eq!(taken.refused(again).kind(), ErrorKind::AlreadyExists);
    let nothing = Kit::empty();
    let commit = nothing.begin(vec![append("a", "x")], "k");
    assert_eq!(nothing.attempt(&commit).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_table_is_made_and_written_to_in_one_commit() {
    let mut kit = Kit::empty();
    let create = kit.create(3, &json!(["day"]), &[]);
    kit.commit(vec![create, append("a", "x"), append("b", "y")]);
    assert_eq!(kit.live_paths(), ["a", "b"]);
    assert_eq!(kit.metadata().snapshots.len(), 2);
    assert_eq!(kit.metadata().snapshot_log.len(), 1, "the first one was never seen");
    assert_eq!(kit.metadata().refs[MAIN_BRANCH].snapshot_id, kit.metadata().current_snapshot_id.unwrap());
    assert_eq!(kit.files(), kit.needed());
}

#[test]
fn what_is_part_of_the_metadata_is_no_property() {
    let mut kit = Kit::partitioned(1, &[]);
    let error = kit.refused(Operation::SetProperties(map(&[("format-version", "2")])));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("use upgrade_format_version"), "{error}");
    let place = Kit::empty();
    let create = place.create(2, &json!([]), &[("uuid", "u")]);
    let commit = place.begin(vec![create], "k");
    assert_eq!(place.attempt(&commit).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_value_that_nobody_could_follow_is_no_value_of_a_property() {
    let mut kit = Kit::partitioned(2, &[("write.parquet.compression-codec", "gzip")]);
    for (name, value) in [
        ("write.target-file-size-bytes", "big"),
        ("write.target-file-size-bytes", "0"),
        ("write.parquet.page-size-bytes", "-1"),
        ("write.metadata.metrics.column.a.b", "truncate(0)"),
        ("write.parquet.bloom-filter-fpp.column.id", "1"),
        ("write.parquet.stats-enabled.column.id", "yes"),
        ("write.parquet.compression-codec", "lzo"),
        ("write.parquet.compression-level", "22"),
        ("write.parquet.row-group-check-max-record-count", "99"),
        ("write.manifest.compression-codec", "zip"),
        ("write.metadata.compression-codec", "zstd"),
        ("write.distribution-mode", "hashh"),
        ("write.delete.mode", "copy"),
        ("write.update.isolation-level", "loose"),
        ("commit.retry.num-retries", "many"),
        ("commit.manifest-merge.enabled", "on"),
        ("schema.name-mapping.default", "{"),
        ("read.split.target-size", "0"),
        ("gc.enabled", ""),
    ] {
        let set = map(&[(name, value)]);
        let error = kit.refused(Operation::SetProperties(set.clone()));
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}={value}: {error}");
        assert!(error.to_string().contains(&format!("property: {name}")), "{error}");
        let place = Kit::empty();
        let commit = place.begin(vec![place.create(2, &json!([]), &[(name, value)])], "k");
        let is_level_of_gzip = name == "write.parquet.compression-level";
        assert_eq!(place.attempt(&commit).is_ok(), is_level_of_gzip, "{name}={value}");
    }
    for (name, value) in [
        ("write.format.default", "ORC"),
        ("write.target-file-size-bytes", " 1 "),
        ("write.delete.mode", "merge-on-read"),
        ("write.metadata.metrics.default", "truncate(16)"),
        ("write.parquet.compression-level", "9"),
        ("schema.name-mapping.default", "[]"),
        ("write.some.other", "anything"),
        ("owner", ""),
    ] {
        kit.commit(vec![Operation::SetProperties(map(&[(name, value)]))]);
        assert_eq!(kit.metadata().properties[name], value);
    }
}

#[test]
fn an_encrypted_table_is_not_made_or_unmade() {
    let key = [("encryption.key-id", "k")];
    let place = Kit::empty();
    for version in [2, 3] {
        // Nothing wraps keys, and below version 3 there are none.
        let refused =
            Commit::begin(place.request(vec![place.create(version, &json!([]), &key)])).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(refused.message().contains("encryption.key-id"), "{refused}");
    }
    let mut kit = Kit::partitioned(3, &[]);
    assert_eq!(kit.refused(Operation::SetProperties(map(&key))).kind(), ErrorKind::Unsupported);
    kit.commit(vec![Operation::RemoveProperties(vec!["encryption.key-id".to_owned()])]);
}

#[test]
fn properties_that_are_so_already_change_nothing() {
    let mut kit = Kit::partitioned(2, &[("a", "1"), ("b", "2")]);
    let commit = kit.begin(vec![Operation::SetProperties(map(&[("a", "1")]))], "k");
    let attempt = kit.attempt(&commit).unwrap();
    assert!(!attempt.changes());
    assert_eq!(attempt.metadata().as_ref(), kit.metadata());
    let remove = Operation::RemoveProperties(vec!["b".to_owned(), "none".to_owned()]);
    kit.commit(vec![Operation::SetProperties(map(&[("a", "3"), ("c", "4")])), remove]);
    assert_eq!(kit.metadata().properties, map(&[("a", "3"), ("c", "4")]));
}
