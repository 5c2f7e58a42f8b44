use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, NullArray, StructArray, new_null_array};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_core::expr::{bind, evaluate_row, parse, project_inclusive};
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType, Type};
use floeberg_core::transform::Transform;
use serde_json::json;

use super::document::document;
use crate::manifest::{BoundSpec, Specs, UntrustedColumns};
use crate::metadata::{PartitionField, PartitionSpec, parse_table_metadata};

/// A spec of such fields, whose values have a type.
fn planned(transforms: &[Transform], value: &PrimitiveType) -> BoundSpec {
    let field = |(position, transform): (usize, &Transform)| PartitionField {
        source_ids: vec![1],
        field_id: 1000 + position as i32,
        name: format!("p{position}"),
        transform: transform.clone(),
        unknown_keys: serde_json::Map::new(),
    };
    let fields: Vec<_> = transforms.iter().enumerate().map(field).collect();
    let results = fields.iter().map(|field| Field::optional(field.field_id, &field.name, value.clone()));
    let partition_type = StructType { fields: results.collect() };
    let schema = Schema::new(0, vec![Field::optional(1, "a", PrimitiveType::Long)]).unwrap();
    BoundSpec::new(
        &PartitionSpec { spec_id: 3, fields, unknown_keys: serde_json::Map::new() },
        partition_type,
        &schema,
        &UntrustedColumns::default(),
    )
}

fn is_unpartitioned(transforms: &[Transform]) -> bool {
    planned(transforms, &PrimitiveType::Long).unpartitioned
}

/// Partition values of one field, as a manifest has them.
fn values(array: ArrayRef) -> StructArray {
    let field = ArrowField::new("p0", array.data_type().clone(), true);
    StructArray::from(vec![(Arc::new(field), array)])
}

#[test]
fn partitions_of_a_transform_that_is_not_known_are_told_apart_by_the_manifests_values() {
    let spec = planned(&[Transform::Unknown("bucketV2[4]".to_owned())], &PrimitiveType::Unknown);
    let written = values(Arc::new(Int32Array::from(vec![Some(1), Some(1), Some(2), None])));
    assert_eq!(spec.partitions(&written).unwrap().of, [0, 0, 1, 2]);
    assert!(spec.is_comparable(&written));
    // They are no values of the table: nothing is filtered by them.
    assert_eq!(spec.values(&written, 0).unwrap(), [(1000, None)]);
    assert_eq!(spec.known_columns(&written)[0].data_type(), &DataType::Null);
    assert!(spec.columns.is_empty());
}

#[test]
fn partitions_that_no_manifest_tells_the_type_of_cannot_be_compared() {
    let spec = planned(&[Transform::Unknown("geo".to_owned())], &PrimitiveType::Unknown);
    assert!(!spec.is_comparable(&values(Arc::new(NullArray::new(1)))));
    assert_eq!(spec.not_comparable().kind(), ErrorKind::Unsupported);
    let void = planned(&[Transform::Void], &PrimitiveType::Unknown);
    assert!(void.is_comparable(&values(Arc::new(NullArray::new(1)))), "void is null always");
}

#[test]
fn a_spec_whose_fields_are_all_void_is_unpartitioned() {
    assert!(is_unpartitioned(&[]));
    assert!(is_unpartitioned(&[Transform::Void, Transform::Void]));
    assert!(!is_unpartitioned(&[Transform::Void, Transform::Identity]));
}

#[test]
fn a_source_in_a_struct_is_filtered_by() {
    let inner = StructType { fields: vec![Field::optional(2, "x", PrimitiveType::Long)] };
    let schema = Schema::new(0, vec![Field::optional(1, "s", Type::Struct(inner))]).unwrap();
    let field = PartitionField {
        source_ids: vec![2],
        field_id: 1000,
        name: "s.x".to_owned(),
        transform: Transform::Truncate(10),
        unknown_keys: serde_json::Map::new(),
    };
    let partition_type = StructType { fields: vec![Field::optional(1000, "s.x", PrimitiveType::Long)] };
    let spec = PartitionSpec { spec_id: 0, fields: vec![field], unknown_keys: serde_json::Map::new() };
    let planned = BoundSpec::new(&spec, partition_type, &schema, &UntrustedColumns::default());
    let filter = |sql: &str| bind(&parse(sql).unwrap(), &schema, true).unwrap();
    let projected = project_inclusive(&filter("s.x = 25"), &planned.columns);
    assert_eq!(projected.to_string(), "s.x = 20");
    // Where the struct is null so is the partition value.
    let null = project_inclusive(&filter("s.x IS NULL"), &planned.columns);
    assert!(evaluate_row(&null, &|_| None).unwrap() && !evaluate_row(&projected, &|_| None).unwrap());
}

#[test]
fn values_of_a_void_field_are_nulls_of_the_type_that_its_transform_had() {
    let types = [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "decimal(9, 2)",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "string",
        "uuid",
        "fixed[4]",
        "binary",
    ];
    let transforms =
        ["identity", "bucket[4]", "truncate[2]", "year", "month", "day", "hour", "void", "futureHash[7]"];
    let cases = types.iter().flat_map(|source| transforms.iter().map(move |transform| (*source, *transform)));
    let mut tested = 0;
    for (source, transform) in cases {
        let of: Transform = transform.parse().unwrap();
        let source_type: Type = Type::Primitive(source.parse().unwrap());
        if !of.accepts(&source_type) {
            continue;
        }
        let spec = |id: i32, transform: &str| {
            let field = json!({ "name": "p", "transform": transform, "source-id": 1, "field-id": 1000 });
            json!({ "spec-id": id, "fields": [field] })
        };
        let columns = json!([{ "id": 1, "name": "a", "required": false, "type": source }]);
        let more = json!({
            "schemas": [{ "type": "struct", "schema-id": 0, "fields": columns }],
            "partition-specs": [spec(0, transform), spec(1, "void"), spec(2, transform)],
        });
        let metadata =
            parse_table_metadata(document(2, 1, more).to_string().as_bytes(), "memory://t/m.json").unwrap();
        let specs = Specs::new(&metadata, metadata.current_schema()).unwrap();
        let null = || values(new_null_array(&type_to_arrow(&source_type).unwrap(), 2));
        let unified = specs.unify(1, &null()).unwrap();
        assert_eq!(
            (unified.data_type(), unified.len()),
            (&specs.unified_type(), 2),
            "{transform} of {source}"
        );
        assert_eq!(unified.column(0).logical_null_count(), 2, "{transform} of {source}");
        assert_eq!(specs.get(1).unwrap().values(&null(), 0).unwrap(), [(1000, None)]);
        tested += 1;
    }
    assert!(tested > 60, "{tested}");
}
