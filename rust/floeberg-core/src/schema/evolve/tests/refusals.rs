use serde_json::json;

use super::{ColumnUse, evolved_in, refusal};
use crate::error::ErrorKind;

#[test]
fn a_change_that_cannot_be_made_names_the_column() {
    for (change, said) in [
        (
            json!({"change": "add-column", "name": "id", "type": "int"}),
            "\"id\" cannot be added: it exists already",
        ),
        (
            json!({"change": "add-column", "parent": "points", "name": "x", "type": "int"}),
            "\"points.x\" cannot be added",
        ),
        (
            json!({"change": "add-column", "parent": "id", "name": "x", "type": "int"}),
            "not a struct but long",
        ),
        (
            json!({"change": "add-column", "parent": "props.key", "name": "z", "type": "int"}),
            "in the key of a map",
        ),
        (
            json!({"change": "add-column", "parent": "plce", "name": "z", "type": "int"}),
            "near matches: \"place\"",
        ),
        (json!({"change": "add-column", "name": "n", "type": "int", "required": true}), "give it a default"),
        (json!({"change": "add-column", "name": "n", "type": "int", "default": "x"}), "column: n"),
        (json!({"change": "add-column", "name": "n", "type": "interval"}), "does not know"),
        (json!({"change": "add-column", "name": "n", "type": "variant", "default": 1}), "no JSON form"),
        (json!({"change": "add-column", "name": "", "type": "int"}), "has no name"),
        (json!({"change": "delete-column", "name": "nope"}), "no column is named"),
        (
            json!({"change": "delete-column", "name": "id"}),
            "\"id\" cannot be dropped: it is an identifier field",
        ),
        (json!({"change": "delete-column", "name": "points.element"}), "drop that"),
        (json!({"change": "delete-column", "name": "props.key.x"}), "in the key of a map"),
        (
            json!({"change": "rename-column", "name": "id", "new-name": "ts"}),
            "two columns of a schema are named \"ts\"",
        ),
        (json!({"change": "rename-column", "name": "id", "new-name": ""}), "has no name"),
        (json!({"change": "rename-column", "name": "points.element", "new-name": "e"}), "cannot be renamed"),
        (json!({"change": "update-type", "name": "id", "type": "int"}), "does not allow this promotion"),
        (
            json!({"change": "update-type", "name": "ts", "type": "timestamptz"}),
            "does not allow this promotion",
        ),
        (json!({"change": "update-type", "name": "place", "type": "long"}), "only primitive types change"),
        (json!({"change": "update-type", "name": "props.key.x", "type": "long"}), "in the key of a map"),
        (json!({"change": "update-doc", "name": "points.element", "doc": "d"}), "cannot have a comment"),
        (json!({"change": "update-default", "name": "id", "default": "x"}), "column: id"),
        (
            json!({"change": "update-default", "name": "points.element", "default": 1}),
            "cannot have a default",
        ),
        (json!({"change": "require", "name": "ts"}), "\"ts\" cannot become required"),
        (json!({"change": "make-optional", "name": "id"}), "make it required"),
        (json!({"change": "move-first", "name": "points.element"}), "part of a list or map"),
        (json!({"change": "move-before", "name": "id", "before": "id"}), "beside itself"),
        (json!({"change": "move-after", "name": "id", "after": "place.x"}), "in another struct"),
        (json!({"change": "set-identifier-fields", "names": ["ts"]}), "make it required"),
        (json!({"change": "set-identifier-fields", "names": ["place.x"]}), "a struct above it may be null"),
        (json!({"change": "set-identifier-fields", "names": ["points.x"]}), "in a list or a map"),
    ] {
        let message = refusal(&json!([change]));
        assert!(message.contains(said), "{change}: {message}");
    }
    let all = json!([{"change": "delete-column", "name": "place.x"}, {"change": "delete-column", "name": "place.y"}]);
    assert!(refusal(&all).contains("the last of its struct"));
}

