//! How does Arrow data of users come in?
//!
//! In: a `pyarrow.RecordBatchReader` or a `pyarrow.Schema`. Out: checked batches and schemas.
//!
//! The code of users runs in `read_next_batch` alone, on the thread that called us: what it raises is passed on unchanged,
//! and no thread of ours is ever in Python. Each batch then crosses through a stream that pyarrow writes for us, and which gives
//! what was put into its hand.
//!
//! Invariant: nothing is recursed over before its depth is known. pyarrow compares the sizes of buffers, which do not cross, with
//! their lengths; offsets, indices and views are checked here before anything follows them. Nothing is read that was not given: arrays
//! without values, whose buffers may be absent, are made anew before they cross.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader as _};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use floeberg_core::arrow_values::{check_layout, first_non_utf8_below, with_own_bits};
use floeberg_core::schema::json::MAX_DEPTH;
use floeberg_core::{Context as _, Error, Result, fenced};
use pyo3::exceptions::{PyStopIteration, PyUnicodeDecodeError};
use pyo3::prelude::*;

use crate::absent_buffers::AbsentBuffers;
use crate::error::to_exception;

/// Batches of a `pyarrow.RecordBatchReader`.
pub struct RowSource {
    reader: Py<PyAny>,
    python_schema: Py<PyAny>,
    absent: AbsentBuffers,
    /// What the stream takes the next batch out of.
    hand: Py<Hand>,
    stream: RecordBatchStreamReader,
}

/// A batch that was not checked yet.
pub struct Unchecked(RecordBatch);

impl RowSource {
    /// Errors: `InvalidInput` for a schema that cannot be taken over.
    pub fn open(reader: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = reader.py();
        let schema = reader.getattr("schema")?;
        check_schema(&schema)?;
        let absent = AbsentBuffers::of(&schema)?;
        let hand = Py::new(py, Hand(Mutex::new(None)))?;
        let readers = py.import("pyarrow")?.getattr("RecordBatchReader")?;
        let handed = readers.call_method1("from_batches", (&schema, &hand))?;
        let mut stream = FFI_ArrowArrayStream::empty();
        handed.call_method1("_export_to_c", ((&raw mut stream).expose_provenance(),))?;
        let stream = fenced(|| {
            RecordBatchStreamReader::try_new(stream).map_err(|failure| unusable("schema", failure))
        });
        let stream = stream.map_err(|error| to_exception(py, &error))?;
        Ok(Self { reader: reader.clone().unbind(), python_schema: schema.unbind(), absent, hand, stream })
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }

    /// The next batch; `None` at the end.
    ///
    /// Errors: what the reader raises, as it is; `InvalidInput` for a batch of another schema than the reader's, and for one whose
    /// buffers are too small.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<Unchecked>> {
        let batch = match self.reader.bind(py).call_method0("read_next_batch") {
            Ok(batch) => batch,
            Err(end) if end.is_instance_of::<PyStopIteration>(py) => return Ok(None),
            Err(raised) => return Err(raised),
        };
        check_types(&batch.getattr("schema")?, self.python_schema.bind(py))?;
        if batch.getattr("num_rows")?.extract::<usize>()? == 0 {
            // Buffers of no rows may be anything: pyarrow itself makes such as it does not take back.
            return Ok(Some(Unchecked(RecordBatch::new_empty(self.stream.schema()))));
        }
        self.hand.get().put(filled(batch, &self.absent)?.unbind());
        let imported = fenced(|| match self.stream.next() {
            Some(batch) => {
                batch.map_err(|failure| null_in(&failure).unwrap_or_else(|| unusable("batch", failure)))
            }
            None => Err(Error::internal("pyarrow gave no batch after it was handed one")),
        });
        imported.map(|batch| Some(Unchecked(batch))).map_err(|error| to_exception(py, &error))
    }
}

impl Unchecked {
    /// The batch. Errors: `InvalidInput`, naming the column, where its offsets, indices or views lead out of its buffers.
    pub fn checked(self) -> Result<RecordBatch> {
        let Self(batch) = self;
        fenced(|| {
            for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
                check_layout(column).context("column", field.name())?;
            }
            Ok(batch)
        })
    }

    /// The batch, on its way to code that believes that texts are UTF-8. `first_row` is the number of its first row, for errors.
    ///
    /// Errors: those of [`Self::checked`]; `InvalidInput`, naming column and row, for a text that is not UTF-8.
    pub fn with_texts(self, first_row: usize) -> Result<RecordBatch> {
        let batch = self.checked()?;
        check_texts(&batch, first_row)?;
        Ok(batch)
    }
}

fn check_texts(batch: &RecordBatch, first_row: usize) -> Result<()> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if let Some(row) = first_non_utf8_below(column) {
            return Err(Error::invalid_input("a text is not UTF-8")
                .with("column", field.name())
                .with("row", first_row + row));
        }
    }
    Ok(())
}

/// A batch that pyarrow finds whole, with all of its buffers.
fn filled<'py>(batch: Bound<'py, PyAny>, absent: &AbsentBuffers) -> PyResult<Bound<'py, PyAny>> {
    let py = batch.py();
    batch.call_method0("validate").map_err(|raised| {
        to_exception(py, &Error::invalid_input(format!("an Arrow array is damaged: {}", raised.value(py))))
    })?;
    absent.filled(batch)
}

/// A `pyarrow.RecordBatch` with all of its buffers, for those who work on it with pyarrow, which reads absent ones too.
///
/// Errors: `InvalidInput` for a batch that nests too deep, and for one whose buffers are too small.
#[pyfunction]
pub fn with_buffers(batch: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let schema = batch.getattr("schema")?;
    check_schema(&schema)?;
    filled(batch, &AbsentBuffers::of(&schema)?)
}

