#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::{ViewMetadata, ViewRepresentation, ViewVersion};
use floeberg_iceberg::{OpenOptions, View};
use floeberg_io::StoreOptions;
use floeberg_io::location::file_name;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{NewVersion, NewView, ViewAttempt, ViewOperation, ViewUpdate, apply_to_view};
use floeberg_io::random::random_uuid;

fn schema(columns: &[&str]) -> Json {
    let fields: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(at, name)| json!({ "id": at + 1, "name": name, "required": false, "type": "long" }))
        .collect();
    json!({ "type": "struct", "schema-id": 0, "fields": fields })
}

fn version(columns: &[&str], statements: &[(&str, &str)]) -> NewVersion {
    let representations: Vec<_> = statements
        .iter()
        .map(|(dialect, sql)| json!({ "type": "sql", "sql": sql, "dialect": dialect }))
        .collect();
    let version = json!({
        "version-id": 0, "schema-id": 0, "timestamp-ms": 0, "summary": { "engine-name": "test" },
        "default-namespace": ["db"], "representations": representations
    });
    NewVersion::from_json(&schema(columns), version).unwrap()
}

fn spark(sql: &str) -> NewVersion {
    version(&["n"], &[("spark", sql)])
}

fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn replace(version: NewVersion) -> ViewOperation {
    let version = Box::new(version);
    ViewOperation::Replace { version, expected_version_id: None, properties: BTreeMap::new(), location: None }
}

fn set(entries: &[(&str, &str)]) -> ViewOperation {
    ViewOperation::UpdateProperties { updates: map(entries), removals: Vec::new() }
}

/// A catalog that is a variable.
struct Kit {
    view: Option<View>,
    location: String,
}

impl Kit {
    fn of(version: NewVersion, properties: &[(&str, &str)]) -> Self {
        let mut kit = Self { view: None, location: format!("memory://{}/v", random_uuid()) };
        let (location, properties) = (format!("{}/", kit.location), map(properties));
        kit.commit(&ViewOperation::Create(Box::new(NewView { version, location, properties })));
        kit
    }

    fn attempt(&self, operation: &ViewOperation) -> floeberg_core::Result<ViewAttempt> {
        operation.attempt(self.view.as_ref(), &StoreOptions::default())
    }

    fn commit(&mut self, operation: &ViewOperation) -> ViewAttempt {
        let attempt = self.attempt(operation).unwrap();
        let location = attempt.new_metadata_location().unwrap();
        attempt.write_metadata(&location).unwrap();
        let view = attempt.view(&location);
        let read = View::open_at(&location, OpenOptions::default()).unwrap();
        assert_eq!(read.metadata(), view.metadata(), "what was written is what is read");
        self.view = Some(view);
        attempt
    }

    fn metadata(&self) -> &ViewMetadata {
        self.view.as_ref().unwrap().metadata()
    }

    fn refused(&self, operation: &ViewOperation) -> (ErrorKind, String) {
        let error = self.attempt(operation).unwrap_err();
        (error.kind(), error.message().to_owned())
    }

    fn versions(&self) -> Vec<i32> {
        self.metadata().versions.iter().map(|version| version.version_id).collect()
    }

    fn log(&self) -> Vec<i32> {
        self.metadata().version_log.iter().map(|entry| entry.version_id).collect()
    }

    fn schemas(&self) -> Vec<i32> {
        self.metadata().schemas.iter().map(|schema| schema.schema_id()).collect()
    }
}

#[test]
fn a_new_view_is_what_the_specification_says() {
    let mut kit = Kit { view: None, location: "memory://new/v".to_owned() };
    let view = NewView {
        version: spark("SELECT 1"),
        location: kit.location.clone(),
        properties: map(&[("comment", "c")]),
    };
    let attempt = kit.commit(&ViewOperation::Create(Box::new(view)));
    assert_eq!(attempt.requirements_json(), json!([]));
    let now = kit.metadata().versions[0].timestamp_ms;
    let schema = json!({ "type": "struct", "schema-id": 0, "fields": [{ "id": 1, "name": "n", "required": false, "type": "long" }] });
    let version = json!({
        "version-id": 1, "timestamp-ms": now, "schema-id": 0, "summary": { "engine-name": "test" },
        "default-namespace": ["db"],
        "representations": [{ "type": "sql", "sql": "SELECT 1", "dialect": "spark" }]
    });
    let uuid = kit.metadata().view_uuid.clone();
    assert_eq!(
        kit.metadata().to_json().unwrap(),
        json!({
            "view-uuid": uuid, "format-version": 1, "location": "memory://new/v", "schemas": [schema],
            "current-version-id": 1, "versions": [version],
            "version-log": [{ "timestamp-ms": now, "version-id": 1 }], "properties": { "comment": "c" }
        })
    );
    let mut added = version;
    added["schema-id"] = json!(-1);
    assert_eq!(
        attempt.updates_json().unwrap(),
        json!([
            { "action": "assign-uuid", "uuid": uuid },
            { "action": "upgrade-format-version", "format-version": 1 },
            { "action": "set-location", "location": "memory://new/v" },
            { "action": "set-properties", "updates": { "comment": "c" } },
            { "action": "add-schema", "schema": schema },
            { "action": "add-view-version", "view-version": added },
            { "action": "set-current-view-version", "view-version-id": -1 }
        ])
    );
}

