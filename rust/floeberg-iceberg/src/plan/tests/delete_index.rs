//! What the index finds is what a look at each delete finds, and so is its account.

use std::sync::Arc;

use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::{PartitionKey, Value};
use floeberg_io::location::canonical;
use proptest::prelude::*;

use crate::manifest::PruneCounts;
use crate::plan::deletes::index::{DataFile, DeleteIndex};
use crate::plan::deletes::indexed_delete::IndexedDelete;
use crate::plan::deletes::key_stats::{KeyColumn, mismatch};
use crate::plan::explain::Stage;
use crate::plan::{DeleteFile, DeleteKind, FileFormat};

const PATHS: [&str; 6] = ["/t/b", "file:/t/b", "file:///t/c", "/t/c", "s3://t/a", "s3://t/b"];

fn columns() -> Vec<KeyColumn> {
    let column = |id: i32, name: &str, primitive: PrimitiveType| KeyColumn {
        id,
        name: name.to_owned(),
        field_type: primitive.into(),
    };
    vec![
        column(1, "l", PrimitiveType::Long),
        column(2, "d", PrimitiveType::Double),
        column(3, "u", PrimitiveType::Uuid),
    ]
}

fn share() -> impl Strategy<Value = Share> {
    prop_oneof![6 => Just(Share::None), 1 => Just(Share::Unknown), 1 => Just(Share::Some), 1 => Just(Share::All)]
}

/// What is known of a column: more often than not that it has no nulls, and where it begins and ends.
fn column_stats(id: i32) -> impl Strategy<Value = ColumnStats> {
    let bound = move || {
        let value = move |number: i64| match id {
            1 => Value::Long(number),
            2 => Value::Double(if number == 9 { f64::NAN } else { number as f64 }),
            _ => Value::Uuid([number.unsigned_abs() as u8; 16]),
        };
        prop::option::weighted(0.9, (-9_i64..10).prop_map(value))
    };
    let nans = if id == 2 { share().boxed() } else { Just(Share::None).boxed() };
    (share(), nans, bound(), bound()).prop_map(|(nulls, nans, lower, upper)| ColumnStats {
        nulls,
        nans,
        lower,
        upper,
    })
}

#[derive(Debug, Clone)]
struct Known([ColumnStats; 3]);

impl Stats for Known {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        self.0[id as usize - 1].clone()
    }
}

fn known() -> impl Strategy<Value = Known> {
    (column_stats(1), column_stats(2), column_stats(3)).prop_map(|(l, d, u)| Known([l, d, u]))
}

fn path() -> impl Strategy<Value = String> {
    prop::sample::select(PATHS.to_vec()).prop_map(str::to_owned)
}

fn key(text: &str) -> PartitionKey {
    PartitionKey::new([Some(&Value::String(text.to_owned()))])
}

fn partition() -> impl Strategy<Value = (i32, PartitionKey)> {
    prop_oneof![8 => Just((1, "p")), 1 => Just((1, "q")), 1 => Just((2, "p"))]
        .prop_map(|(spec, text)| (spec, key(text)))
}

fn kind() -> impl Strategy<Value = DeleteKind> {
    prop_oneof![
        12 => Just(DeleteKind::Position),
        12 => Just(DeleteKind::Equality { equality_ids: vec![1] }),
        1 => Just(DeleteKind::Vector { content_offset: 4, content_size_in_bytes: 40 }),
    ]
}

fn delete() -> impl Strategy<Value = IndexedDelete> {
    let bounds = (prop::option::weighted(0.8, path()), prop::option::weighted(0.8, path()));
    let keys = prop::collection::vec(prop::bool::weighted(0.8), 3);
    let referenced = prop::option::weighted(0.1, path());
    (kind(), 0_i64..6, partition(), prop::bool::weighted(0.4), referenced, bounds, known(), keys).prop_map(
        |(kind, sequence_number, partition, unpartitioned, referenced, bounds, known, has)| {
            let is_equality = matches!(kind, DeleteKind::Equality { .. });
            let is_vector = matches!(kind, DeleteKind::Vector { .. });
            let referenced_data_file =
                if is_vector { referenced.or_else(|| Some(PATHS[0].to_owned())) } else { referenced };
            let own = (1..=3).filter(|id| has[*id as usize - 1]);
            let keys = own.map(|id: i32| (id, known.0[id as usize - 1].clone())).collect();
            let file = DeleteFile {
                file_path: String::new(),
                location: String::new(),
                file_format: FileFormat::Parquet,
                kind,
                record_count: 1,
                file_size_in_bytes: 100,
                data_sequence_number: sequence_number,
                referenced_data_file: referenced_data_file.filter(|_| !is_equality),
                spec_id: partition.0,
                partition: Vec::new(),
            };
            let (lowest_path, highest_path) = if is_equality { (None, None) } else { bounds };
            let keys = if is_equality { keys } else { Vec::new() };
            IndexedDelete { file: Arc::new(file), partition, unpartitioned, lowest_path, highest_path, keys }
        },
    )
}

