#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_array::Array as _;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;

use crate::tests::tables::{ROOT, data_file, fragment, head, manifest, table_of};
use crate::wire::{DeletionFile, Fragment};

#[test]
fn a_plan_is_cut_by_rows() {
    let table = table_of(manifest(head(1), &[fragment(0, 10), fragment(4, 3)])).unwrap();
    let plan = table.plan().unwrap();
    let parts: Vec<_> =
        plan.split(4).map(|task| task.map(|task| (task.fragment_id, task.rows)).unwrap()).collect();
    assert_eq!(parts, [(0, 0..4), (0, 4..8), (0, 8..10), (4, 0..3)]);
    assert_eq!(plan.split(u64::MAX).count(), 2);
    assert_eq!(plan.split(0).count(), 13);
    assert!(plan.task(2).is_err());
}

#[test]
fn a_plan_is_columns() {
    let deletion_file =
        |num_deleted_rows| Some(DeletionFile { id: 8, num_deleted_rows, ..DeletionFile::default() });
    let fragments = [
        Fragment {
            deletion_file: deletion_file(2),
            files: vec![
                data_file("a"),
                crate::wire::DataFile { fields: vec![7], column_indices: vec![0], ..data_file("b") },
            ],
            ..fragment(0, 10)
        },
        Fragment { deletion_file: deletion_file(0), ..fragment(1, 5) },
        fragment(2, 1),
    ];
    let plan = table_of(manifest(head(1), &fragments)).unwrap().plan().unwrap();
    let columns = plan.to_arrow().unwrap();
    assert_eq!(columns["fragment_id"].as_primitive::<UInt64Type>().values(), &[0, 1, 2]);
    let deleted = columns["deleted_rows"].as_primitive::<UInt64Type>();
    assert_eq!((deleted.value(0), deleted.is_null(1), deleted.value(2)), (2, true, 0));
    let files = columns["data_files"].as_list::<i32>().value(0);
    assert_eq!(files.as_string::<i32>().value(1), format!("{ROOT}/data/b"));
    let deletions = columns["deletion_file"].as_string::<i32>();
    assert_eq!(deletions.value(1), format!("{ROOT}/_deletions/1-0-8.arrow"));
    assert!(deletions.is_null(2));
}
