use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, StructArray};
use floeberg_core::schema::{Field, PrimitiveType, StructType};

use crate::manifest::untrusted::UntrustedColumns;
use crate::manifest::{
    BoundSpec, FieldSummary, ManifestContent, ManifestFile, are_clustered, partition_order,
};
use crate::metadata::PartitionSpec;

type Bounds = (Option<i32>, Option<i32>);

fn spec() -> BoundSpec {
    let field = |id, name: &str| Field::optional(id, name, PrimitiveType::Int);
    let partition_type = StructType { fields: vec![field(1000, "a"), field(1001, "b")] };
    let schema = floeberg_core::schema::Schema::new(0, Vec::new()).unwrap();
    let spec = PartitionSpec { spec_id: 0, fields: Vec::new(), unknown_keys: serde_json::Map::new() };
    BoundSpec::new(&spec, partition_type, &schema, &UntrustedColumns::default())
}

/// A manifest whose summaries have these bounds; without a lower one there are nulls.
fn manifest(bounds: &[Bounds]) -> ManifestFile {
    let bytes = |value: i32| value.to_le_bytes().to_vec();
    let summary = |(lower, upper): &Bounds| FieldSummary {
        contains_null: lower.is_none(),
        lower_bound: lower.or(*upper).map(bytes),
        upper_bound: upper.map(bytes),
        ..FieldSummary::default()
    };
    ManifestFile {
        partitions: Some(bounds.iter().map(summary).collect()),
        ..ManifestFile::unlisted(String::new(), 0, 0, ManifestContent::Data)
    }
}

fn clustered(manifests: &[Vec<Bounds>], fields: &[usize]) -> bool {
    let manifests: Vec<_> = manifests.iter().map(|bounds| manifest(bounds)).collect();
    are_clustered(&manifests.iter().collect::<Vec<_>>(), &spec(), fields)
}

fn range(lower: i32, upper: i32) -> Bounds {
    (Some(lower), Some(upper))
}

#[test]
fn neighbours_may_share_a_value_and_come_in_any_order() {
    let any = range(0, 9);
    assert!(clustered(&[vec![range(3, 5), any], vec![range(1, 3), any], vec![range(6, 6), any]], &[0]));
    assert!(!clustered(&[vec![range(1, 4), any], vec![range(3, 5), any]], &[0]));
    assert!(!clustered(&[vec![range(1, 9), any], vec![range(3, 5), any]], &[0]));
}

#[test]
fn nulls_come_first() {
    let any = range(0, 9);
    assert!(clustered(&[vec![(None, None), any], vec![(None, Some(2)), any], vec![range(2, 3), any]], &[0]));
    assert!(!clustered(&[vec![(None, Some(4)), any], vec![range(2, 3), any]], &[0]));
}

#[test]
fn the_next_field_decides_where_manifests_have_one_value() {
    let one = range(7, 7);
    assert!(clustered(&[vec![one, range(1, 3)], vec![one, range(4, 6)]], &[0, 1]));
    assert!(!clustered(&[vec![one, range(1, 5)], vec![one, range(4, 6)]], &[0, 1]));
    assert!(clustered(&[vec![one, range(1, 5)], vec![one, range(4, 6)]], &[0]));
}

#[test]
fn without_summaries_nothing_is_known() {
    let silent = ManifestFile::unlisted(String::new(), 0, 0, ManifestContent::Data);
    assert!(!are_clustered(&[&silent, &silent], &spec(), &[0]));
    assert!(are_clustered(&[&silent], &spec(), &[0]));
    assert!(are_clustered(&[&silent, &silent], &spec(), &[]));
}

#[test]
fn bytes_have_the_order_of_partitions() {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(5), None, Some(-5), Some(5)])),
        Arc::new(Int32Array::from(vec![Some(2), Some(9), Some(0), None])),
    ];
    let fields = vec![
        arrow_schema::Field::new("a", arrow_schema::DataType::Int32, true),
        arrow_schema::Field::new("b", arrow_schema::DataType::Int32, true),
    ];
    let partition = StructArray::new(fields.into(), columns, None);
    let order = |fields: &[usize]| {
        let keys = partition_order(&spec(), &partition, fields, &[0, 1, 2, 3]).unwrap();
        let mut rows = [0, 1, 2, 3];
        rows.sort_by(|one: &usize, other| keys[*one].cmp(&keys[*other]));
        rows
    };
    assert_eq!(order(&[0, 1]), [1, 2, 3, 0]);
    assert_eq!(order(&[1, 0]), [3, 2, 0, 1]);
}
