//! What was made of delete manifests is used again, by plans that would make the same of them and by no other.

use std::sync::Arc;
use std::thread;

use arrow_array::{Array, ListArray, RecordBatch};
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::value::Value;
use floeberg_io::Relocation;
use proptest::prelude::*;

use super::table_of_deletes::{SNAPSHOTS, manifest_at, of, table};
use crate::manifest::{ManifestCache, ManifestReader};
use crate::metadata::TableMetadata;
use crate::plan::columns::{column, typed};
use crate::plan::deletes::index::DeleteIndex;
use crate::plan::plan_job::PlanJob;
use crate::plan::{DeleteFile, Explain, PlanRequest, PlanStream, plan};

const FILTERS: [&str; 6] = ["true", "a = 1", "a <> 1", "b > 100", "b > 100 AND a = 2", "b >= 0.0"];

fn with_cache(request: PlanRequest, bytes: u64) -> PlanRequest {
    let cache = Arc::new(ManifestCache::new(bytes));
    PlanRequest { reader: ManifestReader { cache, ..request.reader }, ..request }
}

fn index_of(request: &PlanRequest) -> Arc<DeleteIndex> {
    PlanJob::begin(request.clone()).unwrap().0.deletes.index
}

/// Do two requests, the second after the first, have one index?
fn share(first: &PlanRequest, second: &PlanRequest) -> bool {
    let made = index_of(first);
    Arc::ptr_eq(&made, &index_of(second))
}

type Told = (Vec<RecordBatch>, Vec<DeleteFile>, Vec<String>, Explain);

/// All that a plan says.
fn told(request: &PlanRequest) -> Told {
    let plan = plan(request.clone()).unwrap();
    let deletes = plan.delete_files().iter().map(|file| file.as_ref().clone()).collect();
    let residuals = plan.residuals().iter().map(ToString::to_string).collect();
    (plan.to_arrow().1.to_vec(), deletes, residuals, plan.explain().clone())
}

/// The numbers of deletes of every file, as they lie in memory.
fn delete_lists(request: &PlanRequest) -> Vec<ListArray> {
    let plan = plan(request.clone()).unwrap();
    let of = |chunk: &RecordBatch| typed::<ListArray>(chunk.column(column::DELETE_FILES)).unwrap().clone();
    plan.to_arrow().1.iter().map(of).collect()
}

fn are_one(left: &[ListArray], right: &[ListArray]) -> bool {
    let is_one = |(left, right): (&ListArray, &ListArray)| left.to_data().ptr_eq(&right.to_data());
    left.len() == right.len() && left.iter().zip(right).all(is_one)
}

#[test]
fn the_second_plan_indexes_no_deletes_and_looks_none_up() {
    let (request, store) = table();
    for filter in FILTERS {
        let request = with_cache(of(&request, 2, filter), 1 << 20);
        let expected = told(&with_cache(request.clone(), 0));
        store.reset();
        assert_eq!(told(&request), expected, "{filter}");
        let first = (store.total().opens, index_of(&request), delete_lists(&request));
        assert_eq!(store.of(&manifest_at("deletes-0")).opens, 1, "{filter}");
        assert_eq!(told(&request), expected, "{filter}");
        assert!(Arc::ptr_eq(&first.1, &index_of(&request)), "{filter}");
        assert!(are_one(&first.2, &delete_lists(&request)), "{filter}");
        assert!(first.2.iter().any(|lists| !lists.values().is_empty()), "{filter}");
        // A plan and a begun one each time: nothing but their manifest lists.
        assert_eq!(store.of(&manifest_at("deletes-0")).opens, 1, "{filter}");
    }
}

#[test]
fn snapshots_with_the_same_delete_manifests_share_an_index() {
    let (request, _) = table();
    let request = with_cache(request, 1 << 20);
    let at = |snapshot| of(&request, snapshot, "true");
    assert!(share(&at(2), &at(3)));
    assert!(!share(&at(2), &at(4)) && !share(&at(4), &at(5)) && !share(&at(2), &at(5)));
    assert!(index_of(&at(1)).is_empty());
}

#[test]
fn no_filter_is_served_what_another_left() {
    let (request, _) = table();
    let request = with_cache(request, 1 << 20);
    for (number, filter) in FILTERS.iter().enumerate() {
        for other in &FILTERS[..number] {
            assert!(!share(&of(&request, 2, filter), &of(&request, 2, other)), "{filter}, {other}");
        }
    }
    // Zeros of both signs are equal as values, and no filter finds the same by them.
    let zero = of(&request, 2, "b >= 0.0");
    let BoundExpr::Predicate(mut predicate) = zero.filter.clone() else { panic!("one test") };
    predicate.literals = [Value::Double(-0.0)].into();
    let negative = PlanRequest { filter: BoundExpr::Predicate(predicate), ..zero.clone() };
    assert!(share(&negative, &negative) && !share(&negative, &zero));
}

#[test]
fn tables_that_commits_changed_are_served_what_they_have_in_common() {
    let (request, _) = table();
    let request = with_cache(request, 1 << 20);
    let with = |change: &dyn Fn(&mut TableMetadata)| {
        let mut metadata = TableMetadata::clone(&request.metadata);
        change(&mut metadata);
        PlanRequest { metadata: Arc::new(metadata), ..request.clone() }
    };
    assert!(share(&request, &with(&|metadata| metadata.last_updated_ms += 1)));
    // A column that deletes are told apart by has another type.
    let promoted = |metadata: &mut TableMetadata| {
        let mut fields = metadata.current_schema().fields().to_vec();
        fields[1] = Field::optional(2, "b", PrimitiveType::Decimal { precision: 9, scale: 2 });
        metadata.schemas = vec![Arc::new(Schema::new(0, fields).unwrap())];
        metadata.choose_schema(0).unwrap();
    };
    assert!(!share(&request, &with(&promoted)));
}

