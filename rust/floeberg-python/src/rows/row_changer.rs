//! How does Python change rows that it reads batch by batch, as those of Lance tables?
//!
//! In: batches of all columns, the address of each row, with stable row ids its id, and with a source the number of a row of the
//! source. Out: new rows, and the addresses of old ones.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{Changer, FoundRows, Functions, NoFunctions, computed_columns, conform_batch};
use pyo3::prelude::*;

use crate::arrow::{Batch, Batches, Column};
use crate::incoming::{RowSource, Unchecked, import_column, import_schema};
use crate::pickle::refuse;
use crate::rows::functions::functions_of;
use crate::rows::new_value::NewValue;
use crate::rows::row_change::{Request, RowChange};
use crate::runtime::{self, Caller};

/// A change of the rows of one version of a table.
#[pyclass(frozen, module = "floeberg._native")]
pub struct RowChanger {
    pub table: SchemaRef,
    pub changer: Arc<Changer>,
    calling: Arc<Calling>,
    functions: Option<Arc<Py<PyAny>>>,
}

/// The functions of the call that is under way.
struct Calling(Mutex<Arc<dyn Functions>>);

impl Functions for Calling {
    fn call(&self, number: usize, rows: &RecordBatch) -> Result<(FieldRef, ArrayRef)> {
        let functions = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        functions.call(number, rows)
    }
}

impl Calling {
    /// Does work in which functions are called through the thread of a caller.
    fn during<T>(&self, functions: Arc<dyn Functions>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = functions;
        let done = work();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(NoFunctions);
        done
    }
}

/// New rows, the addresses of rows that are deleted or replaced, of the replaced ones alone, and with stable row ids the ids of these.
type Applied = (Batch, Column, usize, Column);

#[pymethods]
impl RowChanger {
    /// Of a table with the columns of a `pyarrow.Schema`. Names and types are checked, values of the source too.
    #[staticmethod]
    #[pyo3(signature = (row_change, schema, *, functions))]
    fn of(
        py: Python<'_>,
        row_change: &RowChange,
        schema: &Bound<'_, PyAny>,
        functions: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let table: SchemaRef = Arc::new(import_schema(py, schema)?);
        let (request, columns) = (row_change.0.clone(), Arc::clone(&table));
        let calling = Arc::new(Calling(Mutex::new(Arc::new(NoFunctions))));
        let functions = functions.map(Arc::new);
        let (asked, in_call) = (functions.clone(), Arc::clone(&calling));
        let prepare = move |cancel: &Cancel, caller: Caller| {
            let every = Arc::clone(&in_call) as Arc<dyn Functions>;
            in_call.during(functions_of(caller, asked), || match &request {
                Request::Update(update) => Changer::update(update, columns, every),
                Request::Merge(merge) => Changer::merge(merge, columns, every),
                Request::Upsert(upsert) => Changer::upsert(upsert, &columns, cancel),
                Request::Feed(feed) => Changer::feed(feed, &columns, cancel),
            })
        };
        let changer = runtime::asking_reported(py, &Cancel::default(), &|_| Ok(()), prepare, |_| Ok(()))?;
        Ok(Self { table, changer: Arc::new(changer), calling, functions })
    }

    /// Is every row of the table looked at?
    #[getter]
    fn lists_all(&self) -> bool {
        self.changer.lists_all()
    }

    /// Are the rows that are found read at all?
    #[getter]
    fn reads_table(&self) -> bool {
        self.changer.reads_table()
    }

    /// May rows be inserted?
    #[getter]
    fn inserts(&self) -> bool {
        self.changer.inserts()
    }

    /// The columns that get new values.
    #[getter]
    fn updated_columns(&self) -> Vec<String> {
        self.changer.updated_columns(&self.table)
    }

