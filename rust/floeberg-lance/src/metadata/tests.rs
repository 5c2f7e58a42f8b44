#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_schema::{DataType, Field as ArrowField, TimeUnit};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{PrimitiveType, Type};

use super::refs::check_tag;
use super::*;
use crate::tests::tables::{base, column, fragment, fragment_with_ids, head, manifest};
use crate::wire::{DeletionFile, Fragment, ManifestHead, SchemaField};

#[test]
fn names_of_manifests_say_their_version() {
    for (name, expected) in [
        ("1.manifest", Some((1, NamingScheme::V1))),
        ("120.manifest", Some((120, NamingScheme::V1))),
        ("18446744073709551614.manifest", Some((1, NamingScheme::V2))),
        ("00000000000000000000.manifest", Some((u64::MAX, NamingScheme::V2))),
        ("d9223372036854775809.manifest", Some((DETACHED | 1, NamingScheme::V2))),
        ("01.manifest", None),
        ("+1.manifest", None),
        ("d1.manifest", None),
        ("99999999999999999999.manifest", None),
        ("1.manifest-5a0f", None),
        (".manifest", None),
        ("1.manifest.tmp", None),
        ("latest_version_hint.json", None),
    ] {
        let is_kept = expected.filter(|(version, scheme)| scheme.file_name(*version) == name);
        assert_eq!(version_of(name), is_kept, "{name}");
    }
    assert_eq!(hint(7), "{\"version\":7}");
}

