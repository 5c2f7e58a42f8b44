use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};

use super::table;
use crate::names::find_column;
use crate::{JoinedColumns, assigned_columns};

fn schema(fields: &[(&str, DataType)]) -> Schema {
    Schema::new(fields.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true)).collect::<Vec<_>>())
}

#[test]
fn a_name_in_another_case_is_found_where_it_is_one_column() {
    let names = ["id", "ID", "Note"];
    assert_eq!(find_column(names.into_iter(), "ID", false), Some(1));
    assert_eq!(find_column(names.into_iter(), "iD", false), None);
    assert_eq!(find_column(names.into_iter(), "note", false), Some(2));
    assert_eq!(find_column(names.into_iter(), "note", true), None);
}

#[test]
fn columns_of_a_source_stand_in_the_order_of_the_table() {
    let source = schema(&[("S", DataType::Utf8), ("id", DataType::Int32)]);
    let keys = ["ID".to_owned()];
    let found = JoinedColumns::of(&source, &table(), &keys, false, true).unwrap();
    assert_eq!(found.keys, ["id"]);
    assert_eq!(found.used, [("id".to_owned(), "id".to_owned()), ("s".to_owned(), "S".to_owned())]);
    let unknown = schema(&[("id", DataType::Int32), ("other", DataType::Int32)]);
    assert!(JoinedColumns::of(&unknown, &table(), &keys, false, true).is_err());
    let twice = schema(&[("id", DataType::Int32), ("ID", DataType::Int32)]);
    assert!(JoinedColumns::of(&twice, &table(), &keys, false, true).is_err());
}

#[test]
fn a_struct_that_lacks_a_field_replaces_no_other() {
    let wide = DataType::Struct(Fields::from(vec![
        Field::new("k", DataType::Int32, true),
        Field::new("x", DataType::Utf8, true),
    ]));
    let narrow = DataType::Struct(Fields::from(vec![Field::new("k", DataType::Int32, true)]));
    let target = schema(&[("id", DataType::Int32), ("st", wide)]);
    let source = schema(&[("id", DataType::Int32), ("st", narrow)]);
    let keys = ["id".to_owned()];
    assert!(JoinedColumns::of(&source, &target, &keys, true, true).is_err());
    assert!(JoinedColumns::of(&source, &target, &keys, true, false).is_ok());
    let lists = |below: &Schema| Arc::new(Field::new("element", below.field(1).data_type().clone(), true));
    let (narrow, wide) = (DataType::ListView(lists(&source)), DataType::List(lists(&target)));
    let target = schema(&[("id", DataType::Int32), ("li", wide)]);
    let source = schema(&[("id", DataType::Int32), ("li", narrow)]);
    assert!(JoinedColumns::of(&source, &target, &keys, true, true).is_err());
}

#[test]
fn a_column_is_assigned_once() {
    let names = |given: &[&str]| given.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(assigned_columns(&table(), &names(&["target.s", "n"]), true).unwrap(), [2, 1]);
    assert!(assigned_columns(&table(), &names(&["s", "target.s"]), true).is_err());
    assert!(assigned_columns(&table(), &names(&["nope"]), true).is_err());
}
