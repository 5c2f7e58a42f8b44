//! Tests of how partition fields change.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use super::SpecChanges;
use crate::metadata::fixture::{parsed, v2, with};

type Shown = (i32, String, String);

fn evolve(document: &Json, changes: &Json) -> Result<Vec<Shown>> {
    let fields = parsed(document).evolve_spec(&SpecChanges::from_json(&json!({ "changes": changes }))?)?;
    Ok(fields.into_iter().map(|field| (field.field_id, field.name, field.transform.to_string())).collect())
}

fn add(column: &str, transform: &str) -> Json {
    json!({"change": "add-field", "source": column, "transform": transform})
}

fn named(column: &str, transform: &str, name: &str) -> Json {
    json!({"change": "add-field", "source": column, "transform": transform, "name": name})
}

fn remove(name: &str) -> Json {
    json!({"change": "remove-field", "name": name})
}

fn rename(name: &str, new_name: &str) -> Json {
    json!({"change": "rename-field", "name": name, "new-name": new_name})
}

fn shown(fields: &[(i32, &str, &str)]) -> Vec<Shown> {
    fields.iter().map(|(id, name, transform)| (*id, (*name).to_owned(), (*transform).to_owned())).collect()
}

fn refused(document: &Json, changes: &Json, said: &str) {
    let error = evolve(document, changes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains(said), "{error}");
}