/// A batch on its way to another library, which believes what it is given.
///
/// It has all of its buffers, and its structs and lists begin at their first value. Values are not copied, but of columns with bools that
/// begin within a byte: some libraries lose count of their bits.
///
/// Errors: `InvalidInput`, naming the column, for text that is not UTF-8.
pub fn for_other_libraries(batch: &RecordBatch) -> Result<RecordBatch> {
    check_texts(batch, 0)?;
    let columns = batch.columns().iter().map(with_own_bits).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
        .map_err(|failure| unusable("batch", failure))
}

/// Iterates over the batch that was put into it.
#[pyclass(frozen, module = "floeberg._native")]
struct Hand(Mutex<Option<Py<PyAny>>>);

impl Hand {
    fn put(&self, batch: Py<PyAny>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(batch);
    }
}

#[pymethods]
impl Hand {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> Option<Py<PyAny>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The one column of the batches of a `pyarrow.RecordBatchReader`, in chunks.
///
/// Errors: those of [`RowSource`]; `InvalidInput` for more than one column, and for text that is not UTF-8.
pub fn import_column(py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<(Field, Vec<ArrayRef>)> {
    let mut source = RowSource::open(reader)?;
    let schema = source.schema();
    let [field] = &schema.fields()[..] else {
        return Err(to_exception(py, &Error::invalid_input("expected one column")));
    };
    let (mut chunks, mut rows) = (Vec::new(), 0);
    while let Some(batch) = source.next(py)? {
        let batch = batch.with_texts(rows).map_err(|error| to_exception(py, &error))?;
        let chunk = Arc::clone(batch.column(0));
        rows += chunk.len();
        chunks.push(chunk);
    }
    Ok((Field::clone(field), chunks))
}

/// A `pyarrow.Schema`, which pyarrow writes into a structure that Rust owns.
///
/// Errors: those of pyarrow; `InvalidInput` for types that cannot be taken over.
pub fn import_schema(py: Python<'_>, schema: &Bound<'_, PyAny>) -> PyResult<Schema> {
    check_schema(schema)?;
    let mut exported = FFI_ArrowSchema::empty();
    schema.call_method1("_export_to_c", ((&raw mut exported).expose_provenance(),))?;
    fenced(|| Schema::try_from(&exported).map_err(|failure| unusable("schema", failure)))
        .map_err(|error| to_exception(py, &error))
}

/// The error for a null in a column that its own rows call required.
fn null_in(failure: &ArrowError) -> Option<Error> {
    let ArrowError::InvalidArgumentError(said) = failure else { return None };
    let (name, _) =
        said.strip_prefix("Column '")?.split_once("' is declared as non-nullable but contains null")?;
    let said = "a value is null, and the schema of the rows says that its column is required: fill it, or make the field \
                nullable";
    Some(Error::invalid_input(said).with("column", name))
}

fn unusable(what: &str, failure: ArrowError) -> Error {
    Error::invalid_input(format!("an Arrow {what} cannot be read")).caused_by(failure)
}

/// Refuses a `pyarrow.Schema` that nests too deep to be walked by recursion, and names that C would cut.
fn check_schema(schema: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = schema.py();
    let refuse = |why: String| to_exception(py, &Error::invalid_input(why));
    let mut fields = Vec::new();
    for number in 0..schema.len()? {
        fields.push((schema.call_method1("field", (number,))?, 1));
    }
    while let Some((field, depth)) = fields.pop() {
        let name = field.getattr("name").map_err(|raised| match raised {
            raised if raised.is_instance_of::<PyUnicodeDecodeError>(py) => {
                refuse("the name of a column is not UTF-8".to_owned())
            }
            raised => raised,
        })?;
        let name = name.extract::<String>()?;
        if name.contains('\0') {
            return Err(refuse(format!("the name {name:?} of a column has a NUL in it")));
        }
        let mut kind = field.getattr("type")?;
        let mut depth = depth;
        // What an extension or a dictionary stands for may nest as well.
        loop {
            if depth > MAX_DEPTH {
                return Err(refuse(format!(
                    "a column of the Arrow schema is nested more than {MAX_DEPTH} levels deep"
                )));
            }
            for number in 0..kind.getattr("num_fields")?.extract::<usize>()? {
                fields.push((kind.call_method1("field", (number,))?, depth + 1));
            }
            let below = match kind.getattr_opt("storage_type")? {
                None if kind.hasattr("index_type")? => Some(kind.getattr("value_type")?),
                below => below,
            };
            let Some(below) = below else { break };
            kind = below;
            depth += 1;
        }
    }
    Ok(())
}

/// pyarrow's readers give batches of any schema, whose buffers would be taken for those of other types.
fn check_types(found: &Bound<'_, PyAny>, expected: &Bound<'_, PyAny>) -> PyResult<()> {
    if found.call_method1("equals", (expected,))?.is_truthy()? {
        return Ok(());
    }
    let py = found.py();
    let is_same = found.getattr("names")?.eq(expected.getattr("names")?)?
        && found.getattr("types")?.eq(expected.getattr("types")?)?;
    if is_same {
        return Ok(());
    }
    let error = Error::invalid_input(format!(
        "a batch has another schema than its reader: expected {}, found {}",
        one_line(expected)?,
        one_line(found)?
    ));
    Err(to_exception(py, &error))
}

fn one_line(schema: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = schema.call_method1("to_string", (true, false, false))?.extract::<String>()?;
    Ok(text.lines().collect::<Vec<_>>().join(", ").chars().take(500).collect())
}