#[test]
fn metadata_files_are_named_as_by_java() {
    let name = |location: &str| file_name(location).unwrap().to_owned();
    let mut kit = Kit::of(spark("SELECT 1"), &[]);
    let location = kit.view.as_ref().unwrap().metadata_location().to_owned();
    assert!(location.starts_with(&format!("{}/metadata/00000-", kit.location)), "{location}");
    assert!(location.ends_with(".gz.metadata.json"), "{location}");
    kit.commit(&set(&[
        ("write.metadata.compression-codec", "none"),
        ("write.metadata.path", "memory://else/"),
    ]));
    let location = kit.view.as_ref().unwrap().metadata_location().to_owned();
    assert!(location.starts_with("memory://else/00001-"), "{location}");
    assert!(location.ends_with(".metadata.json") && !location.contains(".gz."), "{location}");
    let attempt = kit.attempt(&set(&[("a", "b")])).unwrap();
    let (one, other) = (attempt.new_metadata_location().unwrap(), attempt.new_metadata_location().unwrap());
    assert_ne!(one, other);
    assert!(name(&one).starts_with("00002-"), "{one}");
    // A name of another program has no version.
    let metadata = std::sync::Arc::clone(kit.view.as_ref().unwrap().metadata());
    let strange =
        View::written(metadata, "memory://else/v7.metadata.json".to_owned(), OpenOptions::default());
    let attempt = set(&[("a", "b")]).attempt(Some(&strange), &StoreOptions::default()).unwrap();
    assert!(name(&attempt.new_metadata_location().unwrap()).starts_with("00000-"));
}

#[test]
fn equal_versions_and_schemas_keep_their_ids() {
    let mut kit = Kit::of(spark("SELECT 1"), &[]);
    let again = kit.attempt(&replace(spark("SELECT 1"))).unwrap();
    assert!(!again.changes());
    assert_eq!(again.metadata().as_ref(), kit.metadata());
    kit.commit(&replace(version(&["n", "m"], &[("spark", "SELECT 1, 2")])));
    assert_eq!((kit.versions(), kit.schemas(), kit.log()), (vec![1, 2], vec![0, 1], vec![1, 2]));
    let before = kit.metadata().versions[0].clone();
    let attempt = kit.commit(&replace(spark("SELECT 1")));
    assert_eq!(attempt.updates(), [ViewUpdate::SetCurrentViewVersion(1)]);
    assert_eq!((kit.versions(), kit.schemas(), kit.log()), (vec![1, 2], vec![0, 1], vec![1, 2, 1]));
    assert_eq!(kit.metadata().current_version(), &before, "a version never changes");
    assert!(kit.metadata().version_log[2].timestamp_ms >= kit.metadata().version_log[1].timestamp_ms);
    // Another order of the columns is another schema, and the same text under it another version.
    kit.commit(&replace(version(&["m"], &[("spark", "SELECT 1")])));
    assert_eq!((kit.versions(), kit.schemas()), (vec![1, 2, 3], vec![0, 1, 2]));
}

#[test]
fn a_schema_of_the_view_itself_keeps_its_field_ids() {
    let mut kit = Kit::of(spark("SELECT 1"), &[]);
    let mut document = kit.metadata().to_json().unwrap();
    // Spark counts from 0.
    document["schemas"][0]["fields"][0]["id"] = json!(0);
    let location = kit.view.as_ref().unwrap().metadata_location().to_owned();
    let metadata =
        floeberg_iceberg::metadata::parse_view_metadata(document.to_string().as_bytes(), &location).unwrap();
    kit.view = Some(View::written(metadata.into(), location, OpenOptions::default()));
    let own = &document["schemas"][0];
    let statement = json!({
        "version-id": 0, "schema-id": 0, "timestamp-ms": 0, "summary": {}, "default-namespace": ["db"],
        "representations": [{ "type": "sql", "sql": "SELECT 2", "dialect": "spark" }]
    });
    kit.commit(&replace(NewVersion::from_json(own, statement).unwrap()));
    assert_eq!((kit.versions(), kit.schemas()), (vec![1, 2], vec![0]));
    kit.commit(&replace(version(&["n"], &[("spark", "SELECT 3")])));
    assert_eq!(kit.schemas(), [0, 1], "a new schema has ids from 1");
}

