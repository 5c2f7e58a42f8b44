use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use serde_json::json;

use super::super::Matching;
use super::super::matched::PIECE;
use super::{batch, of_type, table};

fn pieces(table: &Schema, rows: &RecordBatch, first_row: u64) -> Result<Vec<RecordBatch>> {
    let mut taken = Vec::new();
    Matching::new(table, &rows.schema())?.apply_in_pieces(rows, first_row, &mut |piece| {
        taken.push(piece);
        Ok(())
    })?;
    Ok(taken)
}

#[test]
fn what_is_shared_comes_whole_and_what_is_made_anew_in_pieces() {
    let count = PIECE * 2 + 5;
    let long = of_type(&json!("long"), false);
    let wide: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count as i64));
    assert_eq!(pieces(&long, &batch(vec![("x", wide)]), 0).unwrap().len(), 1);
    let narrow: ArrayRef = Arc::new(Int32Array::from_iter_values(0..count as i32));
    let made = pieces(&long, &batch(vec![("x", narrow)]), 0).unwrap();
    assert_eq!(made.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [PIECE, PIECE, 5]);
    let all = made.iter().flat_map(|piece| piece.column(0).as_primitive::<Int64Type>().values().to_vec());
    assert!(all.eq(0..count as i64));
}

#[test]
fn what_is_beyond_a_batch_is_halved() {
    let text = "x".repeat(16 << 10);
    let wanted = table(&json!([
        {"id": 1, "name": "x", "required": false, "type": "long"},
        {"id": 2, "name": "t", "required": false, "type": "string", "write-default": text},
    ]));
    let rows: ArrayRef = Arc::new(Int64Array::from_iter_values(0..20_000));
    let rows = batch(vec![("x", rows)]);
    let mut next = 0;
    Matching::new(&wanted, &rows.schema())
        .unwrap()
        .apply_in_pieces(&rows, 0, &mut |piece| {
            assert!(piece.num_rows() < 20_000);
            assert_eq!(piece.column(0).as_primitive::<Int64Type>().value(0), next);
            next += piece.num_rows() as i64;
            Ok(())
        })
        .unwrap();
    assert_eq!(next, 20_000);
}

#[test]
fn rows_are_counted_across_batches_and_pieces() {
    let count = PIECE + 10;
    let mut values: Vec<Option<i32>> = (0..count as i32).map(Some).collect();
    values[PIECE + 3] = None;
    let rows: ArrayRef = Arc::new(Int32Array::from(values));
    let error = pieces(&of_type(&json!("long"), true), &batch(vec![("x", rows)]), 1_000).unwrap_err();
    assert!(error.to_string().contains(&format!("row: {}", 1_000 + PIECE + 3)), "{error}");
}

#[test]
fn who_takes_the_pieces_may_stop() {
    let rows: ArrayRef = Arc::new(Int32Array::from_iter_values(0..PIECE as i32 * 3));
    let rows = batch(vec![("x", rows)]);
    let matching = Matching::new(&of_type(&json!("long"), false), &rows.schema()).unwrap();
    let mut taken = 0;
    let stopped = matching.apply_in_pieces(&rows, 0, &mut |_| {
        taken += 1;
        Err(Error::limit("enough"))
    });
    assert_eq!((stopped.unwrap_err().message(), taken), ("enough", 1));
}
