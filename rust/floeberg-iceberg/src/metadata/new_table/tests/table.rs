use floeberg_core::ErrorKind;
use serde_json::json;

use super::{declare, schema};
use crate::metadata::new_table::declare_table;
use crate::metadata::{NullOrder, SortDirection};

#[test]
fn all_ids_are_fresh_and_columns_are_the_same() {
    let partitions = json!({"spec-id": 7, "fields": [{"source-id": 11, "field-id": 1007, "transform": "day", "name": "d"}]});
    let order = json!({"order-id": 3, "fields": [
        {"source-ids": [14], "transform": "identity", "direction": "desc", "null-order": "nulls-first"},
    ]});
    let mut wanted = schema();
    wanted["fields"][0]["required"] = json!(true);
    wanted["identifier-field-ids"] = json!([10]);
    let table = declare_table(&wanted, &partitions, &order, 1).unwrap();
    assert_eq!((table.schema.schema_id(), table.schema.identifier_field_ids()), (0, [1].as_slice()));
    let [field] = table.spec.fields.as_slice() else { panic!("{:?}", table.spec) };
    assert_eq!((table.spec.spec_id, field.field_id, field.name.as_str()), (0, 1000, "d"));
    assert_eq!(table.schema.full_name(field.source_ids[0]).unwrap(), "ts");
    let [sorted] = table.sort_order.fields.as_slice() else { panic!("{:?}", table.sort_order) };
    assert_eq!(table.schema.full_name(sorted.source_ids[0]).unwrap(), "place.country");
    assert_eq!((table.sort_order.order_id, table.last_column_id, table.last_partition_id), (1, 7, 1000));
}

#[test]
fn nothing_is_partitioned_or_sorted_unless_it_is_said() {
    for nothing in [json!(null), json!([]), json!({"fields": []})] {
        let table = declare(&nothing, &nothing).unwrap();
        assert_eq!((table.spec.spec_id, table.spec.fields.len(), table.last_partition_id), (0, 0, 999));
        assert_eq!((table.sort_order.order_id, table.sort_order.fields.len()), (0, 0));
    }
}

#[test]
fn sort_fields_are_read_as_sql_writes_them() {
    use NullOrder::{First, Last};
    use SortDirection::{Ascending, Descending};
    for (text, transform, direction, null_order) in [
        ("id", "identity", Ascending, First),
        ("id DESC", "identity", Descending, Last),
        ("bucket(8, id) asc NULLS LAST", "bucket[8]", Ascending, Last),
        ("day(ts) desc nulls first", "day", Descending, First),
        ("place.country nulls last", "identity", Ascending, Last),
    ] {
        let order = declare(&json!(null), &json!([text])).unwrap().sort_order;
        let field = &order.fields[0];
        assert_eq!(
            (field.transform.to_string().as_str(), field.direction, field.null_order),
            (transform, direction, null_order),
            "{text}"
        );
    }
    for wrong in [
        json!(["id sideways"]),
        json!([{"source": "id", "direction": "up"}]),
        json!(["tags"]),
        json!([{"source": "id", "null-order": "none"}]),
    ] {
        assert_eq!(declare(&json!(null), &wrong).unwrap_err().kind(), ErrorKind::InvalidInput, "{wrong}");
    }
}

#[test]
fn a_schema_that_cannot_be_written_is_the_callers_fault() {
    let of = |field_type: &str| json!({"type": "struct", "fields": [{"id": 1, "name": "x", "required": false, "type": field_type}]});
    let declare = |schema, version| declare_table(&schema, &json!(null), &json!(null), version);
    for (schema, version) in
        [(of("variant"), 2), (of("interval"), 3), (json!({"type": "struct"}), 3), (json!(7), 3)]
    {
        assert_eq!(declare(schema.clone(), version).unwrap_err().kind(), ErrorKind::InvalidInput, "{schema}");
    }
    assert!(declare(of("variant"), 3).is_ok());
    assert_eq!(declare(of("int"), 4).unwrap_err().kind(), ErrorKind::Unsupported);
}
