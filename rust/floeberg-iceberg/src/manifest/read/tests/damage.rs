use floeberg_core::ErrorKind;
use floeberg_core::schema::{PrimitiveType, StructType};

use super::super::{parse_manifest, parse_manifest_list};
use super::{manifest_file, partitioned_by, unpartitioned};
use crate::manifest::{EntryRequest, ManifestContent};

fn manifests() -> [(&'static [u8], ManifestContent, StructType); 4] {
    [
        (
            include_bytes!("../testdata/v1_existing.avro"),
            ManifestContent::Data,
            partitioned_by(PrimitiveType::String),
        ),
        (include_bytes!("../testdata/v3_vectors.avro"), ManifestContent::Deletes, unpartitioned()),
        (include_bytes!("../testdata/v3_duckdb_data.avro"), ManifestContent::Data, unpartitioned()),
        (
            include_bytes!("../testdata/v2_fixed_behind_length.avro"),
            ManifestContent::Data,
            partitioned_by(PrimitiveType::Fixed(4)),
        ),
    ]
}

fn lists() -> [&'static [u8]; 2] {
    [include_bytes!("../testdata/v1_list.avro"), include_bytes!("../testdata/v3_duckdb_list.avro")]
}

#[test]
fn a_manifest_cut_off_anywhere_is_an_error_that_names_it() {
    for (bytes, content, spec) in manifests() {
        let file = manifest_file(content, 0);
        let request =
            EntryRequest { statistics_of: vec![1, 2], with_deleted: true, ..EntryRequest::default() };
        let whole = parse_manifest(bytes, &file, &spec, &request).unwrap().len();
        for length in 0..bytes.len() {
            match parse_manifest(&bytes[..length], &file, &spec, &request) {
                // Cut off between two blocks it is a shorter file: nothing in it tells.
                Ok(entries) => assert!(entries.len() < whole, "{length}"),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
                    assert!(error.to_string().contains("path: file:/t/metadata/m.avro"), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_list_cut_off_anywhere_is_an_error_or_shorter() {
    for bytes in lists() {
        let whole = parse_manifest_list(bytes, "list").unwrap().len();
        for length in 0..bytes.len() {
            match parse_manifest_list(&bytes[..length], "list") {
                Ok(list) => assert!(list.len() < whole, "{length}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}"),
            }
        }
    }
}

#[test]
fn no_flipped_byte_makes_a_reader_panic() {
    for (bytes, content, spec) in manifests() {
        let file = manifest_file(content, 0);
        for index in 0..bytes.len() {
            let mut damaged = bytes.to_vec();
            damaged[index] ^= if index % 3 == 0 { 0x01 } else { 0xff };
            let request = EntryRequest {
                statistics_of: vec![1],
                with_deleted: index % 2 == 0,
                ..EntryRequest::default()
            };
            let _ = parse_manifest(&damaged, &file, &spec, &request);
        }
    }
    for bytes in lists() {
        for index in 0..bytes.len() {
            let mut damaged = bytes.to_vec();
            damaged[index] ^= 0xff;
            let _ = parse_manifest_list(&damaged, "list");
        }
    }
}

#[test]
fn what_is_no_avro_file_is_an_error_that_says_so() {
    for bytes in [&b""[..], b"Obj", b"PAR1 and more", b"{}"] {
        let error = parse_manifest_list(bytes, "file:/t/list.avro").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.message().contains("expected an Avro file"), "{error}");
        assert!(error.to_string().contains("path: file:/t/list.avro"), "{error}");
    }
}
