//! What others changed of columns, specs and branches since an operation began.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{ErrorKind, Result};
use floeberg_iceberg::metadata::{PartitionSpec, RefKind};
use floeberg_iceberg::write::{Purpose, WrittenFile};
use serde_json::{Value as Json, json};

use super::kit::{Kit, append, create_ref, delete, file, overwrite, receipt, remove_branch};
use crate::{Commit, CommitRequest, Operation, Previous, Update, apply};

fn update(changes: &Json) -> Operation {
    Operation::UpdateSchema(json!({ "changes": changes, "allow-incompatible": true }))
}

fn change(change: &str, name: &str, more: &Json) -> Json {
    let mut object = json!({ "change": change, "name": name });
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

fn rename(name: &str, new_name: &str) -> Json {
    change("rename-column", name, &json!({ "new-name": new_name }))
}

/// What is there after an operation that began before another commit.
fn after(kit: &mut Kit, slow: Operation, fast: Vec<Operation>) -> Result<Vec<String>> {
    let commit = kit.begin(vec![slow], "slow");
    for operation in fast {
        kit.commit(vec![operation]);
    }
    let attempt = kit.attempt(&commit).inspect_err(|_| drop(commit.abandon()))?;
    kit.take(&attempt);
    commit.finished(&attempt);
    assert_eq!(kit.files(), kit.needed());
    Ok(kit.live_paths())
}

fn conflict(kit: &mut Kit, slow: Operation, fast: Vec<Operation>) -> String {
    let error = after(kit, slow, fast).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false), "{error}");
    assert_eq!(kit.files(), kit.needed());
    error.to_string()
}

/// Files with ids from 0 to 9 and from 100 to 109, and columns `n`, an int, and `f`, a float.
fn two_files() -> Kit {
    let mut kit = Kit::partitioned(3, &[]);
    kit.commit(vec![update(&json!([
        change("add-column", "n", &json!({ "type": "int" })),
        change("add-column", "f", &json!({ "type": "float" })),
    ]))]);
    let files = vec![file("low", "x", (0, 9)), file("high", "x", (100, 109))];
    kit.commit(vec![Operation::Append { receipt: receipt(files), merge: None }]);
    kit
}

/// The name `id` becomes that of a new column.
fn id_is_another() -> Vec<Operation> {
    vec![
        update(&json!([rename("id", "key")])),
        update(&json!([change("add-column", "id", &json!({ "type": "long" }))])),
    ]
}

#[test]
fn a_filter_means_the_columns_that_had_its_names_when_it_was_made() {
    assert_eq!(after(&mut two_files(), delete("id < 50"), id_is_another()).unwrap(), ["high"]);
    let slow = overwrite(vec![file("new", "y", (0, 1))], "id < 50");
    assert_eq!(after(&mut two_files(), slow, id_is_another()).unwrap(), ["high", "new"]);
    let wider = vec![update(&json!([change("update-type", "n", &json!({ "type": "long" }))]))];
    assert_eq!(after(&mut two_files(), delete("day = 'x' OR n = 5"), wider).unwrap(), [""; 0]);
    // An operation of the same commit may have given the name.
    let mut kit = two_files();
    let commit = kit.begin(vec![update(&json!([rename("id", "key")])), delete("key < 50")], "slow");
    kit.commit(vec![update(&json!([rename("n", "m")]))]);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!(kit.live_paths(), ["high"]);
}

#[test]
fn columns_that_a_commit_adds_itself_are_found_by_their_names() {
    let mut kit = two_files();
    let add = |name: &str| update(&json!([change("add-column", name, &json!({ "type": "long" }))]));
    let mine = vec![add("mine"), update(&json!([rename("mine", "own")])), delete("own = 5 OR id < 50")];
    let commit = kit.begin(mine, "slow");
    // Their column has the id that mine would have had.
    kit.commit(vec![add("theirs")]);
    let told = kit.attempt(&commit).unwrap_err().to_string();
    // The file is looked into by that filter. No test has written it.
    assert!(told.contains("does not exist") && told.contains("high"), "{told}");
    assert!(!told.contains("theirs"), "{told}");
}

