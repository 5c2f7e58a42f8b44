//! Versions, tags, schemas, fragments, settings.

use corpus::{LanceCase, lance_cases};
use floeberg_lance::wire::DeletionFileType;
use floeberg_lance::{Checkout, Table};
use serde_json::{Value as Json, json};

use super::arrow_names::name;
use super::rows::live;
use super::{open, versions};

fn schema(table: &Table) -> Json {
    let schema = table.schema().to_arrow().unwrap();
    schema
        .fields()
        .iter()
        .map(|field| json!([field.name(), name(field.data_type()), field.is_nullable()]))
        .collect()
}

/// Every field, with the dotted name that pylance gives it or its own.
fn fields(table: &Table) -> Json {
    table
        .manifest()
        .head
        .fields
        .iter()
        .map(|field| json!({"id": field.id, "parent": field.parent_id, "name": field.name}))
        .collect()
}

fn fragments(table: &Table) -> Json {
    let fragments = &table.manifest().fragments;
    let one = |place: usize| {
        let deletion = fragments.deletion_file(place).unwrap().map(|file| {
            json!({
                "read_version": file.read_version,
                "id": file.id,
                "file_type": if file.file_type == DeletionFileType::Arrow { "array" } else { "bitmap" },
                "num_deleted_rows": file.num_deleted_rows,
                "base_id": file.base_id,
            })
        });
        let files: Json = fragments
            .files(place)
            .map(|file| {
                let mut told = json!({
                    "path": file.path,
                    "fields": file.layout.fields,
                    "column_indices": file.layout.column_indices,
                    "file_version": [file.layout.major, file.layout.minor],
                });
                if let Some(base) = file.base_id {
                    told["base_id"] = base.into();
                }
                told
            })
            .collect();
        let (rows, deleted) = (fragments.physical_rows()[place], fragments.deleted_rows(place));
        json!({
            "id": fragments.ids()[place],
            "physical_rows": rows,
            "num_deletions": deleted,
            "num_rows": rows - deleted,
            "deletion_file": deletion,
            "files": files,
        })
    };
    (0..fragments.len()).map(one).collect()
}

fn is_as_expected(case: &LanceCase, table: &Table, expected: &Json) {
    let what = format!("{} version {}", case.name, table.version());
    assert_eq!(schema(table), expected["schema"], "{what}");
    assert_eq!(fields(table), expected["fields"], "{what}");
    assert_eq!(fragments(table), expected["fragments"], "{what}");
    assert_eq!(Json::from(table.count().unwrap()), expected["row_count"], "{what}");
    let most = table.schema().all().iter().map(|field| field.id).max();
    assert_eq!(json!(most), expected["max_field_id"], "{what}");
    table.schema().to_core().unwrap();
}

#[test]
fn every_version_has_the_schema_the_fragments_and_the_rows_that_pylance_sees() {
    let mut count = 0;
    for case in lance_cases() {
        for (table, expected) in versions(&case) {
            is_as_expected(&case, &table, expected);
            count += 1;
        }
        let newest = open(&case, Checkout::default());
        assert_eq!(Json::from(newest.version()), case.expected["version"], "{}", case.name);
        is_as_expected(&case, &newest, &case.expected);
        assert_eq!(newest.plan().unwrap().to_arrow().unwrap().num_rows(), newest.manifest().fragments.len());
    }
    assert!(count >= 88, "{count}");
}

#[test]
fn files_of_a_plan_are_there() {
    for case in lance_cases() {
        for (table, _) in versions(&case) {
            files_are_there(&table);
        }
    }
}

fn files_are_there(table: &Table) {
    for task in table.plan().unwrap().split(1 << 20) {
        let task = task.unwrap();
        for file in &task.files {
            let size = std::fs::metadata(&file.location)
                .unwrap_or_else(|error| panic!("{}: {error}", file.location))
                .len();
            assert!(file.size_bytes == 0 || file.size_bytes == size, "{}", file.location);
        }
        let deletion = task.deletion_file.map(|(_, location)| location);
        assert!(deletion.is_none_or(|location| std::path::Path::new(&location).is_file()));
    }
}

