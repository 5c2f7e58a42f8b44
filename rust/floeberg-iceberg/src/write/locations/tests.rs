#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};
use serde_json::Map;

use super::{Locations, folders_of_hash};
use crate::metadata::{PartitionField, PartitionSpec};

use crate::write::options::properties_of;

fn spec(names: &[&str]) -> PartitionSpec {
    let field = |name: &&str| PartitionField {
        field_id: 1000,
        source_ids: vec![1],
        name: (*name).to_owned(),
        transform: Transform::Identity,
        unknown_keys: Map::new(),
    };
    PartitionSpec { spec_id: 0, fields: names.iter().map(field).collect(), unknown_keys: Map::new() }
}

fn locations(table: &str, properties: &[(&str, &str)]) -> Result<Locations> {
    let owned = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Locations::new(table, &properties_of(&owned.collect(), &BTreeMap::new())?)
}

fn of(table: &str, properties: &[(&str, &str)]) -> String {
    locations(table, properties).unwrap().of(&spec(&["a"]), &[Some(Value::Int(1))], "f.parquet")
}

#[test]
fn files_are_in_the_folder_of_their_partition() {
    assert_eq!(of("s3://b/t/", &[]), "s3://b/t/data/a=1/f.parquet");
    assert_eq!(of("file:/t", &[("write.data.path", "/other//")]), "/other/a=1/f.parquet");
    // Appendix F, Path Construction.
    assert_eq!(of("s3://b/t", &[("write.data.path", "new/data/")]), "s3://b/t/new/data/a=1/f.parquet");
    let unpartitioned = locations("/t", &[]).unwrap().of(&spec(&[]), &[], "f.parquet");
    assert_eq!(unpartitioned, "/t/data/f.parquet");
}

/// The hashes are those that Iceberg Java's own tests have.
#[test]
fn hashes_are_those_of_iceberg_java() {
    for (name, expected) in
        [("a", "0101/0110/1001/10110010"), ("b", "1110/0111/1110/00000011"), ("c", "0010/1101/0110/01011111")]
    {
        assert_eq!(folders_of_hash(name), expected);
    }
}

#[test]
fn files_are_spread_where_the_table_asks_for_it() {
    let enabled = ("write.object-storage.enabled", "true");
    let hash = folders_of_hash("a=1/f.parquet");
    assert_eq!(of("s3://b/db/t", &[enabled]), format!("s3://b/db/t/data/{hash}/a=1/f.parquet"));
    let elsewhere = ("write.data.path", "s3://c/x");
    assert_eq!(of("s3://b/db/t", &[enabled, elsewhere]), format!("s3://c/x/{hash}/db/t/a=1/f.parquet"));
    let below = ("write.data.path", "new");
    assert_eq!(of("s3://b/db/t", &[enabled, below]), format!("s3://b/db/t/new/{hash}/a=1/f.parquet"));
    let hash = folders_of_hash("f.parquet");
    let without = ("write.object-storage.partitioned-paths", "false");
    assert_eq!(of("s3://b/db/t", &[enabled, without]), format!("s3://b/db/t/data/{hash}-f.parquet"));
}

#[test]
fn what_only_java_can_do_is_refused() {
    let refused = |name| locations("/t", &[(name, "x")]).unwrap_err().kind();
    assert_eq!(refused("write.location-provider.impl"), ErrorKind::Unsupported);
    assert_eq!(refused("write.folder-storage.path"), ErrorKind::InvalidInput);
    assert_eq!(refused("write.object-storage.enabled"), ErrorKind::InvalidInput);
}
