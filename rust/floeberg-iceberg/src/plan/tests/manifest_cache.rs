use std::sync::Arc;

use apache_avro::types::Value;
use floeberg_avro::ParsedSchemas;
use floeberg_core::schema::{Field, PrimitiveType, StructType};
use floeberg_io::testing::CountingStore;
use proptest::prelude::*;
use serde_json::json;

use super::one_manifest::{LIST, MANIFEST, manifest, manifest_list, request};
use crate::manifest::tests::document::document;
use crate::manifest::{
    BlockEntries, EntryRequest, Found, ManifestCache, ManifestContent, ManifestFile, ManifestReader, Use,
    cut_manifest, parse_block_range,
};
use crate::plan::{PlanRequest, PlanStream, plan};
use crate::read::tests::avro_fixture::none;

const ROW_ID: &str = r#"{"name":"first_row_id","type":["null","long"],"field-id":142}"#;

fn bytes_of(files: usize) -> Vec<u8> {
    let file = |number| (format!("memory://t/{number}.parquet"), 10, none());
    manifest(ROW_ID, "first_row_id", (0..files).map(file).collect(), 4)
}

fn row(path: &str) -> ManifestFile {
    ManifestFile::unlisted(path.to_owned(), 1, 0, ManifestContent::Data)
}

/// The entries of a manifest of so many files.
fn entries(files: usize) -> Arc<BlockEntries> {
    let (bytes, row) = (bytes_of(files), row("m"));
    let blocks = cut_manifest(&bytes, &row, usize::MAX).unwrap().remove(0);
    let parsed = parse_block_range(
        &ParsedSchemas::default(),
        &bytes,
        &blocks,
        &row,
        &StructType::default(),
        &EntryRequest::default(),
    );
    Arc::new(parsed.unwrap())
}

fn is_whole(cache: &ManifestCache, used: Use, path: &str, statistics_of: &[i32]) -> bool {
    matches!(cache.find(used, &row(path), &StructType::default(), statistics_of), Found::Whole(_))
}

fn keep(
    cache: &ManifestCache,
    used: Use,
    path: &str,
    statistics_of: &[i32],
    place: (usize, usize),
    entries: &Arc<BlockEntries>,
) {
    cache.keep(used, (&row(path), &StructType::default()), statistics_of, place, entries);
}

#[test]
fn a_manifest_is_there_when_all_its_block_ranges_and_the_statistics_are() {
    let cache = ManifestCache::new(1 << 20);
    let used = cache.begin();
    keep(&cache, used, "a", &[1, 3], (1, 2), &entries(3));
    assert!(!is_whole(&cache, used, "a", &[]));
    keep(&cache, used, "a", &[1, 3], (0, 2), &entries(3));
    assert!(is_whole(&cache, used, "a", &[]) && is_whole(&cache, used, "a", &[1, 3]));
    assert!(
        matches!(cache.find(used, &row("a"), &StructType::default(), &[2]), Found::Without(ids) if ids == [1, 3])
    );
    // Entries inherit from the row of the list: another row is another manifest.
    let other = ManifestFile { sequence_number: 9, ..row("a") };
    assert!(
        matches!(cache.find(used, &other, &StructType::default(), &[]), Found::Without(ids) if ids.is_empty())
    );
    // So are partition values of another type.
    let typed = StructType { fields: vec![Field::optional(1000, "p", PrimitiveType::Long)] };
    assert!(matches!(cache.find(used, &row("a"), &typed, &[]), Found::Without(ids) if ids.is_empty()));
}

#[test]
fn what_this_plan_uses_is_not_driven_out_by_it_and_what_others_used_is_oldest_first() {
    let each = entries(3).memory();
    let cache = ManifestCache::new(2 * each);
    let first = cache.begin();
    for path in ["a", "b", "c"] {
        keep(&cache, first, path, &[], (0, 1), &entries(3));
    }
    assert!(is_whole(&cache, first, "a", &[]) && is_whole(&cache, first, "b", &[]));
    assert!(!is_whole(&cache, first, "c", &[]));
    let second = cache.begin();
    assert!(is_whole(&cache, second, "a", &[]));
    keep(&cache, second, "d", &[], (0, 1), &entries(3));
    assert!(is_whole(&cache, second, "a", &[]) && is_whole(&cache, second, "d", &[]));
    assert!(!is_whole(&cache, second, "b", &[]));
    assert_eq!(cache.bytes(), 2 * each);
}

