use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use floeberg_core::expr::ValueExpression;
use floeberg_core::{ErrorKind, Result};

use super::{batch, ints, numbers, source, table, texts};
use crate::{
    Assignment, BatchChange, ClauseRequest, ClauseRows, ClauseSets, Condition, FoundRows, Merge, MergeRows,
    NewValue, NoFunctions, RowChange as _, Update,
};

fn sql(text: &str) -> NewValue {
    NewValue::Sql(ValueExpression::parse(text).unwrap())
}

fn when(text: &str) -> Condition {
    Condition { argument: "predicate".to_owned(), value: sql(text) }
}

fn set(column: usize, text: &str) -> ClauseSets {
    ClauseSets::Some(vec![Assignment { column, value: sql(text) }])
}

fn clause(rows: ClauseRows, condition: Option<Condition>, sets: ClauseSets) -> ClauseRequest {
    ClauseRequest { rows, condition, sets }
}

/// A merge of the rows 10, 20 and 30 by their ids.
fn merge(condition: Option<Condition>, clauses: Vec<ClauseRequest>) -> Result<Merge> {
    let rows = batch(vec![
        ("id", numbers(&[Some(10), Some(20), Some(30)])),
        ("n", numbers(&[Some(1), None, Some(3)])),
    ]);
    let keys = vec![("id".to_owned(), "id".to_owned())];
    let request = MergeRows {
        source: source(rows),
        keys,
        conditions: (condition, None),
        clauses,
        case_sensitive: true,
    };
    request.on(table(), Arc::new(NoFunctions))
}

/// What becomes of rows 10, 20 and 40 of the table, of which the last has no row of the source.
fn applied(merge: &Merge) -> Result<BatchChange> {
    let columns: Vec<ArrayRef> = vec![
        numbers(&[Some(10), Some(20), Some(40)]),
        numbers(&[Some(100), Some(200), Some(400)]),
        texts(&["a", "b", "c"]),
    ];
    let of_source = UInt32Array::from(vec![Some(0), Some(1), None]);
    merge.apply(&FoundRows { columns: &columns, positions: &[5, 6, 7], source_rows: Some(&of_source) })
}

#[test]
fn the_first_clause_whose_condition_holds_is_applied() {
    let merge = merge(
        None,
        vec![
            clause(ClauseRows::Matched, Some(when("source.n > 0")), set(1, "target.n + source.n")),
            clause(ClauseRows::Matched, None, ClauseSets::Nothing),
            clause(ClauseRows::NotMatchedBySource, None, set(1, "n * 2")),
            clause(ClauseRows::NotMatched, Some(when("n > 2")), ClauseSets::All),
        ],
    )
    .unwrap();
    let change = applied(&merge).unwrap();
    assert_eq!(change.deleted, [1]);
    let updated: Vec<_> =
        change.updated.iter().map(|some| (some.rows.clone(), ints(&some.columns[1]))).collect();
    assert_eq!(updated, [(vec![0], vec![Some(101)]), (vec![2], vec![Some(800)])]);
    assert!(merge.lists_all() && merge.inserts() && merge.reads_table());
    let new = merge.inserted(&merge.unmatched(|| vec![2])).unwrap();
    let ids: Vec<_> = new.iter().flat_map(|rows| ints(rows.column_by_name("id").unwrap())).collect();
    assert_eq!(ids, [Some(30)]);
}

#[test]
fn rows_that_a_condition_does_not_join_are_those_of_no_row() {
    let clauses = vec![
        clause(ClauseRows::Matched, None, ClauseSets::Nothing),
        clause(ClauseRows::NotMatched, None, ClauseSets::All),
        clause(ClauseRows::NotMatchedBySource, None, set(2, "'alone'")),
    ];
    let merge = merge(Some(when("target.n < 150")), clauses).unwrap();
    let change = applied(&merge).unwrap();
    assert_eq!(change.deleted, [0]);
    assert_eq!(change.updated[0].rows, [1, 2]);
    // Row 20 of the source has the key of a row, and joins none.
    assert_eq!(merge.unmatched(|| vec![2]), [1, 2]);
}

#[test]
fn a_row_that_two_rows_change_is_an_error_unless_both_delete_it() {
    let columns: Vec<ArrayRef> =
        vec![numbers(&[Some(10), Some(10)]), numbers(&[Some(1), Some(1)]), texts(&["a", "a"])];
    let of_source = UInt32Array::from(vec![0, 1]);
    let found = FoundRows { columns: &columns, positions: &[5, 5], source_rows: Some(&of_source) };
    let set_all = merge(None, vec![clause(ClauseRows::Matched, None, ClauseSets::All)]).unwrap();
    let error = set_all.apply(&found).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("id = 10"), "{error}");
    let delete = merge(None, vec![clause(ClauseRows::Matched, None, ClauseSets::Nothing)]).unwrap();
    assert_eq!(delete.apply(&found).unwrap().deleted, [0]);
}

#[test]
fn mistakes_are_found_before_a_row_is_read() {
    let unknown = merge(None, vec![clause(ClauseRows::Matched, Some(when("nope = 1")), ClauseSets::Nothing)]);
    assert!(unknown.err().unwrap().message().contains("'nope'"));
    let other = merge(None, vec![clause(ClauseRows::NotMatched, None, set(0, "target.id"))]);
    assert!(other.err().unwrap().message().contains("unknown"));
    let wrong = merge(None, vec![clause(ClauseRows::Matched, None, set(1, "'text'"))]);
    assert!(wrong.err().unwrap().message().contains("expected int32"));
}

#[test]
fn an_update_computes_all_values_from_the_old_row() {
    let assignments = vec![
        Assignment { column: 0, value: NewValue::Column("n".to_owned()) },
        Assignment { column: 1, value: NewValue::Column("target.id".to_owned()) },
        Assignment { column: 2, value: NewValue::Null },
    ];
    let update = Update::new(table(), assignments, Arc::new(NoFunctions), true).unwrap();
    assert_eq!(update.columns_to_read(), [0, 1]);
    let columns: Vec<ArrayRef> = vec![numbers(&[Some(1)]), numbers(&[Some(2)]), texts(&["a"])];
    let change = update.apply(&FoundRows { columns: &columns, positions: &[0], source_rows: None }).unwrap();
    let made = &change.updated[0].columns;
    assert_eq!((ints(&made[0]), ints(&made[1])), (vec![Some(2)], vec![Some(1)]));
    assert_eq!(made[2].null_count(), 1);
}
