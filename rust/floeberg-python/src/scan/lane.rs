//! What does a reader that is not ours need to know of the files of a plan?
//!
//! In: a plan, and numbers of its files. Out: what the files say of their columns, and which of their rows are deleted.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_schema::{DataType, Field};
use floeberg_core::Cancel;
use floeberg_iceberg::read::{TableReader, deleted_words, stored_shapes};
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::runtime;
use crate::scan::plan::Plan;
use crate::scan::scan::Scan;

/// Of each file the number of its text and its size, and the texts.
type Told = (Vec<(usize, u64)>, Vec<String>);

/// What files say of their columns.
#[pyfunction]
pub fn parquet_shapes(py: Python<'_>, scan: &Scan, locations: Vec<String>) -> PyResult<Told> {
    let store = Arc::clone(scan.inner().table().store());
    runtime::run(py, &Cancel::default(), move |cancel| {
        let shapes = stored_shapes(store.as_ref(), &locations, cancel)?;
        Ok((shapes.files, shapes.texts))
    })
}

/// The deleted rows of each file of a plan: the words of a bitmap, as a list of `int64`.
#[pyfunction]
pub fn deleted_rows(py: Python<'_>, plan: &Plan, numbers: Vec<usize>) -> PyResult<Column> {
    let (scan, files) = (plan.scan().clone(), plan.whole(py)?);
    runtime::run(py, &Cancel::default(), move |cancel| {
        let reader = TableReader::new(scan.read_request(cancel)?);
        Ok(column(&deleted_words(&reader, &files, &numbers, cancel)?))
    })
}

fn column(words: &[Vec<i64>]) -> Column {
    // Without nulls, Spark tests for none.
    let word = Arc::new(Field::new_list_field(DataType::Int64, false));
    let mut lists = ListBuilder::new(Int64Builder::new()).with_field(Arc::clone(&word));
    for each in words {
        lists.values().append_slice(each);
        lists.append(true);
    }
    Column(Field::new("words", DataType::List(word), false), Arc::new(lists.finish()))
}
