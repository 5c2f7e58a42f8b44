//! Every type, at any depth, is read back as it was written; and Parquet says of it what the specification asks for.

use std::sync::Arc;

use arrow_array::{RecordBatch, new_null_array};
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType as P, StructType, Type};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::MemoryStore;
use proptest::prelude::*;

use super::fixture::{Rows, TASK, recipe, rows_of, schema_text, with, write};
use super::rows::{numbered, types, values};
use crate::write::{WriteRecipe, Writer};

/// Columns of random types, the first a number.
pub(super) fn tables() -> impl Strategy<Value = (WriteRecipe, Rows)> {
    let columns = prop::collection::vec((types(), any::<bool>()), 1..4);
    columns.prop_flat_map(|columns| {
        let mut next = 1;
        let mut fields = vec![Field::required(1, "row", P::Long)];
        for (number, (field_type, required)) in columns.into_iter().enumerate() {
            next += 1;
            let id = next;
            let field_type = numbered(field_type, &mut next);
            let required = required && field_type != Type::Primitive(P::Unknown);
            fields.push(Field { required, ..Field::optional(id, format!("c{number}"), field_type) });
        }
        let row: Vec<_> = fields[1..].iter().map(values).collect();
        let rows = prop::collection::vec(row, 0..40);
        (Just(recipe(fields)), rows).prop_map(|(recipe, rows)| {
            let numbered = rows.into_iter().enumerate().map(|(number, mut row)| {
                row.insert(0, Some(Value::Long(number as i64)));
                row
            });
            (recipe, numbered.collect())
        })
    })
}

/// Values as their bits: NaN equals NaN, and zeros differ.
pub(super) fn bits(rows: &Rows) -> String {
    format!("{rows:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn what_is_written_is_read_back((recipe, rows) in tables(), batch_rows in 1_usize..20, group in 1_u64..2000) {
        let group = group.to_string();
        let properties = [
            ("write.parquet.row-group-size-bytes", group.as_str()),
            ("write.parquet.row-group-check-min-record-count", "3"),
        ];
        let recipe = with(recipe, &properties);
        let (store, receipt) = write(&recipe, &rows, batch_rows);
        prop_assert_eq!(receipt.rows(), rows.len() as u64);
        // Batches are compared, since both are in the table's one form.
        let read: Rows = receipt.files().iter().flat_map(|file| rows_of(&store, &recipe, file)).collect();
        prop_assert_eq!(bits(&read), bits(&rows));
    }
}

/// The Parquet schema of a file of one row of nulls.
fn printed(fields: Vec<Field>) -> String {
    let recipe = recipe(fields);
    let batch = RecordBatch::new_empty(Arc::new(schema_to_arrow(&recipe.schema).unwrap()));
    let nulls = batch.columns().iter().map(|column| new_null_array(column.data_type(), 1)).collect();
    let batch = RecordBatch::try_new(batch.schema(), nulls).unwrap();
    let store = MemoryStore::new();
    let mut writer = Writer::new(&recipe, Arc::new(store.clone()), TASK, &Cancel::default()).unwrap();
    writer.write(&batch).unwrap();
    let receipt = writer.finish().unwrap();
    schema_text(&store, &receipt.files()[0])
}

