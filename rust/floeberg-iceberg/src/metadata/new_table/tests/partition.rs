use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_from_json;
use floeberg_core::transform::Transform;
use serde_json::{Value as Json, json};

use super::{declare, declared_in, schema};
use crate::metadata::new_table::{
    ColumnChoice, DeclaredPartition, DeclaredSource, SpecBuilder, declare_table,
};
use crate::metadata::{PartitionSpec, SortDirection};

fn parsed() -> Schema {
    schema_from_json(&schema()).unwrap()
}

fn by(name: &str, transform: Transform) -> DeclaredPartition {
    let columns = vec![ColumnChoice::Name(name.to_owned())];
    DeclaredPartition { source: DeclaredSource { columns, transform }, name: None }
}

fn ids(spec: &PartitionSpec) -> Vec<i32> {
    spec.fields.iter().map(|field| field.field_id).collect()
}

#[test]
fn fields_are_named_after_their_columns_and_numbered_from_1000() {
    let texts = json!([
        "id",
        "bucket(16, id)",
        "days(ts)",
        "truncate( 4 , data)",
        "place.country",
        "void(data)",
        "bucket(8, id) AS shard"
    ]);
    let spec = declare(&texts, &json!(null)).unwrap().spec;
    let found: Vec<_> =
        spec.fields.iter().map(|field| (field.name.as_str(), field.transform.to_string())).collect();
    let expected = [
        ("id", "identity"),
        ("id_bucket_16", "bucket[16]"),
        ("ts_day", "day"),
        ("data_trunc_4", "truncate[4]"),
        ("place.country", "identity"),
        ("data_null", "void"),
        ("shard", "bucket[8]"),
    ];
    assert_eq!(found, expected.map(|(name, transform)| (name, transform.to_owned())));
    assert_eq!((spec.spec_id, ids(&spec)), (0, (1000..1007).collect()));
}

#[test]
fn names_may_be_quoted_as_in_filters() {
    let mut schema = schema();
    let odd = ["two words", "as", "desc", "say \"hi\"", "a`b", "bucket(4, id)", "5\" pipe"];
    let fields = schema["fields"].as_array_mut().unwrap();
    for (id, name) in (40..).zip(odd) {
        fields.push(json!({"id": id, "name": name, "required": false, "type": "long"}));
    }
    let declare = |spec: Json, order: Json| {
        declare_table(&schema, &spec, &order, 2).unwrap_or_else(|error| panic!("{spec} {order}: {error}"))
    };
    for (text, column, name) in [
        ("bucket(4, \"two words\")", "two words", "two words_bucket_4"),
        ("`two words` as `my shard`", "two words", "my shard"),
        ("two words AS \"as\"\"x\"", "two words", "as\"x"),
        ("\"as\" as \"as as\"", "as", "as as"),
        ("\"say \"\"hi\"\"\"", "say \"hi\"", "say \"hi\""),
        ("identity(`a``b`)", "a`b", "a`b"),
        ("\"bucket(4, id)\"", "bucket(4, id)", "bucket(4, id)"),
        ("5\" pipe", "5\" pipe", "5\" pipe"),
        ("\"place\".`country`", "place.country", "place.country"),
        ("place.\"country\" as c", "place.country", "c"),
    ] {
        let spec = declare(json!([text]), json!(null));
        let field = &spec.spec.fields[0];
        assert_eq!(field.name, name, "{text}");
        assert_eq!(spec.schema.full_name(field.source_ids[0]).as_deref(), Some(column), "{text}");
    }
    for (text, column, is_descending) in [
        ("\"two words\" desc", "two words", true),
        ("`desc`", "desc", false),
        ("\"desc\" DESC nulls first", "desc", true),
        ("bucket(4, \"desc\") asc", "desc", false),
    ] {
        let order = declare(json!(null), json!([text])).sort_order;
        assert_eq!((order.fields[0].direction == SortDirection::Descending), is_descending, "{text}");
        let table = declare(json!(null), json!([text]));
        assert_eq!(table.schema.full_name(table.sort_order.fields[0].source_ids[0]).as_deref(), Some(column));
    }
}

