//! Random rows and equality deletes, against comparing every row with every delete.

use std::sync::Arc;

use floeberg_core::schema::PrimitiveType;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::equality::{data, deletes, ints, key, left, rows_of, texts, with};
use crate::plan::{DeleteFile, FileScanTask};

/// A row: the values of column 1 and of column 2.
type Row = (Option<i32>, Option<&'static str>);

/// A delete file: which columns it compares, its sequence number, its rows.
type Deletes = (usize, i64, Vec<Row>);

const KEYS: [&[i32]; 3] = [&[1], &[2], &[1, 2]];

fn row() -> impl Strategy<Value = Row> {
    let text = prop_oneof![Just(""), Just("a"), Just("ab"), Just("b")];
    (option::weighted(0.8, 0..6), option::weighted(0.8, text))
}

fn columns(rows: &[Row]) -> Vec<(arrow_schema::Field, arrow_array::ArrayRef)> {
    let (numbers, words): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
    vec![ints(1, numbers), texts(2, words)]
}

fn is_deleted(row: &Row, own: i64, all: &[Deletes]) -> bool {
    all.iter().any(|(keys, number, rows)| {
        own < *number
            && rows.iter().any(|deleted| {
                (!KEYS[*keys].contains(&1) || deleted.0 == row.0)
                    && (!KEYS[*keys].contains(&2) || deleted.1 == row.1)
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn exactly_the_rows_that_equal_a_newer_delete_go(
        rows in vec(row(), 1..60),
        all in vec((0..3_usize, 1..5_i64, vec(row(), 1..5)), 0..5),
        own in 1..5_i64,
    ) {
        let store = data(columns(&rows));
        let files = all.iter().enumerate().map(|(place, (keys, number, rows))| {
            let delete = deletes(&store, &format!("memory://t/{place}"), KEYS[*keys], columns(rows));
            Arc::new(DeleteFile { data_sequence_number: *number, ..delete })
        });
        let task = FileScanTask { deletes: files.collect(), data_sequence_number: own, ..with(Vec::new()) };
        let keys = vec![key(1, PrimitiveType::Int), key(2, PrimitiveType::String)];
        let places = 0..rows.len() as i64;
        let expected: Vec<i64> = places.filter(|place| !is_deleted(&rows[*place as usize], own, &all)).collect();
        prop_assert_eq!(left(rows_of(&store, keys), &task), expected);
    }
}