#[test]
fn a_filter_whose_column_is_gone_or_of_another_type_is_a_conflict() {
    let gone = vec![update(&json!([change("delete-column", "n", &json!({}))]))];
    assert!(conflict(&mut two_files(), delete("day = 'x' OR n = 5"), gone).contains("\"n\" was dropped"));
    let wider = vec![update(&json!([change("update-type", "f", &json!({ "type": "double" }))]))];
    let told = conflict(&mut two_files(), delete("day = 'x' OR f = 0.1"), wider);
    assert!(told.contains("was of type float and is of type double"), "{told}");
}

#[test]
fn changes_of_columns_mean_those_that_had_the_names_when_they_were_made() {
    for slow in [
        json!([rename("id", "other")]),
        json!([change("require", "id", &json!({}))]),
        json!([change("move-first", "id", &json!({}))]),
        json!([change("require", "id", &json!({})), { "change": "set-identifier-fields", "names": ["id"] }]),
        json!([change("move-after", "day", &json!({ "after": "id" }))]),
    ] {
        let told = conflict(&mut two_files(), update(&slow), id_is_another());
        assert!(told.contains("means another column now"), "{slow}: {told}");
    }
    let mut kit = two_files();
    after(&mut kit, update(&json!([rename("n", "m")])), id_is_another()).unwrap();
    assert_eq!(kit.metadata().current_schema().find("m", true).unwrap(), 3);
}

/// A file as a writer of the table as it is gives it.
fn of(kit: &Kit, written: WrittenFile) -> WrittenFile {
    let metadata = kit.metadata();
    let purpose = Purpose {
        table_uuid: metadata.table_uuid.clone(),
        location: metadata.location.clone(),
        schema: Arc::clone(metadata.current_schema()),
        spec: Arc::clone(metadata.default_spec()),
    };
    WrittenFile { purpose: Some(Arc::new(purpose)), ..written }
}

fn add(files: Vec<WrittenFile>) -> Operation {
    Operation::Append { receipt: receipt(files), merge: None }
}

#[test]
fn files_of_another_table_are_refused() {
    let (other, mut kit) = (two_files(), two_files());
    let error = kit.refused(add(vec![of(&other, file("new", "x", (0, 1)))]));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("written for another table"), "{error}");
    let mut nameless = of(&other, file("new", "x", (0, 1)));
    let purpose = Purpose { table_uuid: None, ..Purpose::clone(nameless.purpose.as_ref().unwrap()) };
    nameless.purpose = Some(Arc::new(purpose.clone()));
    let error = kit.refused(add(vec![nameless.clone()]));
    assert!(error.to_string().contains(&kit.location), "{error}");
    nameless.purpose = Some(Arc::new(Purpose { location: kit.location.clone(), ..purpose }));
    kit.commit(vec![add(vec![nameless])]);
}

#[test]
fn files_of_a_spec_that_is_another_are_a_conflict() {
    let mut kit = two_files();
    let mut written = of(&kit, file("new", "x", (0, 1)));
    let purpose = written.purpose.clone().unwrap();
    let spec = PartitionSpec { fields: Vec::new(), ..PartitionSpec::clone(&purpose.spec) };
    written.purpose = Some(Arc::new(Purpose { spec: Arc::new(spec), ..Purpose::clone(&purpose) }));
    let error = kit.refused(add(vec![written]));
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("spec 0 was changed or removed"), "{error}");
}

fn required(name: &str) -> Vec<Operation> {
    vec![update(&json!([change("require", name, &json!({}))]))]
}

#[test]
fn nulls_in_a_column_that_became_required_are_a_conflict() {
    let with_nulls = |nulls: Option<i64>| {
        let mut written = file("new", "x", (0, 1));
        written.file.null_value_counts =
            nulls.map(|nulls| BTreeMap::from([(1, nulls), (2, 0), (3, 10), (4, 10)]));
        written
    };
    for (nulls, expected) in [(Some(0), None), (Some(1), Some("\"id\"")), (None, Some("\"id\""))] {
        let mut kit = two_files();
        let slow = add(vec![of(&kit, with_nulls(Some(0))), {
            let mut second = of(&kit, with_nulls(nulls));
            second.file.file_path = "second".to_owned();
            second
        }]);
        match expected {
            None => assert_eq!(after(&mut kit, slow, required("id")).unwrap().len(), 4),
            Some(column) => {
                let told = conflict(&mut kit, slow, required("id"));
                assert!(told.contains(column) && told.contains("file_path: second"), "{told}");
            }
        }
    }
    let mut kit = two_files();
    let mut empty = with_nulls(None);
    empty.file.record_count = 0;
    let slow = add(vec![of(&kit, empty)]);
    assert_eq!(after(&mut kit, slow, required("id")).unwrap().len(), 3, "no row has a null");
}