#[test]
fn a_cache_that_is_turned_off_or_too_small_holds_nothing() {
    for most in [0, 100] {
        let cache = ManifestCache::new(most);
        let used = cache.begin();
        keep(&cache, used, "a", &[], (0, 1), &entries(3));
        assert!(!is_whole(&cache, used, "a", &[]));
        assert_eq!(cache.bytes(), 0);
    }
}

#[test]
fn a_cache_of_another_process_is_empty_and_takes_nothing() {
    let cache = ManifestCache::of_another_process(1 << 20);
    let used = cache.begin();
    keep(&cache, used, "a", &[], (0, 1), &entries(3));
    assert!(!is_whole(&cache, used, "a", &[]));
    assert_eq!(cache.bytes(), 0);
}

proptest! {
    #[test]
    fn a_cache_never_passes_its_bound_and_knows_what_it_holds(
        steps in prop::collection::vec((0_usize..6, 1_usize..6, any::<bool>(), 0_i32..3), 1..60),
        room in 0_u64..6,
    ) {
        let most = room * entries(5).memory();
        let cache = ManifestCache::new(most);
        let mut used = cache.begin();
        for (name, files, begins, column) in steps {
            if begins {
                used = cache.begin();
            }
            let path = format!("m{name}");
            if !is_whole(&cache, used, &path, &[column]) {
                keep(&cache, used, &path, &[column], (0, 1), &entries(files));
            }
            prop_assert!(cache.bytes() <= most);
        }
        let held: u64 = (0..6).filter_map(|name| match cache.find(used, &row(&format!("m{name}")), &StructType::default(), &[]) {
            Found::Whole(ranges) => Some(ranges.iter().map(|entries| entries.memory()).sum::<u64>()),
            Found::Without(_) => None,
        }).sum();
        prop_assert_eq!(held, cache.bytes());
    }
}

/// A request for a table of one manifest, a store that counts, and a cache of so many bytes.
fn counted(cache_bytes: u64) -> (PlanRequest, CountingStore) {
    let more = json!({
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": LIST
        }],
    });
    let field = r#"{"name":"first_row_id","type":"long","field-id":520}"#;
    let list = manifest_list(field, "first_row_id", Value::Long(0));
    let request = request(&document(2, 1, more), list, bytes_of(50), 2);
    let store = CountingStore::new(Arc::clone(&request.reader.store));
    let cache = Arc::new(ManifestCache::new(cache_bytes));
    let reader = ManifestReader { store: Arc::new(store.clone()), cache, ..request.reader };
    (PlanRequest { reader, ..request }, store)
}

/// How often the manifest was opened.
fn opened(store: &CountingStore) -> u64 {
    store.of(MANIFEST).opens
}

#[test]
fn the_second_plan_reads_no_manifest_and_is_the_same() {
    let (request, store) = counted(1 << 20);
    let first = plan(request.clone()).unwrap();
    let second = plan(request).unwrap();
    assert_eq!(opened(&store), 1);
    assert_eq!((first.to_arrow().1, first.explain()), (second.to_arrow().1, second.explain()));
}

#[test]
fn a_cache_that_is_turned_off_is_not_used() {
    let (request, store) = counted(0);
    plan(request.clone()).unwrap();
    plan(request).unwrap();
    assert_eq!(opened(&store), 2);
}

#[test]
fn a_stream_takes_from_the_cache_and_can_leave_it_as_it_is() {
    let (request, store) = counted(1 << 20);
    assert_eq!(PlanStream::open(request.clone()).unwrap().without_keeping().count(), 1);
    assert_eq!((opened(&store), request.reader.cache.bytes()), (1, 0));
    plan(request.clone()).unwrap();
    assert_eq!(PlanStream::open(request).unwrap().without_keeping().count(), 1);
    assert_eq!(opened(&store), 2);
}
