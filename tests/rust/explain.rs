//! Does the account of a plan say what its tasks say?

use std::collections::BTreeMap;

use floeberg_core::Cancel;
use floeberg_iceberg::plan::{AttachedDeletes, DeleteKind, FileScanTask, FileSizes, Plan, Stage};

use crate::recipes::scans;

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap()
}

/// Deletes of a kind, counted task by task.
fn attached(tasks: &[FileScanTask], is_of_kind: fn(&DeleteKind) -> bool) -> AttachedDeletes {
    let mut found = AttachedDeletes::default();
    let mut each = BTreeMap::new();
    for task in tasks {
        let mut of_kind = task.deletes.iter().filter(|delete| is_of_kind(&delete.kind)).peekable();
        found.data_files += u64::from(of_kind.peek().is_some());
        for delete in of_kind {
            let (place, bytes) = match &delete.kind {
                DeleteKind::Vector { content_offset, content_size_in_bytes } => {
                    (*content_offset, *content_size_in_bytes)
                }
                DeleteKind::Position | DeleteKind::Equality { .. } => (0, delete.file_size_in_bytes),
            };
            each.insert((&delete.file_path, place), (delete.record_count, bytes));
        }
    }
    found.files = each.len() as u64;
    found.records = each.values().map(|(records, _)| unsigned(*records)).sum();
    found.bytes = each.values().map(|(_, bytes)| unsigned(*bytes)).sum();
    found
}

fn sizes(tasks: &[FileScanTask]) -> Option<FileSizes> {
    let mut sizes: Vec<_> = tasks.iter().map(|task| unsigned(task.file_size_in_bytes)).collect();
    sizes.sort_unstable();
    let (smallest, largest) = (*sizes.first()?, *sizes.last()?);
    Some(FileSizes { smallest, median: sizes[(sizes.len() - 1) / 2], largest })
}

fn stage<'a>(plan: &'a Plan, name: &str) -> Option<&'a Stage> {
    plan.explain().stages.iter().find(|stage| stage.name == name)
}

#[test]
fn what_is_to_read_is_what_the_tasks_read() {
    let mut kinds = [0; 3];
    for (name, scan) in scans() {
        let plan = scan.plan(&Cancel::default()).unwrap();
        let tasks: Vec<FileScanTask> = plan.tasks().map(Result::unwrap).collect();
        assert_eq!(plan.file_sizes().unwrap(), sizes(&tasks), "{name}");
        let deletes = plan.attached_deletes().unwrap();
        let found = [deletes.position, deletes.equality, deletes.vectors];
        let counted = [
            attached(&tasks, |kind| matches!(kind, DeleteKind::Position)),
            attached(&tasks, |kind| matches!(kind, DeleteKind::Equality { .. })),
            attached(&tasks, |kind| matches!(kind, DeleteKind::Vector { .. })),
        ];
        assert_eq!(found, counted, "{name}");
        kinds.iter_mut().zip(found).for_each(|(sum, found)| *sum += found.files);
        let explain = plan.explain();
        assert_eq!(explain.data_files, tasks.len() as u64, "{name}");
        assert_eq!(
            explain.records,
            tasks.iter().map(|task| unsigned(task.record_count)).sum::<u64>(),
            "{name}"
        );
        let bytes: u64 = tasks.iter().map(|task| unsigned(task.file_size_in_bytes)).sum();
        assert_eq!(explain.bytes, bytes, "{name}");
    }
    assert!(kinds.iter().all(|files| *files > 10), "{kinds:?}");
}

#[test]
fn what_a_stage_keeps_enters_the_next_and_the_last_keeps_the_plan() {
    for (name, scan) in scans() {
        let plan = scan.plan(&Cancel::default()).unwrap();
        let Some(manifests) = stage(&plan, "data manifests") else {
            assert!(plan.is_empty(), "{name}");
            continue;
        };
        let explain = plan.explain();
        assert_eq!(manifests.kept, explain.manifests.data, "{name}");
        assert_eq!(stage(&plan, "delete manifests").unwrap().kept, explain.manifests.deletes, "{name}");
        assert_eq!(explain.manifests.bytes == 0, explain.manifests.data + explain.manifests.deletes == 0);
        let by_partition = stage(&plan, "data files by partition").unwrap();
        let by_bounds = stage(&plan, "data files by counts and bounds").unwrap();
        assert_eq!(by_partition.kept, by_bounds.entered, "{name}");
        assert_eq!(by_bounds.kept, plan.len() as u64, "{name}");
        for stage in &explain.stages {
            let dropped: u64 = stage.dropped.iter().map(|dropped| dropped.count).sum();
            assert_eq!(stage.entered, stage.kept + dropped, "{name}: {stage:?}");
        }
    }
}