#[test]
fn a_renamed_column_is_still_in_the_way_of_its_old_name() {
    let changes = json!([
        {"change": "rename-column", "name": "ts", "new-name": "day"},
        {"change": "add-column", "name": "ts", "type": "int"},
    ]);
    assert!(refusal(&changes).contains("it exists already"));
}

#[test]
fn changes_of_v3_need_v3() {
    for change in [
        json!({"change": "update-type", "name": "ts", "type": "timestamp"}),
        json!({"change": "add-column", "name": "n", "type": "timestamp_ns"}),
        json!({"change": "add-column", "name": "n", "type": "int", "default": 1}),
        json!({"change": "update-default", "name": "id", "default": 1}),
    ] {
        let document = json!({ "changes": [change] });
        let error = evolved_in(2, Vec::new(), &document).unwrap_err();
        assert!(error.to_string().contains("needs format version 3"), "{error}");
        assert!(evolved_in(3, Vec::new(), &document).is_ok(), "{change}");
    }
}

#[test]
fn a_date_that_partitions_files_stays_a_date() {
    let uses = |is_current| {
        vec![ColumnUse {
            column: 2,
            what: "the partition field \"ts_day\"".to_owned(),
            is_partition: true,
            is_known: true,
            is_current,
        }]
    };
    let promote = json!({"changes": [{"change": "update-type", "name": "ts", "type": "timestamp"}]});
    for is_current in [true, false] {
        let error = evolved_in(3, uses(is_current), &promote).unwrap_err();
        assert!(error.to_string().contains("the partition field \"ts_day\" depends on it"), "{error}");
    }
    let sorted = vec![ColumnUse { is_partition: false, ..uses(true)[0].clone() }];
    assert!(evolved_in(3, sorted, &promote).is_ok());
    let widen = json!({"changes": [{"change": "update-type", "name": "place.x", "type": "long"}]});
    let used = ColumnUse { column: 6, ..uses(true)[0].clone() };
    assert!(evolved_in(3, vec![used.clone()], &widen).is_ok());
    // A transform that is not known may make other values of longs.
    for unknown in [
        vec![ColumnUse { is_known: false, ..used.clone() }],
        vec![used.clone(), ColumnUse { is_known: false, ..used.clone() }],
    ] {
        let error = evolved_in(3, unknown, &widen).unwrap_err();
        assert!(error.to_string().contains("its values may change"), "{error}");
    }
}

#[test]
fn a_column_that_new_files_are_partitioned_by_stays() {
    let used = |is_current| {
        let what = "the sort order".to_owned();
        vec![ColumnUse { column: 7, what, is_partition: false, is_known: true, is_current }]
    };
    for name in ["place.y", "place"] {
        let drop = json!({"changes": [{"change": "delete-column", "name": name}]});
        let error = evolved_in(2, used(true), &drop).unwrap_err();
        assert!(error.to_string().contains("the sort order depends on it"), "{error}");
        assert!(evolved_in(2, used(false), &drop).is_ok());
    }
}

#[test]
fn what_is_no_change_is_refused() {
    for wrong in [
        json!(7),
        json!({}),
        json!({"changes": {}}),
        json!({"changes": [7]}),
        json!({"changes": [{"change": "explode"}]}),
        json!({"changes": [{"change": "delete-column"}]}),
        json!({"changes": [{"change": "add-column", "name": "n"}]}),
        json!({"changes": [{"change": "add-column", "name": "n", "type": {"type": "set"}}]}),
        json!({"changes": [{"change": "add-column", "name": "n", "type": "int", "required": "yes"}]}),
        json!({"changes": [{"change": "update-doc", "name": "id", "doc": 7}]}),
        json!({"changes": [{"change": "set-identifier-fields", "names": [7]}]}),
        json!({"changes": [{"change": "union-by-name"}]}),
        json!({"changes": [], "case-sensitive": "no"}),
    ] {
        assert_eq!(evolved_in(3, Vec::new(), &wrong).unwrap_err().kind(), ErrorKind::InvalidInput, "{wrong}");
    }
}