#[test]
fn a_dialect_is_lost_only_where_that_is_allowed() {
    let both = |sql: &str| version(&["n"], &[("Spark", sql), ("trino", sql)]);
    let mut kit = Kit::of(both("SELECT 1"), &[]);
    let (kind, message) = kit.refused(&replace(version(&["n"], &[("SPARK", "SELECT 2")])));
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(
        message.contains("lose the dialects trino") && message.contains("replace.drop-dialect.allowed"),
        "{message}"
    );
    kit.commit(&replace(version(
        &["n"],
        &[("spark", "SELECT 2"), ("TRINO", "SELECT 2"), ("duckdb", "SELECT 2")],
    )));
    kit.commit(&set(&[("replace.drop-dialect.allowed", "true")]));
    kit.commit(&replace(spark("SELECT 3")));
    assert_eq!(kit.metadata().current_version().dialects().len(), 1);
    kit.commit(&set(&[("replace.drop-dialect.allowed", "false")]));
    let properties = map(&[("replace.drop-dialect.allowed", "true")]);
    let version = Box::new(version(&["n"], &[("trino", "SELECT 4")]));
    // The property may come with the version.
    kit.commit(&ViewOperation::Replace { version, expected_version_id: Some(3), properties, location: None });
}

#[test]
fn versions_without_a_statement_or_with_two_of_one_dialect_are_refused() {
    let refused = |representations: Json| {
        let version = json!({
            "version-id": 0, "schema-id": 0, "timestamp-ms": 0, "summary": {}, "default-namespace": [],
            "representations": representations
        });
        let error = NewVersion::from_json(&schema(&["n"]), version).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        error.message().to_owned()
    };
    assert!(refused(json!([])).contains("needs a statement"));
    assert!(refused(json!([{ "type": "sql", "sql": " ", "dialect": "spark" }])).contains("is empty"));
    assert!(
        refused(json!([{ "type": "sql", "sql": "SELECT 1", "dialect": "" }])).contains("cannot be empty")
    );
    let twice = json!([
        { "type": "sql", "sql": "SELECT 1", "dialect": "spark" },
        { "type": "sql", "sql": "SELECT 2", "dialect": "SPARK" }
    ]);
    assert!(refused(twice).contains("one SQL text a dialect"));
}

