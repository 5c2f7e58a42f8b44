//! A recipe that was sent writes the same files.

use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_io::StoreOptions;
use proptest::prelude::*;

use super::fixture::{Rows, partitioned, recipe, with, write};
use crate::metadata::{TableMetadata, parse_table_metadata};
use crate::write::WriteRecipe;

#[test]
fn what_was_sent_writes_the_same_files() {
    let fields = vec![Field::required(1, "n", P::Long), Field::optional(2, "s", P::String)];
    let sent =
        with(partitioned(recipe(fields), &[(1, Transform::Bucket(3))]), &[("write.data.path", "memory://x")]);
    let arrived = WriteRecipe::from_bytes(&sent.to_bytes().unwrap()).unwrap();
    let rows: Rows = (0..50).map(|n| vec![Some(Value::Long(n)), None]).collect();
    assert_eq!(write(&arrived, &rows, 7).1, write(&sent, &rows, 7).1);
}

/// A table with a property and a partition field.
fn metadata(property: (&str, &str), transform: &str) -> TableMetadata {
    let json = serde_json::json!({
        "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t",
        "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 1,
        "schemas": [{"type": "struct", "schema-id": 0, "fields":
            [{"id": 1, "name": "n", "required": false, "type": "long"}]}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields":
            [{"source-id": 1, "field-id": 1000, "name": "p", "transform": transform}]}],
        "default-spec-id": 0, "last-partition-id": 1000, "properties": {property.0: property.1},
        "current-snapshot-id": null, "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0
    });
    parse_table_metadata(&serde_json::to_vec(&json).unwrap(), "v1.metadata.json").unwrap()
}

fn made(property: (&str, &str), transform: &str, write_id: &str) -> floeberg_core::Result<WriteRecipe> {
    WriteRecipe::new(&metadata(property, transform), &StoreOptions::new(), &BTreeMap::new(), write_id)
}

#[test]
fn what_cannot_be_written_is_known_before_a_row_is() {
    let none = ("comment", "x");
    made(none, "identity", "a-1_b.c").unwrap();
    made(none, "void", "w").unwrap();
    assert_eq!(made(none, "zorder", "w").unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(
        made(("write.format.default", "CSV"), "void", "w").unwrap_err().kind(),
        ErrorKind::Unsupported
    );
    for write_id in ["", "a/b", "a b", ".", "é"] {
        assert_eq!(made(none, "void", write_id).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    for property in
        ["write.target-file-size-bytes", "write.parquet.page-size-bytes", "write.metadata.metrics.default"]
    {
        let error = made((property, "much"), "void", "w").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(property), "{error}");
    }
}

proptest! {
    #[test]
    fn other_bytes_are_refused(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(WriteRecipe::from_bytes(&bytes).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