#[test]
fn settings_and_metadata_are_those_that_pylance_sees() {
    for case in lance_cases() {
        let table = open(&case, Checkout::default());
        let head = &table.manifest().head;
        let texts = |map: &[(String, String)]| -> Json {
            map.iter().map(|(key, value)| (key.clone(), json!(value))).collect()
        };
        assert_eq!(texts(&head.config), case.expected["config"], "{}", case.name);
        assert_eq!(texts(&head.table_metadata), case.expected["table_metadata"], "{}", case.name);
        assert_eq!(texts(table.schema().metadata()), case.expected["schema_metadata"], "{}", case.name);
        assert_eq!(
            json!(head.data_format.as_ref().unwrap().version),
            case.expected["data_storage_version"],
            "{}",
            case.name
        );
        assert_eq!(
            json!(head.reader_feature_flags & 2 != 0),
            case.expected["stable_row_ids"],
            "{}",
            case.name
        );
        let names = table.schema().all().into_iter().map(|field| (field.id, field.name.clone()));
        let names: std::collections::HashMap<_, _> = names.collect();
        let indices = table.indices().unwrap();
        let found: Vec<Json> = indices
            .iter()
            .map(|index| json!([index.name, index.fields.iter().map(|id| &names[id]).collect::<Vec<_>>()]))
            .collect();
        let expected = case.expected["indices"].as_array().unwrap();
        let expected: Vec<Json> =
            expected.iter().map(|index| json!([index["name"], index["fields"]])).collect();
        assert_eq!(found, expected, "{}", case.name);
    }
}

#[test]
fn versions_are_listed_and_found_by_their_moments() {
    for case in lance_cases() {
        let newest = open(&case, Checkout::default());
        let listed = newest.versions().unwrap();
        let names: std::collections::BTreeSet<_> =
            listed.iter().map(|listed| listed.scheme.file_name(listed.version)).collect();
        let expected = case.expected["manifests"].as_array().unwrap();
        let expected: std::collections::BTreeSet<_> = expected
            .iter()
            .filter_map(Json::as_str)
            .filter(|name| name.ends_with(".manifest"))
            .map(str::to_owned)
            .collect();
        assert_eq!(names, expected, "{}", case.name);
        for version in listed {
            let head = newest.version_head(version).unwrap();
            let as_of = head.timestamp_micros();
            let found = open(&case, Checkout { as_of, ..Checkout::default() });
            assert_eq!(found.version(), version.version, "{}", case.name);
        }
        assert!(newest.transaction().unwrap().is_some(), "{}", case.name);
    }
}

#[test]
fn tags_name_the_versions_that_pylance_says() {
    let mut tags = 0;
    for case in lance_cases() {
        let table = open(&case, Checkout::default());
        let found: Vec<_> = table.tags().unwrap().into_iter().map(|tag| (tag.name, tag.version)).collect();
        let expected = case.expected["tags"].as_object().unwrap();
        assert_eq!(found.len(), expected.len(), "{}", case.name);
        for (name, version) in found {
            let told = expected[&name].as_u64().or_else(|| expected[&name]["version"].as_u64());
            assert_eq!(told, Some(version), "{}: {name}", case.name);
            let tagged = open(&case, Checkout { tag: Some(name), ..Checkout::default() });
            assert_eq!(tagged.version(), version);
            tags += 1;
        }
        let branches = case.expected["branches"].as_object().unwrap();
        assert_eq!(table.branches().unwrap().len(), branches.len(), "{}", case.name);
    }
    assert!(tags >= 5);
}

#[test]
fn branches_are_lines_of_versions_of_their_own() {
    let mut versions = 0;
    for case in lance_cases() {
        for (name, expected) in case.expected["branches"].as_object().unwrap() {
            let on_branch = |version: Option<u64>| {
                open(&case, Checkout { branch: Some(name.clone()), version, ..Checkout::default() })
            };
            let newest = on_branch(None);
            let described =
                newest.branches().unwrap().into_iter().find(|branch| branch.name == *name).unwrap();
            assert_eq!(json!(described.parent_branch), expected["parent_branch"]);
            assert_eq!(json!(described.parent_version), expected["parent_version"]);
            assert_eq!(json!(described.created_at), expected["create_at"]);
            let states = expected["versions"].as_array().unwrap();
            assert_eq!(newest.versions().unwrap().len(), states.len(), "{name}");
            for state in states {
                let table = on_branch(state["version"].as_u64());
                assert_eq!(table.manifest().head.branch.as_ref(), Some(name));
                is_as_expected(&case, &table, state);
                let mut live: Vec<_> = live(&table).into_iter().collect();
                let mut expected: Vec<_> =
                    state["addresses"].as_array().unwrap().iter().filter_map(Json::as_u64).collect();
                live.sort_unstable();
                expected.sort_unstable();
                assert_eq!(live, expected, "{name}");
                files_are_there(&table);
                versions += 1;
            }
        }
        for (name, tag) in case.expected["tags"].as_object().unwrap() {
            let table = open(&case, Checkout { tag: Some(name.clone()), ..Checkout::default() });
            assert_eq!(table.branch(), tag["branch"].as_str(), "{name}");
        }
    }
    assert!(versions >= 5, "{versions}");
}