#[test]
fn partition_values_are_read_again_where_their_type_is_another_one_now() {
    let (request, store) = table();
    let request = with_cache(request, 1 << 20);
    told(&of(&request, 2, "a = 1"));
    let mut metadata = TableMetadata::clone(&request.metadata);
    let mut fields = metadata.current_schema().fields().to_vec();
    fields[0].field_type = PrimitiveType::Long.into();
    let schema = Arc::new(Schema::new(0, fields).unwrap());
    metadata.schemas = vec![Arc::clone(&schema)];
    metadata.choose_schema(0).unwrap();
    let moved_on = PlanRequest { metadata: Arc::new(metadata), schema, ..request };
    store.reset();
    let moved_on = of(&moved_on, 2, "a = 1");
    assert_eq!(told(&moved_on), told(&with_cache(moved_on.clone(), 0)));
    assert!(store.of(&manifest_at("data-0")).opens > 0);
}

#[test]
fn deletes_are_where_they_were_relocated_to_in_every_plan() {
    let (request, _) = table();
    let moved = ("memory://t/deletes".to_owned(), "memory://moved".to_owned());
    let relocation = Arc::new(Relocation::new(&[moved]).unwrap());
    let request = with_cache(of(&request, 2, "true"), 1 << 20);
    let request = PlanRequest { reader: ManifestReader { relocation, ..request.reader }, ..request };
    for _ in 0..2 {
        let (_, deletes, ..) = told(&request);
        assert!(deletes.iter().all(|file| file.location.starts_with("memory://moved/")), "{deletes:?}");
    }
}

#[test]
fn a_stream_that_keeps_nothing_keeps_no_lists_of_deletes() {
    let (request, _) = table();
    let request = with_cache(of(&request, 2, "true"), 1 << 20);
    let stream = || PlanStream::open(request.clone()).unwrap().without_keeping();
    assert!(stream().all(|batch| batch.is_ok()));
    let begun = request.reader.cache.bytes();
    assert!(stream().all(|batch| batch.is_ok()));
    assert_eq!(request.reader.cache.bytes(), begun);
    told(&request);
    let (held, lists) = (request.reader.cache.bytes(), delete_lists(&request));
    assert!(held > begun);
    let streamed: Vec<ListArray> = stream()
        .map(|batch| typed::<ListArray>(batch.unwrap().column(column::DELETE_FILES)).unwrap().clone())
        .collect();
    assert!(are_one(&streamed, &lists), "what is there is taken");
    assert_eq!(request.reader.cache.bytes(), held);
}

#[test]
fn plans_that_name_what_they_drop_are_made_anew() {
    let (request, _) = table();
    let request = PlanRequest { verbose: true, ..with_cache(of(&request, 2, "b > 100"), 1 << 20) };
    let silent = PlanRequest { verbose: false, ..request.clone() };
    assert!(!share(&silent, &request) && !share(&request, &silent));
    assert_eq!(told(&request), told(&with_cache(request.clone(), 0)));
}

#[test]
fn plans_of_many_threads_at_once_are_the_same() {
    let (request, _) = table();
    let request = with_cache(request, 1 << 20);
    let expected: Vec<Vec<Told>> = (1..=SNAPSHOTS)
        .map(|id| FILTERS.iter().map(|filter| told(&with_cache(of(&request, id, filter), 0))).collect())
        .collect();
    thread::scope(|scope| {
        for begin in 0..4_usize {
            let (request, expected) = (&request, &expected);
            scope.spawn(move || {
                for step in 0..SNAPSHOTS as usize * FILTERS.len() {
                    let number = (begin * 11 + step * 3) % (SNAPSHOTS as usize * FILTERS.len());
                    let (snapshot, filter) = (number % SNAPSHOTS as usize, number / SNAPSHOTS as usize);
                    let request = of(request, snapshot as i64 + 1, FILTERS[filter]);
                    assert_eq!(told(&request), expected[snapshot][filter], "{snapshot} {filter}");
                }
            });
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn plans_in_any_order_are_those_without_a_cache_and_it_never_passes_its_bound(
        steps in prop::collection::vec((1..=SNAPSHOTS, 0..FILTERS.len(), any::<bool>(), 1_usize..4), 1..25),
        room in prop::sample::select(vec![0_u64, 3_000, 20_000, 60_000, 200_000, 1 << 20]),
    ) {
        let (request, _) = table();
        let cached = with_cache(request, room);
        for (snapshot, filter, keeps, threads) in steps {
            let request = of(&cached, snapshot, FILTERS[filter]);
            let request = PlanRequest { reader: ManifestReader { threads, ..request.reader }, ..request };
            if keeps {
                prop_assert_eq!(told(&request), told(&with_cache(request.clone(), 0)));
            } else {
                let stream = PlanStream::open(request.clone()).unwrap().without_keeping();
                let batches: Vec<RecordBatch> = stream.map(Result::unwrap).collect();
                prop_assert_eq!(batches, told(&with_cache(request, 0)).0);
            }
            prop_assert!(cached.reader.cache.bytes() <= room);
        }
        // Many filters drive all else out: what is counted is gone with what was held.
        for number in 0..40 {
            index_of(&of(&cached, 4, &format!("b > {number}")));
            prop_assert!(cached.reader.cache.bytes() <= room);
        }
    }
}