#[test]
fn files_stand_only_with_columns_that_read_as_they_were_written() {
    let table = [
        (json!([change("update-type", "n", &json!({ "type": "long" }))]), None),
        (json!([rename("n", "m")]), None),
        (json!([change("delete-column", "n", &json!({}))]), None),
        (json!([change("add-column", "m", &json!({ "type": "int" }))]), None),
        (json!([change("add-column", "m", &json!({ "type": "int", "required": true, "default": 5 }))]), None),
        (
            json!([change("add-column", "m", &json!({ "type": "int", "required": true }))]),
            Some("\"m\" is new and required"),
        ),
        (
            json!([
                change("delete-column", "n", &json!({})),
                change("add-column", "n", &json!({ "type": "string" })),
            ]),
            Some("\"n\" was dropped, and another column has its name"),
        ),
    ];
    for (changes, expected) in table {
        let mut kit = two_files();
        let slow = add(vec![of(&kit, file("new", "x", (0, 1)))]);
        match expected {
            None => assert_eq!(after(&mut kit, slow, vec![update(&changes)]).unwrap().len(), 3),
            Some(part) => {
                let told = conflict(&mut kit, slow, vec![update(&changes)]);
                assert!(told.contains(part), "{changes}: {told}");
            }
        }
    }
}

#[test]
fn files_with_a_column_that_the_table_never_had_are_a_conflict() {
    let (mut kit, mut ahead) = (two_files(), two_files());
    ahead.commit(vec![update(&json!([change("add-column", "m", &json!({ "type": "int" }))]))]);
    let mut written = of(&ahead, file("new", "x", (0, 1)));
    let purpose = Purpose::clone(written.purpose.as_ref().unwrap());
    let table_uuid = kit.metadata().table_uuid.clone();
    written.purpose = Some(Arc::new(Purpose { table_uuid, ..purpose }));
    let slow = add(vec![written]);
    let theirs = vec![update(&json!([change("add-column", "theirs", &json!({ "type": "int" }))]))];
    let told = conflict(&mut kit, slow, theirs);
    assert!(told.contains("\"m\" has another field id now"), "{told}");
}

#[test]
fn a_dynamic_overwrite_conflicts_with_another_partitioning() {
    let mut kit = two_files();
    let slow =
        Operation::DynamicOverwrite { receipt: receipt(vec![file("n", "x", (0, 1))]), isolation: None };
    let commit = kit.begin(vec![slow], "slow");
    let table = kit.table.clone().unwrap();
    let previous = Previous { metadata: table.metadata(), metadata_location: table.metadata_location() };
    let spec = PartitionSpec { spec_id: 1, fields: Vec::new(), unknown_keys: serde_json::Map::new() };
    let updates = [Update::AddSpec(Arc::new(spec)), Update::SetDefaultSpec(1)];
    let metadata = apply(Some(previous), &[], &updates, 5).unwrap();
    kit.table = Some(table.moved_on(Arc::new(metadata), "memory://x/v9.metadata.json".to_owned()).unwrap());
    let error = kit.attempt(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("changed the partition spec"), "{error}");
}

#[test]
fn a_branch_that_was_removed_is_not_made_again_by_who_wrote_to_it() {
    let mut kit = two_files();
    let head = kit.metadata().current_snapshot_id.unwrap();
    kit.commit(vec![create_ref("audit", head, RefKind::Branch)]);
    let on_audit =
        |kit: &Kit| CommitRequest { branch: "audit".to_owned(), ..kit.request(vec![append("a", "x")]) };
    let commit = Commit::begin(on_audit(&kit)).unwrap();
    kit.commit(vec![remove_branch("audit")]);
    let error = kit.attempt(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommitConflict);
    assert!(error.to_string().contains("branch: audit"), "{error}");
    let attempt = kit.attempt(&Commit::begin(on_audit(&kit)).unwrap()).unwrap();
    assert!(attempt.metadata().refs.contains_key("audit"), "who sees that there is none makes one");
}