/// The deletes of a file by the scope rules, each delete looked at; `None` where they contradict themselves.
fn plainly(
    deletes: &[IndexedDelete],
    path: &str,
    sequence_number: i64,
    partition: &(i32, PartitionKey),
    known: &Known,
    tally: &mut PruneCounts,
) -> Option<Vec<i32>> {
    let mut order: Vec<usize> = (0..deletes.len()).collect();
    order.sort_by_key(|number| deletes[*number].file.data_sequence_number);
    let mut found = Vec::new();
    for global in [true, false] {
        for number in &order {
            let delete = &deletes[*number];
            let is_equality = matches!(delete.file.kind, DeleteKind::Equality { .. });
            let in_scope = if global {
                delete.unpartitioned
            } else {
                !delete.unpartitioned && delete.partition == *partition
            };
            if !is_equality || !in_scope || delete.file.data_sequence_number <= sequence_number {
                continue;
            }
            tally.enter(1);
            let apart = delete.keys.iter().find_map(|(id, stats)| {
                Some((*id as usize - 1, mismatch(&known.0[*id as usize - 1], stats)?))
            });
            match apart {
                None => found.push(*number as i32),
                Some((column, reason)) => tally.drop(column, reason, &delete.file.file_path),
            }
        }
    }
    let names = |delete: &IndexedDelete| {
        let bounds_name =
            delete.lowest_path.clone().filter(|lowest| Some(lowest) == delete.highest_path.as_ref());
        delete.file.referenced_data_file.clone().or(bounds_name)
    };
    let reaches = |number: &usize| deletes[*number].file.data_sequence_number >= sequence_number;
    let by_position: Vec<usize> = order
        .into_iter()
        .filter(|number| !matches!(deletes[*number].file.kind, DeleteKind::Equality { .. }))
        .collect();
    let named =
        |number: &&usize| names(&deletes[**number]).is_some_and(|named| canonical(&named) == canonical(path));
    let vectors: Vec<_> = by_position
        .iter()
        .filter(named)
        .filter(|number| deletes[**number].file.kind != DeleteKind::Position)
        .collect();
    match vectors[..] {
        [] => {}
        [vector] if deletes[*vector].partition == *partition && reaches(vector) => {
            found.push(*vector as i32);
            return Some(found);
        }
        _ => return None,
    }
    let reaching: Vec<usize> = by_position.into_iter().filter(reaches).collect();
    let in_partition = |number: &&usize| deletes[**number].partition == *partition;
    found.extend(reaching.iter().filter(named).filter(in_partition).map(|number| *number as i32));
    let spelling = |path: &str| (path.starts_with("file://"), path.starts_with("file:"));
    let may_name = |number: &&usize| {
        let delete = &deletes[**number];
        let alike = |bound: &&str| spelling(bound) == spelling(path);
        names(delete).is_none()
            && delete.lowest_path.as_deref().filter(alike).is_none_or(|lowest| lowest <= path)
            && delete.highest_path.as_deref().filter(alike).is_none_or(|highest| path <= highest)
    };
    found.extend(reaching.iter().filter(in_partition).filter(may_name).map(|number| *number as i32));
    Some(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_index_finds_what_a_look_at_each_delete_finds(
        deletes in prop::collection::vec(delete(), 0..250),
        files in prop::collection::vec((path(), 0_i64..7, partition(), known()), 1..6),
    ) {
        let copies = deletes.iter().enumerate().map(|(number, delete)| {
            let file = DeleteFile { file_path: format!("delete-{number}"), ..(*delete.file).clone() };
            IndexedDelete {
                file: Arc::new(file),
                partition: delete.partition.clone(),
                unpartitioned: delete.unpartitioned,
                lowest_path: delete.lowest_path.clone(),
                highest_path: delete.highest_path.clone(),
                keys: delete.keys.clone(),
            }
        });
        let index = DeleteIndex::new(copies.collect(), columns());
        for (path, sequence_number, partition, known) in &files {
            let mut expected_tally = PruneCounts::new(false);
            let expected = plainly(&deletes, path, *sequence_number, partition, known, &mut expected_tally);
            let expected_stage = Stage::of("deletes", &expected_tally, &index.key_tests());
            for names in [false, true] {
                let data = DataFile {
                    path,
                    named: index.named(path),
                    sequence_number: *sequence_number,
                    partition: index.partition(partition.0, &partition.1),
                    stats: known,
                };
                let (mut found, mut tally) = (Vec::new(), PruneCounts::new(names));
                let result = index.matching(data, &mut found, &mut tally);
                prop_assert_eq!(result.ok().map(|()| found), expected.clone());
                let mut stage = Stage::of("deletes", &tally, &index.key_tests());
                for dropped in &mut stage.dropped {
                    prop_assert_eq!(dropped.files.len() as u64, if names { dropped.count } else { 0 });
                    dropped.files.clear();
                }
                prop_assert_eq!(&stage, &expected_stage);
            }
        }
    }
}