#[test]
fn a_field_that_cannot_be_is_refused() {
    for (partitions, said) in [
        (json!(["nme"]), "no column is named"),
        (json!(["bucket(id)"]), "bucket(16, id)"),
        (json!(["bucket(id, 16)"]), "bucket(16, id)"),
        (json!(["bucket[16](id)"]), "bucket(16, id)"),
        (json!(["bucket(4, id, ts)"]), "one column in a transform"),
        (json!(["truncate(data)"]), "truncate(4, name)"),
        (json!(["date(ts)"]), "day(ts)"),
        (json!(["zorder(id)"]), "no column is named \"zorder(id)\"; a partition field is"),
        (json!(["bucket(0, id)"]), "1 to"),
        (json!(["day(id)"]), "it is of type long"),
        (json!(["tags"]), "not a primitive type"),
        (json!(["tags.element"]), "in a list or a map"),
        (json!(["day(ts)", "hour(ts)"]), "is redundant"),
        (json!(["bucket(4, id)", "bucket(4, id)"]), "two partition fields are named"),
        (json!([{"source": "id", "transform": "bucket[4]", "name": "data"}]), "since a column is"),
        (json!([{"source": "id", "name": "data"}]), "since a column is"),
        (json!([{"source": "id", "name": ""}]), "needs a name"),
        (json!([{"source": "id", "transform": "bucket[0]"}]), "1 to"),
        (json!([{"source-id": 99}]), "no column with the id 99"),
        (json!([{"transform": "day"}]), "expected one column"),
        (json!([7]), "expected one column"),
        (json!("day(ts)"), "expected a list"),
    ] {
        let error = declare(&partitions, &json!(null)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{partitions}");
        assert!(error.message().contains(said), "{partitions}: {error}");
    }
    let unknown = json!([{"source": "id", "transform": "zorder[4]"}]);
    assert_eq!(declare(&unknown, &json!(null)).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_field_of_several_columns_is_declared_from_version_3_on() {
    let fields = json!([
        {"source-ids": [12, 10], "transform": "zOrder[4,8]"},
        {"source": ["id", "place.country"], "transform": "hilbert", "name": "curve"},
        {"source-ids": [10], "transform": "bucket[4]"},
    ]);
    let table = declared_in(3, &fields, &fields).unwrap();
    let shown = |name: &str, sources: &[i32], transform: &str| {
        (name.to_owned(), sources.to_vec(), transform.to_owned())
    };
    let found =
        table.spec.fields.iter().map(|each| shown(&each.name, &each.source_ids, &each.transform.to_string()));
    let expected = [
        shown("data_id_zOrder_4,8", &[3, 1], "zOrder[4,8]"),
        shown("curve", &[1, 6], "hilbert"),
        shown("id_bucket_4", &[1], "bucket[4]"),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(ids(&table.spec), [1000, 1001, 1002]);
    let sorted: Vec<_> = table.sort_order.fields.iter().map(|each| each.source_ids.clone()).collect();
    assert_eq!(sorted, [vec![3, 1], vec![1, 6], vec![1]]);
    for version in [1, 2] {
        for (spec, order) in [(&fields, &json!(null)), (&json!(null), &fields)] {
            let error = declared_in(version, spec, order).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.message().contains("needs format version 3"), "{error}");
        }
    }
}

#[test]
fn a_field_of_several_columns_that_cannot_be_is_refused() {
    for (field, said) in [
        (json!({"source-ids": [10, 12], "transform": "bucket[4]"}), "bucket[4] takes one column, found 2"),
        (json!({"source-ids": [10, 12]}), "identity takes one column"),
        (json!({"source-ids": [10, 12], "transform": "void"}), "void takes one column"),
        (json!({"source": ["place", "country"]}), "no column is named \"country\""),
        (json!({"source-ids": [], "transform": "zorder"}), "expected one column"),
        (json!({"source-ids": [10, "x"], "transform": "zorder"}), "expected one column"),
        (json!({"source-ids": [10, 10], "transform": "zorder"}), "names the column \"id\" twice"),
        (json!({"source-ids": [10, 16], "transform": "zorder"}), "in a list or a map"),
        (json!({"source-ids": [10, 13], "transform": "zorder"}), "not a primitive type"),
        (json!({"source-ids": [10, 99], "transform": "zorder"}), "no column with the id 99"),
        (json!({"source-ids": [10, 12], "transform": "z order"}), "expected a transform as zorder[4]"),
        (json!({"source-ids": [10, 12], "transform": ""}), "expected a transform as zorder[4]"),
        (json!({"source-ids": [10, 12], "transform": "zorder[4"}), "expected a transform as zorder[4]"),
        (json!({"source-ids": [10, 12], "transform": "zorder[]"}), "expected a transform as zorder[4]"),
        (json!({"source-ids": [10, 12], "source-id": 10, "transform": "zorder"}), "expected one column"),
        (json!({"source-ids": [10, 12], "transform": 4}), "expected a string"),
    ] {
        for (spec, order) in [(json!([field]), json!(null)), (json!(null), json!([field]))] {
            let error = declared_in(3, &spec, &order).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{field}");
            assert!(error.message().contains(said), "{field}: {error}");
        }
    }
    let zorder = json!({"source-ids": [10, 12], "transform": "zorder", "name": "z"});
    for (fields, said) in [
        (json!([zorder, zorder]), "two partition fields are named"),
        (json!([zorder, {"source-ids": [10, 12], "transform": "zorder", "name": "y"}]), "is redundant"),
        (json!([{"source-ids": [10, 12], "transform": "zorder", "name": "ts"}]), "since a column is"),
    ] {
        let error = declared_in(3, &fields, &json!(null)).unwrap_err();
        assert!(error.message().contains(said), "{fields}: {error}");
    }
}

#[test]
fn an_equal_spec_and_equal_fields_keep_their_ids() {
    let schema = parsed();
    let first = SpecBuilder::of_new_table(&schema, 2);
    let (by_id, last) = first.build(&[by("id", Transform::Bucket(4)), by("ts", Transform::Day)]).unwrap();
    assert_eq!((ids(&by_id), last), (vec![1000, 1001], 1001));
    let known = [Arc::new(by_id)];
    let later = SpecBuilder { schema: &schema, known: &known, last_partition_id: last, format_version: 2 };

    let (again, last) = later.build(&[by("id", Transform::Bucket(4)), by("ts", Transform::Day)]).unwrap();
    assert_eq!((&again, last), (&*known[0], 1001));

    let (other, last) = later.build(&[by("ts", Transform::Day), by("id", Transform::Bucket(8))]).unwrap();
    assert_eq!((other.spec_id, ids(&other), last), (1, vec![1001, 1002], 1002));

    let renamed = DeclaredPartition { name: Some("day".to_owned()), ..by("ts", Transform::Day) };
    let (renamed, _) = later.build(&[renamed]).unwrap();
    assert_eq!((renamed.spec_id, ids(&renamed)), (1, vec![1001]));
}

#[test]
fn an_id_that_means_several_things_in_v1_is_not_taken_again() {
    let schema = parsed();
    let new = SpecBuilder::of_new_table(&schema, 2);
    let (first, _) = new.build(&[by("id", Transform::Identity)]).unwrap();
    let (mut second, _) = new.build(&[by("data", Transform::Identity)]).unwrap();
    second.spec_id = 1;
    let known = [Arc::new(first), Arc::new(second)];
    let later = SpecBuilder { schema: &schema, known: &known, last_partition_id: 1000, format_version: 2 };
    let (third, last) =
        later.build(&[by("id", Transform::Identity), by("data", Transform::Identity)]).unwrap();
    assert_eq!((third.spec_id, ids(&third), last), (2, vec![1001, 1002], 1002));
}
