//! A manifest that is cut is planned as one that is not, whatever the threads.

use std::sync::Arc;

use apache_avro::types::Value;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::ErrorKind;
use serde_json::json;

use super::one_manifest::{LIST, MANIFEST, manifest, manifest_list, request};
use crate::manifest::tests::document::document;
use crate::manifest::{ManifestCache, ManifestContent, ManifestFile, ManifestReader, block_range_bytes};
use crate::plan::{PlanRequest, PlanStream, plan};
use crate::read::tests::avro_fixture::{none, some};

const FILES: usize = 60;
const FIRST_ROW_ID: i64 = 1_000;

/// Every fifth file has row ids of its own.
fn own_row_id(number: usize) -> Option<i64> {
    number.is_multiple_of(5).then_some(7_000_000 + number as i64)
}

/// A manifest of some megabytes, an entry a block: the paths are long.
pub(super) fn large_manifest() -> Vec<u8> {
    large_manifest_of(|number| 10 + number as i64)
}

/// The same, with so many rows in each file.
pub(super) fn large_manifest_of(records: impl Fn(usize) -> i64) -> Vec<u8> {
    let field = r#"{"name":"first_row_id","type":["null","long"],"field-id":142}"#;
    let file = |number: usize| {
        let path = format!("memory://t/{}/{number}.parquet", "long".repeat(40_000));
        let row_id = own_row_id(number).map_or_else(none, |id| some(Value::Long(id)));
        (path, records(number), row_id)
    };
    manifest(field, "first_row_id", (0..FILES).map(file).collect(), 1)
}

pub(super) fn request_of(manifest: Vec<u8>, threads: usize) -> PlanRequest {
    let more = json!({
        "next-row-id": 100_000,
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": LIST, "first-row-id": 0, "added-rows": 7
        }],
    });
    let field = r#"{"name":"first_row_id","type":"long","field-id":520}"#;
    let list = manifest_list(field, "first_row_id", Value::Long(FIRST_ROW_ID));
    request(&document(3, 1, more), list, manifest, threads)
}

/// By the rule: an entry without an id takes the next one of its manifest.
fn expected_row_ids() -> Vec<Option<i64>> {
    let mut next = FIRST_ROW_ID;
    let ids = (0..FILES).map(|number| {
        own_row_id(number).or_else(|| {
            let id = next;
            next += 10 + number as i64;
            Some(id)
        })
    });
    ids.collect()
}

#[test]
fn rows_are_numbered_over_all_block_ranges_of_a_manifest() {
    let bytes = large_manifest();
    for threads in [1, 3] {
        let plan = plan(request_of(bytes.clone(), threads)).unwrap();
        let (_, chunks) = plan.to_arrow();
        assert!(chunks.len() > 3, "{} ranges", chunks.len());
        let ids = chunks.iter().flat_map(|chunk| {
            chunk.column_by_name("first_row_id").unwrap().as_primitive::<Int64Type>().iter()
        });
        assert_eq!(ids.collect::<Vec<_>>(), expected_row_ids(), "{threads} threads");
        let counts: Vec<i64> = plan.tasks().map(|task| task.unwrap().record_count).collect();
        assert_eq!(counts, (0..FILES).map(|number| 10 + number as i64).collect::<Vec<_>>());
        assert_eq!((plan.explain().data_files, plan.len()), (FILES as u64, FILES));
    }
}

#[test]
fn a_stream_gives_the_tasks_of_the_plan_in_its_order() {
    let bytes = large_manifest();
    let planned: Vec<_> = plan(request_of(bytes.clone(), 2)).unwrap().tasks().map(Result::unwrap).collect();
    let streamed = PlanStream::open(request_of(bytes, 2)).unwrap().into_tasks();
    assert_eq!(streamed.map(Result::unwrap).collect::<Vec<_>>(), planned);
}

#[test]
fn damage_in_a_later_block_range_is_told_after_the_files_before_it() {
    let mut bytes = large_manifest();
    let last = bytes.len() - 16 - 1_000;
    // A path that is not UTF-8.
    bytes[last] = 0xff;
    let mut stream = PlanStream::open(request_of(bytes, 2)).unwrap();
    let mut files = 0;
    let error = loop {
        match stream.next().unwrap() {
            Ok(batch) => files += batch.num_rows(),
            Err(error) => break error,
        }
    };
    assert!(files > 0 && files < FILES, "{files}");
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    let text = error.to_string();
    assert!(text.contains(MANIFEST) && text.contains("counted from entry"), "{text}");
    assert!(stream.next().is_none());
}

#[test]
fn nothing_but_lists_and_deletes_is_read_before_the_first_file_is_asked_for() {
    let request = request_of(b"no manifest".to_vec(), 2);
    let mut stream = PlanStream::open(request).unwrap();
    assert_eq!(stream.next().unwrap().unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_cancelled_plan_ends() {
    let request = request_of(large_manifest(), 2);
    let cancel = request.reader.cancel.clone();
    let mut stream = PlanStream::open(request).unwrap();
    stream.next().unwrap().unwrap();
    cancel.cancel();
    assert_eq!(stream.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(stream.next().is_none());
}

#[test]
fn a_delete_manifest_that_is_cut_gives_all_its_files_in_order() {
    let field = r#"{"name":"content","type":"int","field-id":134}"#;
    let path = |number: usize| format!("memory://t/{}/{number}-deletes.parquet", "long".repeat(10_000));
    let files = (0..FILES).map(|number| (path(number), 1, Value::Int(1))).collect();
    let list = manifest_list(r#"{"name":"content","type":"int","field-id":517}"#, "content", Value::Int(1));
    let more = json!({
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "delete" },
            "manifest-list": LIST
        }],
    });
    let request = request(&document(2, 1, more), list, manifest(field, "content", files, 1), 3);
    let cache = Arc::new(ManifestCache::new(64 << 20));
    let request = PlanRequest { reader: ManifestReader { cache, ..request.reader }, ..request };
    let reader = &request.reader;
    let whole = reader.open(&reader.manifests(request.snapshot.as_ref().unwrap()).unwrap()[0]);
    assert!(whole.unwrap().block_ranges(256 << 10).unwrap().len() > 3);
    // As they are decoded, and out of the cache.
    for _ in 0..2 {
        let plan = plan(request.clone()).unwrap();
        let paths: Vec<_> = plan.delete_files().iter().map(|file| file.file_path.clone()).collect();
        assert_eq!(paths, (0..FILES).map(path).collect::<Vec<_>>());
    }
    assert!(request.reader.cache.bytes() > 0);
}

#[test]
fn threads_share_manifests_in_pieces_that_are_neither_tiny_nor_large() {
    let of_length = |manifest_length: i64| ManifestFile {
        manifest_length,
        ..ManifestFile::unlisted(MANIFEST.to_owned(), 0, 0, ManifestContent::Data)
    };
    // Four pieces a thread, where that is between the bounds; a length that cannot be counts nothing.
    assert_eq!(block_range_bytes(&[of_length(3 << 20), of_length(1 << 20), of_length(-1)], 2), 512 << 10);
    assert_eq!(block_range_bytes(&[of_length(1000)], 2), 256 << 10);
    assert_eq!(block_range_bytes(&[of_length(i64::MAX), of_length(i64::MAX)], 2), 2 << 20);
    assert_eq!(block_range_bytes(&[], 0), 256 << 10);
}
