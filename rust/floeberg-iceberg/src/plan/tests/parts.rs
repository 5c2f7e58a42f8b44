//! A plan of tasks' answers is the plan of one process, in all that it says.

use std::ops::Range;
use std::sync::Arc;

use apache_avro::types::Value;
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::expr::{bind, parse};
use floeberg_core::{ErrorKind, Result};
use floeberg_io::Relocation;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::block_ranges::{large_manifest_of, request_of};
use super::one_manifest::{LIST, manifest, manifest_list, request};
use super::table_of_deletes::{SNAPSHOTS, of, table};
use crate::manifest::tests::document::document;
use crate::manifest::{ManifestCache, ManifestReader};
use crate::plan::{
    DeleteFile, Explain, FileScanTask, ManifestTask, Plan, PlanParts, PlanRequest, PlanStream, plan,
    plan_part, read_manifests,
};
use crate::read::tests::avro_fixture::{none, some};

const FILTERS: [&str; 7] =
    ["true", "a = 1", "a <> 1", "b > 100", "b > 100 AND a = 2", "b >= 0.0", "a IS NULL OR b < 50"];

/// The request of another process: nothing is shared but the store.
fn elsewhere(request: &PlanRequest) -> PlanRequest {
    let reader = &request.reader;
    PlanRequest {
        reader: ManifestReader { cache: Arc::new(ManifestCache::new(1 << 20)), threads: 1, ..reader.clone() },
        ..request.clone()
    }
}

/// What a process returns for a task that crossed to it.
fn answer(request: &PlanRequest, task: &ManifestTask) -> Result<Vec<u8>> {
    let sent = ManifestTask::from_bytes(&task.to_bytes()?)?;
    read_manifests(&elsewhere(request), &sent)
}

/// Ranges of at most so many.
fn ranges(count: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(most).map(move |start| start..count.min(start + most))
}

/// The plan of tasks with so many manifests each; deletes are read here or by tasks.
fn assembled(request: &PlanRequest, most: usize, deletes_too: bool) -> Result<Plan> {
    let parts = PlanParts::open(request.clone())?;
    let (data, deletes) = (parts.data_manifests().len(), parts.delete_manifests().len());
    let answers = ranges(deletes, most).map(|range| answer(request, &parts.deletes_task(range)?));
    let answers = if deletes_too { Some(answers.collect::<Result<Vec<_>>>()?) } else { None };
    let mut assembly = parts.index(answers.as_deref())?;
    for range in ranges(data, most) {
        let answer = answer(request, &assembly.task(range)?)?;
        assembly.add(&answer)?;
    }
    assembly.finish()
}

/// The tasks of the parts of a plan, each planned by a process with so many threads that knows its manifests and all deletes.
fn tasks_of_parts(request: &PlanRequest, most: usize, threads: usize) -> Result<Vec<FileScanTask>> {
    let parts = PlanParts::open(request.clone())?;
    let sent = |task: ManifestTask| ManifestTask::from_bytes(&task.to_bytes()?);
    let deletes = sent(parts.deletes_task(0..parts.delete_manifests().len())?)?;
    // One process plans them all: its index of deletes is made once.
    let there = elsewhere(request);
    let there = PlanRequest { reader: ManifestReader { threads, ..there.reader }, ..there };
    let mut tasks = Vec::new();
    for range in ranges(parts.data_manifests().len(), most) {
        let part = plan_part(there.clone(), &sent(parts.part_task(range)?)?, &deletes)?;
        tasks.extend(part.tasks().collect::<Result<Vec<_>>>()?);
    }
    Ok(tasks)
}

type Told = (RecordBatch, Vec<DeleteFile>, Vec<String>, Explain);

/// All that a plan says.
fn told(plan: &Plan) -> Told {
    let (schema, chunks) = plan.to_arrow();
    let deletes = plan.delete_files().iter().map(|file| file.as_ref().clone()).collect();
    let residuals = plan.residuals().iter().map(ToString::to_string).collect();
    (concat_batches(&schema, chunks).unwrap(), deletes, residuals, plan.explain().clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn a_plan_of_answers_is_the_plan_of_one_process(
        snapshot in 1..=SNAPSHOTS,
        filter in prop::sample::select(&FILTERS[..]),
        most in 1_usize..5,
        deletes_too in any::<bool>(),
        is_moved in any::<bool>(),
    ) {
        let request = of(&table().0, snapshot, filter);
        let moved = ("memory://t/data".to_owned(), "memory://moved/data".to_owned());
        let pairs = if is_moved { vec![moved] } else { Vec::new() };
        let relocation = Arc::new(Relocation::new(&pairs).unwrap());
        let request = PlanRequest { reader: ManifestReader { relocation, ..request.reader }, ..request };
        let here = plan(request.clone()).unwrap();
        let there = assembled(&request, most, deletes_too).unwrap();
        prop_assert_eq!(told(&there), told(&here));
        let tasks = |plan: &Plan| plan.tasks().collect::<Result<Vec<_>>>().unwrap();
        prop_assert_eq!(tasks(&there), tasks(&here));
        prop_assert_eq!(tasks_of_parts(&request, most, 1 + most % 2).unwrap(), tasks(&here));
    }
}

#[test]
fn rows_are_numbered_over_the_block_ranges_that_tasks_return() {
    // A file without rows is dropped by any filter, and may have been the one that a row id was for.
    for filter in ["true", "a = 1"] {
        let request = request_of(large_manifest_of(|number| (number % 3) as i64), 3);
        let filter = bind(&parse(filter).unwrap(), &request.schema, true).unwrap();
        let request = PlanRequest { filter, ..request };
        let here = plan(request.clone()).unwrap();
        assert!(here.to_arrow().1.len() > 3);
        assert_eq!(told(&assembled(&request, 1, false).unwrap()), told(&here));
        let tasks: Vec<_> = here.tasks().collect::<Result<_>>().unwrap();
        assert_eq!(tasks_of_parts(&request, 1, 2).unwrap(), tasks);
    }
}

#[test]
fn an_encrypted_file_is_refused_where_the_answers_come_together() {
    let field = r#"{"name":"key_metadata","type":["null","bytes"],"field-id":131}"#;
    let file = |name: &str, key: Value| (format!("memory://t/{name}.parquet"), 7, key);
    let files = vec![file("plain", none()), file("secret", some(Value::Bytes(b"k".to_vec())))];
    let list = manifest_list(r#"{"name":"content","type":"int","field-id":517}"#, "content", Value::Int(0));
    let request = request(&one_snapshot(), list, manifest(field, "key_metadata", files, 1), 1);
    let error = assembled(&request, 1, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.to_string(), plan(request).unwrap_err().to_string());
    assert!(error.to_string().contains("secret.parquet"), "{error}");
}

fn one_snapshot() -> Json {
    let more = json!({
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": LIST
        }],
    });
    document(2, 1, more)
}