#[test]
fn old_versions_go_and_the_log_before_them() {
    let mut kit = Kit::of(spark("SELECT 1"), &[("version.history.num-entries", "3")]);
    for sql in ["SELECT 2", "SELECT 3", "SELECT 1", "SELECT 4"] {
        kit.commit(&replace(spark(sql)));
    }
    assert_eq!((kit.versions(), kit.log()), (vec![2, 3, 4], vec![4]), "the log named version 1 after 3");
    kit.commit(&replace(spark("SELECT 2")));
    // The current version stays, however old it is.
    kit.commit(&set(&[("version.history.num-entries", "1")]));
    assert_eq!((kit.versions(), kit.log()), (vec![2], vec![2]));
    kit.commit(&replace(spark("SELECT 5")));
    assert_eq!(kit.versions(), [3], "an id is one more than the highest that is kept");
    for text in ["0", "-1", "many"] {
        let error = kit.attempt(&set(&[("version.history.num-entries", text)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("version.history.num-entries"), "{error}");
    }
}

#[test]
fn properties_replay_on_any_version_and_a_replacement_only_on_its_own() {
    let mut kit = Kit::of(spark("SELECT 1"), &[("a", "1"), ("b", "2")]);
    let version = Box::new(spark("SELECT 2"));
    let mine = ViewOperation::Replace {
        version,
        expected_version_id: Some(1),
        properties: BTreeMap::new(),
        location: None,
    };
    kit.commit(&ViewOperation::UpdateProperties {
        updates: map(&[("a", "3")]),
        removals: vec!["b".to_owned(), "none".to_owned()],
    });
    assert_eq!(kit.metadata().properties, map(&[("a", "3")]));
    assert!(kit.attempt(&mine).is_ok());
    kit.commit(&replace(spark("SELECT 3")));
    let (kind, message) = kit.refused(&mine);
    assert_eq!(kind, ErrorKind::CommitConflict);
    assert!(message.contains("expected the current version 1, found 2"), "{message}");
    assert!(!kit.attempt(&set(&[("a", "3")])).unwrap().changes());
    let nobody = mine.attempt(None, &StoreOptions::default()).unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::CommitConflict);
}

#[test]
fn a_commit_belongs_to_one_view() {
    let kit = Kit::of(spark("SELECT 1"), &[]);
    let attempt = kit.attempt(&set(&[("a", "1")])).unwrap();
    let uuid = &kit.metadata().view_uuid;
    assert_eq!(attempt.requirements_json(), json!([{ "type": "assert-view-uuid", "uuid": uuid }]));
    let other = Kit::of(spark("SELECT 1"), &[]);
    for base in [None, Some(other.metadata())] {
        let error = apply_to_view(base, attempt.requirements(), attempt.updates(), 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CommitConflict, "{error}");
    }
    let (kind, _) = other.refused(&ViewOperation::Create(Box::new(NewView {
        version: spark("SELECT 1"),
        location: "memory://x".to_owned(),
        properties: BTreeMap::new(),
    })));
    assert_eq!(kind, ErrorKind::AlreadyExists);
    let renamed = [ViewUpdate::AssignUuid("other".to_owned())];
    assert!(apply_to_view(Some(kit.metadata()), &[], &renamed, 0).is_err());
    for wrong in [ViewUpdate::SetCurrentViewVersion(9), ViewUpdate::UpgradeFormatVersion(2)] {
        assert!(apply_to_view(Some(kit.metadata()), &[], &[wrong], 0).is_err());
    }
    assert!(apply_to_view(None, &[], &[], 0).unwrap_err().message().contains("needs a uuid"));
}

#[test]
fn what_is_not_known_survives_a_commit() {
    let mut kit = Kit::of(spark("SELECT 1"), &[]);
    let mut document = kit.metadata().to_json().unwrap();
    document["later"] = json!([1, { "a": null }]);
    document["versions"][0]["later"] = json!("x");
    document["version-log"][0]["later"] = json!(true);
    document["versions"][0]["representations"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "type": "plan", "bytes": "AA" }));
    let location = kit.view.as_ref().unwrap().metadata_location().to_owned();
    let metadata =
        floeberg_iceberg::metadata::parse_view_metadata(document.to_string().as_bytes(), &location).unwrap();
    kit.view = Some(View::written(metadata.into(), location, OpenOptions::default()));
    kit.commit(&set(&[("a", "1")]));
    document["properties"] = json!({ "a": "1" });
    assert_eq!(kit.metadata().to_json().unwrap(), document);
}

#[test]
fn the_time_of_a_view_never_goes_back() {
    let kit = Kit::of(spark("SELECT 1"), &[]);
    let last = kit.metadata().version_log[0].timestamp_ms;
    let attempt = kit.attempt(&replace(spark("SELECT 2"))).unwrap();
    let after = apply_to_view(Some(kit.metadata()), &[], attempt.updates(), 5).unwrap();
    assert!(after.version_log[1].timestamp_ms >= last);
    let back = [ViewUpdate::SetCurrentViewVersion(1)];
    let after = apply_to_view(Some(&after), &[], &back, 5).unwrap();
    assert!(after.version_log[2].timestamp_ms >= after.version_log[1].timestamp_ms);
}

fn sql_of<'a>(version: &'a ViewVersion, wanted: &str) -> Option<&'a str> {
    version.representations.iter().find_map(|representation| match representation {
        ViewRepresentation::Sql { sql, dialect, .. } => (dialect == wanted).then_some(sql.as_str()),
        ViewRepresentation::Unknown(_) => None,
    })
}

proptest! {
    /// Whatever is replaced by whatever: ids are unique, what is current is there, the log ends with it, and no more versions
    /// are kept than were asked for.
    #[test]
    fn any_history_is_consistent(keep in 1usize..4, texts in proptest::collection::vec(0u8..6, 1..20)) {
        let mut kit = Kit::of(spark("SELECT 0"), &[("version.history.num-entries", &keep.to_string())]);
        for text in texts {
            let sql = format!("SELECT {text}");
            kit.commit(&replace(spark(&sql)));
            let metadata = kit.metadata();
            prop_assert_eq!(sql_of(metadata.current_version(), "spark"), Some(sql.as_str()));
            prop_assert!(metadata.versions.len() <= keep);
            prop_assert_eq!(metadata.version_log.last().unwrap().version_id, metadata.current_version_id);
            let log = &metadata.version_log;
            prop_assert!(log.iter().all(|entry| metadata.version(entry.version_id).is_some()));
            prop_assert!(log.windows(2).all(|pair| pair[0].timestamp_ms <= pair[1].timestamp_ms));
        }
    }
}