/// Two specs: an old one by day, whose fields are gone from the second.
fn two_specs(format_version: u8) -> Json {
    let specs = json!([
        {"spec-id": 0, "fields": [
            {"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000},
            {"name": "by", "transform": "day", "source-id": 4, "field-id": 1001}]},
        {"spec-id": 1, "fields": [{"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000}]}]);
    let document = with(with(v2(), "", "partition-specs", specs), "", "last-partition-id", json!(1001));
    let document = with(with(document, "", "default-spec-id", json!(1)), "", "next-row-id", json!(0));
    with(document, "", "format-version", json!(format_version))
}

#[test]
fn new_fields_have_names_as_in_iceberg_java_and_the_next_ids() {
    let changes =
        json!([add("key", "bucket[16]"), add("day", "month"), add("at", "hour"), add("key", "truncate[4]")]);
    let expected = [
        (1000, "id", "identity"),
        (1001, "key_bucket_16", "bucket[16]"),
        (1002, "day_month", "month"),
        (1003, "at_hour", "hour"),
        (1004, "key_trunc_4", "truncate[4]"),
    ];
    assert_eq!(evolve(&v2(), &changes).unwrap(), shown(&expected));
}

#[test]
fn from_v2_on_a_removed_field_goes_and_comes_back_with_its_id() {
    assert_eq!(evolve(&v2(), &json!([remove("id")])).unwrap(), shown(&[]));
    for version in [2, 3] {
        let document = two_specs(version);
        // By its old name where no other is given.
        let back = shown(&[(1000, "id", "identity"), (1001, "by", "day")]);
        assert_eq!(evolve(&document, &json!([add("at", "day")])).unwrap(), back);
        assert_eq!(evolve(&document, &json!([named("at", "day", "by")])).unwrap(), back);
        let other = shown(&[(1000, "id", "identity"), (1002, "other", "day")]);
        assert_eq!(evolve(&document, &json!([named("at", "day", "other")])).unwrap(), other);
    }
}

#[test]
fn ids_of_two_meanings_are_not_taken_again() {
    // As v1 numbers fields: 1001 is another column in another spec.
    let mut document = two_specs(2);
    let third = json!({"spec-id": 2, "fields": [
        {"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000},
        {"name": "d", "transform": "identity", "source-id": 2, "field-id": 1001}]});
    document["partition-specs"].as_array_mut().unwrap().push(third);
    let fields = evolve(&document, &json!([add("at", "day")])).unwrap();
    assert_eq!(fields[1], (1002, "at_day".to_owned(), "day".to_owned()));
}

#[test]
fn in_v1_a_removed_field_becomes_void() {
    let v1 = with(v2(), "", "format-version", json!(1));
    assert_eq!(evolve(&v1, &json!([remove("id")])).unwrap(), shown(&[(1000, "id", "void")]));
    // Another field of that name: the old one makes room.
    let changes = json!([remove("id"), named("at", "day", "id")]);
    let expected = shown(&[(1000, "id_1000", "void"), (1001, "id", "day")]);
    assert_eq!(evolve(&v1, &changes).unwrap(), expected);
    let mut voided = v1.clone();
    voided["partition-specs"][0]["fields"][0]["transform"] = json!("void");
    assert_eq!(evolve(&voided, &json!([named("at", "day", "id")])).unwrap(), expected);
    assert_eq!(evolve(&voided, &json!([add("key", "identity")])).unwrap()[1].1, "key");
}

#[test]
fn a_field_that_is_removed_and_added_stays() {
    let same = shown(&[(1000, "id", "identity")]);
    assert_eq!(evolve(&v2(), &json!([remove("id"), add("key", "identity")])).unwrap(), same);
    let renamed = shown(&[(1000, "k", "identity")]);
    assert_eq!(evolve(&v2(), &json!([remove("id"), named("key", "identity", "k")])).unwrap(), renamed);
    assert_eq!(evolve(&v2(), &json!([rename("id", "k")])).unwrap(), renamed);
    // As it was declared.
    assert_eq!(evolve(&two_specs(2), &json!([add("at", "day")])).unwrap().len(), 2);
    let by_term = json!([{"change": "remove-field", "name": "identity(key)"}]);
    assert_eq!(evolve(&v2(), &by_term).unwrap(), shown(&[]));
}

#[test]
fn changes_that_cannot_be_made_say_why() {
    for (changes, said) in [
        (json!([add("gone", "identity")]), "gone"),
        (json!([add("key", "identity")]), "already, by the partition field \"id\""),
        (json!([add("key", "day")]), "cannot be a source of day"),
        (json!([add("at", "day"), add("at", "hour")]), "redundant"),
        (json!([add("at", "day"), add("at", "day")]), "redundant"),
        (json!([named("at", "day", "id")]), "named \"id\" already"),
        (json!([named("at", "day", "key")]), "since a column is"),
        (json!([named("at", "day", "")]), "needs a name"),
        (
            json!([named("at", "day", "x"), named("day", "month", "x")]),
            "two partition fields are named \"x\"",
        ),
        (json!([remove("nothing")]), "its fields: \"id\""),
        (json!([rename("nothing", "x")]), "its fields: \"id\""),
        (json!([rename("id", "at")]), "since a column is"),
        (json!([rename("id", "x"), remove("id")]), "rename it to \"x\""),
        (json!([remove("id"), rename("id", "x")]), "the same changes remove it"),
        (json!([named("at", "day", "x"), remove("x")]), "the same changes add it"),
        (json!([named("at", "day", "x"), rename("id", "x")]), "two partition fields are named \"x\""),
        (json!([{"change": "explode"}]), "\"explode\" does not exist"),
        (json!([{"change": "remove-field"}]), "\"name\""),
        (json!(3), "list of changes"),
    ] {
        refused(&v2(), &changes, said);
    }
}

#[test]
fn a_field_of_an_unknown_transform_is_kept_renamed_and_removed() {
    let mut document = v2();
    document["partition-specs"][0]["fields"][0]["transform"] = json!("zorder");
    let kept = shown(&[(1000, "id", "zorder"), (1001, "at_day", "day")]);
    assert_eq!(evolve(&document, &json!([add("at", "day")])).unwrap(), kept);
    assert_eq!(evolve(&document, &json!([rename("id", "z")])).unwrap(), shown(&[(1000, "z", "zorder")]));
    assert_eq!(evolve(&document, &json!([remove("id")])).unwrap(), shown(&[]));
    document["format-version"] = json!(1);
    assert_eq!(evolve(&document, &json!([remove("id")])).unwrap(), shown(&[(1000, "id", "void")]));
    assert_eq!(evolve(&v2(), &json!([add("at", "zorder")])).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_field_of_several_columns_comes_and_goes_and_comes_back_with_its_id() {
    let several = |columns: Json, transform: &str| json!({"change": "add-field", "source": columns, "transform": transform});
    let both = several(json!(["key", "at"]), "zorder[4]");
    let document = two_specs(3);
    let expected = shown(&[(1000, "id", "identity"), (1002, "key_at_zorder_4", "zorder[4]")]);
    assert_eq!(evolve(&document, &json!([both])).unwrap(), expected);
    let error = evolve(&two_specs(2), &json!([both])).unwrap_err();
    assert!(error.message().contains("needs format version 3"), "{error}");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);

    let mut document = document;
    document["partition-specs"][0]["fields"][1] =
        json!({"name": "old", "transform": "zorder[4]", "source-ids": [1, 4], "field-id": 1001});
    let back = shown(&[(1000, "id", "identity"), (1001, "old", "zorder[4]")]);
    assert_eq!(evolve(&document, &json!([both])).unwrap(), back);
    // Another order of the columns, or another parameter, is another field.
    for other in [several(json!(["at", "key"]), "zorder[4]"), several(json!(["key", "at"]), "zorder[8]")] {
        assert_eq!(evolve(&document, &json!([other])).unwrap()[1].0, 1002);
    }
    refused(&document, &json!([both, both]), "of column \"key, at\" is redundant");
    refused(&document, &json!([several(json!(["key", "at"]), "day")]), "day takes one column");
}

#[test]
fn the_case_of_source_columns_counts_unless_it_is_said() {
    refused(&v2(), &json!([add("AT", "day")]), "AT");
    let changes = json!({"changes": [add("AT", "day")], "case-sensitive": false});
    let fields = parsed(&v2()).evolve_spec(&SpecChanges::from_json(&changes).unwrap()).unwrap();
    assert_eq!(fields[1].name, "at_day");
    assert!(SpecChanges::from_json(&json!({"changes": [], "case-sensitive": 3})).is_err());
}