#[test]
fn a_manifest_without_entries_has_an_answer_too() {
    let field = r#"{"name":"content","type":"int","field-id":134}"#;
    let list = manifest_list(r#"{"name":"content","type":"int","field-id":517}"#, "content", Value::Int(0));
    let request = request(&one_snapshot(), list, manifest(field, "content", Vec::new(), 1), 1);
    assert_eq!(told(&assembled(&request, 1, false).unwrap()), told(&plan(request).unwrap()));
}

#[test]
fn what_tasks_did_not_return_is_an_error() {
    let request = of(&table().0, 3, "true");
    let assembly = || PlanParts::open(request.clone()).unwrap().index(None).unwrap();
    let answers: Vec<_> = (0..4)
        .map(|number| answer(&request, &assembly().task(number..number + 1).unwrap()).unwrap())
        .collect();
    let internal = |result: Result<Plan>| assert_eq!(result.unwrap_err().kind(), ErrorKind::Internal);
    let of_answers = |numbers: &[usize]| {
        let mut assembly = assembly();
        numbers.iter().try_for_each(|number| assembly.add(&answers[*number]))?;
        assembly.finish()
    };
    assert_eq!(told(&of_answers(&[0, 1, 2, 3]).unwrap()), told(&plan(request.clone()).unwrap()));
    for numbers in [&[0, 1, 2][..], &[1, 0, 2, 3], &[0, 0, 1, 2, 3], &[0, 2, 3], &[]] {
        internal(of_answers(numbers));
    }
    let parts = || PlanParts::open(request.clone()).unwrap();
    assert_eq!(parts().index(Some(&[])).unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(parts().deletes_task(0..2).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn damaged_answers_are_refused() {
    let request = of(&table().0, 1, "true");
    let assembly = || PlanParts::open(request.clone()).unwrap().index(None).unwrap();
    let whole = answer(&request, &assembly().task(0..3).unwrap()).unwrap();
    for end in [1, 5, whole.len() / 2, whole.len() - 1] {
        assert!(assembly().add(&whole[..end]).is_err(), "{end}");
    }
    assert_eq!(assembly().add(b"\x04\0\0\0none").unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(ManifestTask::from_bytes(b"none").unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_part_has_the_errors_of_the_plan() {
    let request = of(&table().0, 3, "true");
    let parts = PlanParts::open(request.clone()).unwrap();
    let deletes = parts.deletes_task(0..0).unwrap();
    assert_eq!(parts.part_task(0..9).unwrap_err().kind(), ErrorKind::InvalidInput);
    let data = parts.part_task(0..1).unwrap();
    assert!(!plan_part(elsewhere(&request), &data, &deletes).unwrap().is_empty());
    let moved = [("memory://t".to_owned(), "memory://gone".to_owned())];
    let relocation = Arc::new(Relocation::new(&moved).unwrap());
    let there =
        PlanRequest { reader: ManifestReader { relocation, ..elsewhere(&request).reader }, ..request };
    let error = plan_part(there, &data, &deletes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("memory://gone/"), "{error}");
}

#[test]
fn what_one_process_must_plan_is_refused() {
    let request = of(&table().0, 1, "true");
    let named = PlanRequest { verbose: true, ..request.clone() };
    let of_column = PlanRequest { statistics_of: Some(1), ..request };
    for request in [named, of_column] {
        assert_eq!(PlanParts::open(request).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn a_plan_that_was_opened_for_tasks_can_be_made_here() {
    let request = of(&table().0, 4, "b > 100");
    let expected = told(&plan(request.clone()).unwrap());
    let collected = |stream: PlanStream| told(&stream.collect().unwrap());
    assert_eq!(collected(PlanParts::open(request.clone()).unwrap().here().unwrap()), expected);
    assert_eq!(collected(PlanParts::open(request).unwrap().index(None).unwrap().here()), expected);
}
