use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType};
use floeberg_core::transform::Transform;

use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::PlannedSpec;

fn is_unpartitioned(transforms: &[Transform]) -> bool {
    let field = |(position, transform): (usize, &Transform)| PartitionField {
        source_ids: vec![1],
        field_id: 1000 + position as i32,
        name: format!("p{position}"),
        transform: transform.clone(),
        unknown_keys: serde_json::Map::new(),
    };
    let fields: Vec<_> = transforms.iter().enumerate().map(field).collect();
    let results =
        fields.iter().map(|field| Field::optional(field.field_id, &field.name, PrimitiveType::Long));
    let partition_type = StructType { fields: results.collect() };
    let schema = Schema::new(0, vec![Field::optional(1, "a", PrimitiveType::Long)]).unwrap();
    PlannedSpec::new(
        &PartitionSpec { spec_id: 3, fields, unknown_keys: serde_json::Map::new() },
        partition_type,
        &schema,
    )
    .unpartitioned
}

#[test]
fn a_spec_whose_fields_are_all_void_is_unpartitioned() {
    assert!(is_unpartitioned(&[]));
    assert!(is_unpartitioned(&[Transform::Void, Transform::Void]));
    assert!(!is_unpartitioned(&[Transform::Void, Transform::Identity]));
}