#[test]
fn columns_have_the_physical_and_logical_types_of_the_specification() {
    let decimal = |precision, scale| P::Decimal { precision, scale };
    let types = [
        P::Boolean,
        P::Int,
        P::Long,
        P::Float,
        P::Double,
        decimal(9, 2),
        decimal(18, 0),
        decimal(19, 4),
        decimal(38, 38),
        P::Date,
        P::Time,
        P::Timestamp,
        P::Timestamptz,
        P::TimestampNs,
        P::TimestamptzNs,
        P::String,
        P::Uuid,
        P::Fixed(7),
        P::Binary,
    ];
    let fields = types.into_iter().enumerate();
    let text =
        printed(fields.map(|(id, each)| Field::optional(id as i32 + 1, format!("c{id}"), each)).collect());
    let expected = "\
message table {
  OPTIONAL BOOLEAN c0 [1];
  OPTIONAL INT32 c1 [2];
  OPTIONAL INT64 c2 [3];
  OPTIONAL FLOAT c3 [4];
  OPTIONAL DOUBLE c4 [5];
  OPTIONAL INT32 c5 [6] (DECIMAL(9,2));
  OPTIONAL INT64 c6 [7] (DECIMAL(18,0));
  OPTIONAL FIXED_LEN_BYTE_ARRAY (9) c7 [8] (DECIMAL(19,4));
  OPTIONAL FIXED_LEN_BYTE_ARRAY (16) c8 [9] (DECIMAL(38,38));
  OPTIONAL INT32 c9 [10] (DATE);
  OPTIONAL INT64 c10 [11] (TIME(MICROS,false));
  OPTIONAL INT64 c11 [12] (TIMESTAMP(MICROS,false));
  OPTIONAL INT64 c12 [13] (TIMESTAMP(MICROS,true));
  OPTIONAL INT64 c13 [14] (TIMESTAMP(NANOS,false));
  OPTIONAL INT64 c14 [15] (TIMESTAMP(NANOS,true));
  OPTIONAL BYTE_ARRAY c15 [16] (STRING);
  OPTIONAL FIXED_LEN_BYTE_ARRAY (16) c16 [17] (UUID);
  OPTIONAL FIXED_LEN_BYTE_ARRAY (7) c17 [18];
  OPTIONAL BYTE_ARRAY c18 [19];
}
";
    assert_eq!(text, expected);
}

#[test]
fn nested_columns_have_the_groups_of_the_specification_and_an_id_each() {
    let field = |id, name: &str, field_type: Type| Field::optional(id, name, field_type);
    let list = |id| Type::List(Box::new(ListType { element: field(id, "element", P::Int.into()) }));
    let key = Field::required(5, "key", P::String);
    let map = MapType { key, value: field(6, "value", list(11)) };
    let inner = vec![field(8, "u", P::Unknown.into()), field(9, "x", Type::Variant)];
    let text = printed(vec![
        field(1, "u", P::Unknown.into()),
        field(2, "l", list(3)),
        field(4, "m", Type::Map(Box::new(map))),
        field(7, "s", Type::Struct(StructType { fields: inner })),
        field(10, "g", P::Geometry { crs: Some("srid:3857".into()) }.into()),
    ]);
    let expected = "\
message table {
  OPTIONAL group l [2] (LIST) {
    REPEATED group list {
      OPTIONAL INT32 element [3];
    }
  }
  OPTIONAL group m [4] (MAP) {
    REPEATED group key_value {
      REQUIRED BYTE_ARRAY key [5] (STRING);
      OPTIONAL group value [6] (LIST) {
        REPEATED group list {
          OPTIONAL INT32 element [11];
        }
      }
    }
  }
  OPTIONAL group s [7] {
    OPTIONAL group x [9] (VARIANT(Some(1))) {
      REQUIRED BYTE_ARRAY metadata;
      REQUIRED BYTE_ARRAY value;
    }
  }
  OPTIONAL BYTE_ARRAY g [10] (GEOMETRY(srid:3857));
}
";
    assert_eq!(text, expected);
}

#[test]
fn what_a_file_cannot_hold_is_refused_before_a_row_is_written() {
    let unknown = || Field::optional(2, "element", P::Unknown);
    let nested = [
        Type::Struct(StructType { fields: vec![unknown()] }),
        Type::List(Box::new(ListType { element: unknown() })),
        Type::Unrecognized("matrix".to_owned()),
        P::Unknown.into(),
    ];
    for field_type in nested {
        let recipe = recipe(vec![Field::optional(1, "c", field_type)]);
        let error =
            Writer::new(&recipe, Arc::new(MemoryStore::new()), TASK, &Cancel::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}