    /// What becomes of the rows of the one batch of a `pyarrow.RecordBatchReader`.
    fn apply(&self, py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<Applied> {
        let batch = RowSource::open(reader)?.next(py)?;
        let table = Arc::clone(&self.table);
        let applied = self.work(py, move |changer, _| {
            let Some(batch) = batch.map(Unchecked::checked).transpose()? else {
                return Err(Error::invalid_input("expected one batch"));
            };
            applied(changer, &table, &batch)
        })?;
        let (rows, addresses, updated, row_ids) = applied;
        let numbers = |numbers: ArrayRef| Column(Field::new("number", DataType::UInt64, false), numbers);
        Ok((Batch(rows), numbers(addresses), updated, numbers(row_ids)))
    }

    /// The rows that are inserted, when all rows of the table were applied: with all columns of the table. `reader` has the numbers of
    /// rows of the source whose keys no row has.
    fn inserted(&self, py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u32>>> {
        let (_, chunks) = import_column(py, reader)?;
        runtime::call(py, || {
            let mut unmatched = Vec::new();
            for chunk in &chunks {
                let numbers = chunk
                    .as_primitive_opt::<UInt32Type>()
                    .ok_or_else(|| Error::internal("numbers of rows are of 32 bits"))?;
                unmatched.extend_from_slice(numbers.values());
            }
            let rows = self.changer.rows_to_insert(unmatched);
            Ok(rows.chunks(self.changer.rows_at_once()).map(<[u32]>::to_vec).collect())
        })
    }

    /// New rows of some rows of the source, with all columns of the table; those that the source lacks are null.
    fn inserted_rows(&self, py: Python<'_>, rows: Vec<u32>) -> PyResult<Batches> {
        let table = Arc::clone(&self.table);
        self.work(py, move |changer, _| {
            let made = changer.inserted(&rows)?;
            let rows = made.iter().map(|batch| conform_batch(batch, &table)).collect::<Result<_>>()?;
            Ok(Batches { schema: table, rows })
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a change of rows", "what it was made of"))
    }
}

impl RowChanger {
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Changer, &Cancel) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (changer, calling) = (Arc::clone(&self.changer), Arc::clone(&self.calling));
        let asked = self.functions.clone();
        let work = move |cancel: &Cancel, caller: Caller| {
            calling.during(functions_of(caller, asked), || work(&changer, cancel))
        };
        runtime::asking_reported(py, &Cancel::default(), &|_| Ok(()), work, |_| Ok(()))
    }
}

/// The values of new columns of the one batch of a `pyarrow.RecordBatchReader`; with the columns of a `pyarrow.Schema` in their types.
#[pyfunction]
#[pyo3(name = "computed_columns", signature = (values, reader, *, schema, functions))]
pub fn columns_that_are_computed(
    py: Python<'_>,
    values: Vec<PyRef<'_, NewValue>>,
    reader: &Bound<'_, PyAny>,
    schema: Option<&Bound<'_, PyAny>>,
    functions: Option<Py<PyAny>>,
) -> PyResult<Batch> {
    let schema = schema.map(|schema| import_schema(py, schema)).transpose()?;
    let batch = RowSource::open(reader)?.next(py)?;
    let values: Vec<_> = values.iter().map(|value| value.0.clone()).collect();
    let functions = functions.map(Arc::new);
    let compute = move |_: &Cancel, caller: Caller| {
        let Some(batch) = batch.map(Unchecked::checked).transpose()? else {
            return Err(Error::invalid_input("expected one batch"));
        };
        let columns = schema.as_ref().map(|schema| &schema.fields);
        computed_columns(&values, &batch, columns, functions_of(caller, functions))
    };
    runtime::asking_reported(py, &Cancel::default(), &|_| Ok(()), compute, |_| Ok(())).map(Batch)
}

/// New rows, the addresses of old ones, how many of them are replaced, and the ids of these.
fn applied(
    changer: &Changer,
    table: &SchemaRef,
    batch: &RecordBatch,
) -> Result<(RecordBatch, ArrayRef, usize, ArrayRef)> {
    let width = table.fields().len();
    let (columns, places) = batch.columns().split_at(width.min(batch.num_columns()));
    let numbers = |column: &ArrayRef| column.as_primitive_opt::<UInt64Type>().cloned();
    let Some(addresses) = places.first().and_then(numbers) else {
        return Err(Error::internal("rows that change have addresses"));
    };
    let source_rows = places.last().and_then(|column| column.as_primitive_opt::<UInt32Type>());
    let row_ids = places.get(1).and_then(numbers);
    let found = FoundRows { columns, positions: addresses.values(), source_rows };
    let change = changer.apply(&found)?;
    let (mut made, mut replaced) = (Vec::new(), Vec::new());
    for updated in change.updated {
        let options = RecordBatchOptions::new().with_row_count(Some(updated.rows.len()));
        made.push(
            RecordBatch::try_new_with_options(Arc::clone(table), updated.columns, &options).map_err(shape)?,
        );
        replaced.extend(updated.rows);
    }
    let rows = concat_batches(table, &made).map_err(shape)?;
    let count = replaced.len();
    let ids: ArrayRef = match row_ids {
        Some(row_ids) => take(&row_ids, &UInt32Array::from(replaced.clone()), None).map_err(shape)?,
        None => Arc::new(UInt64Array::from(Vec::<u64>::new())),
    };
    replaced.extend(change.deleted);
    let addresses = take(&addresses, &UInt32Array::from(replaced), None).map_err(shape)?;
    Ok((rows, addresses, count, ids))
}

fn shape(error: ArrowError) -> Error {
    Error::internal("new rows have the columns of the table").caused_by(error)
}