#[test]
fn logical_types_are_arrow_types() {
    use DataType as D;
    let item = |data_type: DataType| std::sync::Arc::new(ArrowField::new("item", data_type, true));
    for (logical_type, expected) in [
        ("halffloat", D::Float16),
        ("timestamp:us:-", D::Timestamp(TimeUnit::Microsecond, None)),
        ("timestamp:ns:+01:00", D::Timestamp(TimeUnit::Nanosecond, Some("+01:00".into()))),
        ("duration:ms", D::Duration(TimeUnit::Millisecond)),
        ("decimal:128:10:-2", D::Decimal128(10, -2)),
        ("decimal:256:76:0", D::Decimal256(76, 0)),
        ("fixed_size_binary:4", D::FixedSizeBinary(4)),
        ("fixed_size_list:float:3", D::FixedSizeList(item(D::Float32), 3)),
        (
            "fixed_size_list:fixed_size_list:int8:2:5",
            D::FixedSizeList(item(D::FixedSizeList(item(D::Int8), 2)), 5),
        ),
        (
            "fixed_size_list:timestamp:s:UTC:2",
            D::FixedSizeList(item(D::Timestamp(TimeUnit::Second, Some("UTC".into()))), 2),
        ),
        ("dict:string:int32:false", D::Dictionary(Box::new(D::Int32), Box::new(D::Utf8))),
        ("json", D::LargeBinary),
    ] {
        assert_eq!(leaf_to_arrow(logical_type).unwrap(), expected, "{logical_type}");
    }
    for (logical_type, kind) in [
        ("int128", ErrorKind::Unsupported),
        ("timestamp:us", ErrorKind::Unsupported),
        ("timestamp:h:-", ErrorKind::Unsupported),
        ("dict:string:string:false", ErrorKind::Unsupported),
        ("fixed_size_list:3", ErrorKind::Unsupported),
        ("fixed_size_list:int8:0", ErrorKind::InvalidData),
        ("fixed_size_binary:-1", ErrorKind::InvalidData),
        ("fixed_size_binary:99999999999", ErrorKind::InvalidData),
        ("decimal:128:39:0", ErrorKind::InvalidData),
        ("decimal:128:5:6", ErrorKind::InvalidData),
        ("decimal:64:5:0", ErrorKind::Unsupported),
        ("", ErrorKind::Unsupported),
    ] {
        assert_eq!(leaf_to_arrow(logical_type).unwrap_err().kind(), kind, "{logical_type}");
    }
    let deep = format!("{}int8{}", "fixed_size_list:".repeat(100_000), ":1".repeat(100_000));
    assert_eq!(leaf_to_arrow(&deep).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_blob_and_what_the_library_lacks_are_columns_too() {
    let fields = [
        SchemaField {
            metadata: vec![("lance-encoding:blob".to_owned(), b"true".to_vec())],
            ..column(0, "b", "large_binary")
        },
        column(1, "d", "duration:us"),
        SchemaField { nullable: false, ..column(2, "u", "uint32") },
        column(3, "c", "dict:string:int8:false"),
        SchemaField { extension_name: "x".to_owned(), ..column(4, "n", "null") },
    ];
    let schema = Schema::new(&fields, &[("k".to_owned(), b"v".to_vec())]).unwrap();
    assert!(schema.fields()[0].is_blob() && !schema.fields()[1].is_blob());
    assert_eq!(schema.column("n").unwrap().extension_name(), Some("x"));
    let arrow = schema.to_arrow().unwrap();
    assert_eq!(arrow.metadata().get("k").map(String::as_str), Some("v"));
    assert_eq!(arrow.field(4).metadata().get("ARROW:extension:name").map(String::as_str), Some("x"));
    let core = schema.to_core().unwrap();
    let types: Vec<_> = core.fields().iter().map(|field| field.field_type.clone()).collect();
    assert_eq!(types[0], Type::Primitive(PrimitiveType::Binary));
    assert_eq!(types[1], Type::Unrecognized("duration:us".to_owned()));
    assert_eq!((&types[2], core.fields()[2].required), (&Type::Primitive(PrimitiveType::Long), true));
    assert_eq!(types[3], Type::Primitive(PrimitiveType::String));
}

#[test]
fn a_list_has_one_element_and_a_map_key_and_value() {
    let list = |children: usize| {
        let mut fields = vec![column(0, "l", "list")];
        fields.extend(
            (1..=children as i32)
                .map(|id| SchemaField { parent_id: 0, ..column(id, &format!("e{id}"), "int8") }),
        );
        Schema::new(&fields, &[]).unwrap().to_arrow()
    };
    assert!(list(1).is_ok());
    for children in [0, 2] {
        let error = list(children).unwrap_err();
        assert!(
            error.to_string().contains("expected one field in a list")
                && error.to_string().contains("column: l"),
            "{error}"
        );
    }
    let map = [column(0, "m", "map"), SchemaField { parent_id: 0, ..column(1, "entries", "int8") }];
    assert!(Schema::new(&map, &[]).unwrap().to_arrow().is_err());
}

#[test]
fn flags_are_computed_by_what_is_there() {
    let flags = |head: ManifestHead, fragments: &[Fragment], stable: bool| {
        computed_flags(&manifest(head, fragments), stable).unwrap()
    };
    assert_eq!(flags(head(1), &[fragment(0, 1)], false), (0, 0));
    assert_eq!(flags(head(1), &[], true), (2, 2));
    assert_eq!(flags(head(1), &[fragment_with_ids(0, &[0])], false), (2, 2));
    let deleted = Fragment { deletion_file: Some(DeletionFile::default()), ..fragment(0, 1) };
    assert_eq!(flags(head(1), &[deleted], false), (1, 1));
    let full = ManifestHead {
        config: vec![("a".to_owned(), "b".to_owned())],
        base_paths: vec![base(0, "x", true)],
        reader_feature_flags: 1 | 128 | 256 | 1024,
        writer_feature_flags: 1 | 32 | 128 | 256 | 1024,
        ..head(1)
    };
    // Deletes are gone; what stays, stays.
    assert_eq!(
        flags(full, &[fragment(0, 1)], false),
        (16 | 128 | 256 | 1024, 8 | 16 | 32 | 128 | 256 | 1024)
    );
    let some = manifest(head(1), &[fragment(0, 1), fragment_with_ids(1, &[0])]);
    assert!(computed_flags(&some, false).unwrap_err().message().contains("row ids in all 2 fragments"));
    assert_eq!(
        flag_names(3 | 1 << 40),
        ["deletion files (flag 1)", "stable row ids (flag 2)", "the unknown flag 1099511627776",]
    );
}

#[test]
fn names_of_refs_are_those_of_the_format() {
    for name in ["v1.0-rc", "a_b", "ü", "1"] {
        check_tag(name).unwrap();
    }
    for name in ["", ".a", "a.", "a..b", "a.lock", "a b", "a/b", "a\\b"] {
        assert_eq!(check_tag(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
    check_branch("a/b.c/d").unwrap();
    for name in ["", "main", "/a", "a/", "a//b", "a/../b", "a.lock", "a\\b"] {
        assert_eq!(check_branch(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
}
