//! Which arrays of pyarrow come without their buffers?
//!
//! In: a `pyarrow.RecordBatch` that pyarrow has validated. Out: the same rows, in which each array without values has the buffers that
//! its type says.
//!
//! An array without values may come with buffers that are absent, empty or too short: pyarrow compares no sizes then, and Arrow Java
//! before 18.3 sends no offsets. The C data interface has no sizes, so that an import takes one offset for granted. Here all such
//! arrays are made anew, at every depth, and those above them with the buffers that they have. Others are not touched.
//!
//! Invariant: of an array without values no buffer crosses.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyBool, PyBytes, PyList};

/// The classes of pyarrow, and where arrays without values may be below the columns of a schema.
pub struct AbsentBuffers {
    columns: Vec<Shape>,
    pyarrow: Py<PyModule>,
}

/// What is below a column.
enum Shape {
    /// Values alone.
    Flat,
    /// Lists or maps, with this many buffers of their own.
    Lists {
        buffers: usize,
        elements: Box<Shape>,
    },
    Struct(Vec<Shape>),
    Dictionary(Box<Shape>),
    Runs {
        ends: Box<Shape>,
        values: Box<Shape>,
    },
    Extension(Box<Shape>),
}

impl AbsentBuffers {
    /// For batches of a `pyarrow.Schema`, whose depth was checked.
    pub fn of(schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pyarrow = schema.py().import("pyarrow")?;
        let types = schema.getattr("types")?;
        let columns = types.try_iter()?.map(|kind| Shape::of(&kind?, &pyarrow)).collect::<PyResult<_>>()?;
        Ok(Self { columns, pyarrow: pyarrow.unbind() })
    }

    /// A batch whose arrays all have their buffers.
    pub fn filled<'py>(&self, batch: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = batch.py();
        let pyarrow = self.pyarrow.bind(py);
        let has_rows = batch.len()? > 0;
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut is_changed = false;
        for (number, shape) in self.columns.iter().enumerate() {
            if has_rows && matches!(shape, Shape::Flat) {
                columns.push(None);
                continue;
            }
            let made = shape.filled(&batch.call_method1("column", (number,))?, pyarrow)?;
            is_changed |= made.is_some();
            columns.push(made);
        }
        if !is_changed {
            return Ok(batch);
        }
        let columns = columns.into_iter().enumerate().map(|(number, made)| match made {
            Some(made) => Ok(made),
            None => batch.call_method1("column", (number,)),
        });
        let columns = PyList::new(py, columns.collect::<PyResult<Vec<_>>>()?)?;
        let by_name = [("schema", batch.getattr("schema")?)].into_py_dict(py)?;
        pyarrow.getattr("RecordBatch")?.call_method("from_arrays", (columns,), Some(&by_name))
    }
}

impl Shape {
    fn of(kind: &Bound<'_, PyAny>, pyarrow: &Bound<'_, PyModule>) -> PyResult<Self> {
        // Not every pyarrow knows each of the types.
        let is = |name: &str| match pyarrow.getattr("types")?.getattr_opt(name)? {
            Some(is_of) => is_of.call1((kind,))?.is_truthy(),
            None => Ok(false),
        };
        let below = |name: &str| Self::of(&kind.getattr(name)?, pyarrow).map(Box::new);
        if let Some(storage) = kind.getattr_opt("storage_type")? {
            return Ok(match Self::of(&storage, pyarrow)? {
                Self::Flat => Self::Flat,
                nested => Self::Extension(Box::new(nested)),
            });
        }
        let number = kind.getattr("num_fields")?.extract::<usize>()?;
        if number == 0 {
            let is_dictionary = kind.hasattr("index_type")?;
            return if is_dictionary { below("value_type").map(Self::Dictionary) } else { Ok(Self::Flat) };
        }
        if is("is_run_end_encoded")? {
            return Ok(Self::Runs { ends: below("run_end_type")?, values: below("value_type")? });
        }
        if is("is_struct")? {
            let fields = (0..number)
                .map(|number| Self::of(&kind.call_method1("field", (number,))?.getattr("type")?, pyarrow));
            return fields.collect::<PyResult<_>>().map(Self::Struct);
        }
        let (buffers, elements) = if is("is_map")? {
            // The entries are a struct, whose type has no name of its own.
            let fields = ["key_type", "item_type"].map(|name| below(name).map(|shape| *shape));
            let [key, item] = fields;
            (2, Box::new(Self::Struct(vec![key?, item?])))
        } else if is("is_list")? || is("is_large_list")? {
            (2, below("value_type")?)
        } else if is("is_list_view")? || is("is_large_list_view")? {
            (3, below("value_type")?)
        } else if is("is_fixed_size_list")? {
            (1, below("value_type")?)
        } else {
            return Ok(Self::Flat);
        };
        Ok(Self::Lists { buffers, elements })
    }

    /// An array of a type without values. That of `pyarrow.nulls` is invalid where runs are below other types.
    fn empty<'py>(
        &self,
        kind: &Bound<'py, PyAny>,
        pyarrow: &Bound<'py, PyModule>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = kind.py();
        let (buffers, children) = match self {
            Self::Flat | Self::Dictionary(_) | Self::Runs { .. } => {
                return pyarrow.call_method1("nulls", (0, kind));
            }
            Self::Extension(storage) => {
                let storage = storage.empty(&kind.getattr("storage_type")?, pyarrow)?;
                return pyarrow.getattr("ExtensionArray")?.call_method1("from_storage", (kind, storage));
            }
            Self::Struct(fields) => {
                let children = fields.iter().enumerate().map(|(number, field)| {
                    field.empty(&kind.call_method1("field", (number,))?.getattr("type")?, pyarrow)
                });
                (1, children.collect::<PyResult<Vec<_>>>()?)
            }
            Self::Lists { buffers, elements } => {
                let below = match kind.getattr_opt("key_field")? {
                    Some(key) => pyarrow.call_method1("struct", ([key, kind.getattr("item_field")?],))?,
                    None => kind.getattr("value_type")?,
                };
                (*buffers, vec![elements.empty(&below, pyarrow)?])
            }
        };
        // One offset of any width.
        let zero = pyarrow.call_method1("py_buffer", (PyBytes::new(py, &[0; 8]),))?;
        let mut own = vec![py.None().into_bound(py)];
        own.extend((1..buffers).map(|_| zero.clone()));
        pyarrow.getattr("Array")?.call_method1("from_buffers", (kind, 0, own, 0, 0, children))
    }

    /// The array with its buffers; `None` where it has them.
    fn filled<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        pyarrow: &Bound<'py, PyModule>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let kind = array.getattr("type")?;
        if array.len()? == 0 {
            return self.empty(&kind, pyarrow).map(Some);
        }
        match self {
            Self::Flat => Ok(None),
            Self::Lists { buffers, elements } => {
                let Some(elements) = elements.filled(&array.getattr("values")?, pyarrow)? else {
                    return Ok(None);
                };
                rebuilt(array, *buffers, vec![elements], pyarrow).map(Some)
            }
            Self::Runs { ends, values } => {
                let (given_ends, given_values) = (array.getattr("run_ends")?, array.getattr("values")?);
                let (ends, values) =
                    (ends.filled(&given_ends, pyarrow)?, values.filled(&given_values, pyarrow)?);
                if ends.is_none() && values.is_none() {
                    return Ok(None);
                }
                let children = vec![ends.unwrap_or(given_ends), values.unwrap_or(given_values)];
                rebuilt(array, 1, children, pyarrow).map(Some)
            }
            Self::Struct(fields) => of_fields(array, fields, pyarrow),
            Self::Dictionary(values) => {
                let Some(values) = values.filled(&array.getattr("dictionary")?, pyarrow)? else {
                    return Ok(None);
                };
                let py = array.py();
                let is_safe = PyBool::new(py, false).to_owned().into_any();
                let by_name = [("ordered", kind.getattr("ordered")?), ("safe", is_safe)].into_py_dict(py)?;
                let arguments = (array.getattr("indices")?, values);
                pyarrow
                    .getattr("DictionaryArray")?
                    .call_method("from_arrays", arguments, Some(&by_name))
                    .map(Some)
            }
            Self::Extension(storage) => {
                let Some(storage) = storage.filled(&array.getattr("storage")?, pyarrow)? else {
                    return Ok(None);
                };
                pyarrow.getattr("ExtensionArray")?.call_method1("from_storage", (kind, storage)).map(Some)
            }
        }
    }
}

/// A struct whose fields have their buffers; `None` where they have.
fn of_fields<'py>(
    array: &Bound<'py, PyAny>,
    shapes: &[Shape],
    pyarrow: &Bound<'py, PyModule>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (mut children, mut is_changed) = (Vec::with_capacity(shapes.len()), false);
    for (number, shape) in shapes.iter().enumerate() {
        // The field is cut as the struct is.
        let field = array.call_method1("field", (number,))?;
        let made = shape.filled(&field, pyarrow)?;
        is_changed |= made.is_some();
        children.push(made.unwrap_or(field));
    }
    if !is_changed {
        return Ok(None);
    }
    let (py, kind) = (array.py(), array.getattr("type")?);
    let names = (0..shapes.len()).map(|number| kind.call_method1("field", (number,)));
    let fields = PyList::new(py, names.collect::<PyResult<Vec<_>>>()?)?;
    let mut how = vec![("fields", fields.into_any())];
    if array.getattr("null_count")?.is_truthy()? {
        how.push(("mask", array.call_method0("is_null")?));
    }
    let by_name = how.into_py_dict(py)?;
    pyarrow.getattr("StructArray")?.call_method("from_arrays", (children,), Some(&by_name)).map(Some)
}

/// An array with the buffers that it has, and other children.
fn rebuilt<'py>(
    array: &Bound<'py, PyAny>,
    buffers: usize,
    children: Vec<Bound<'py, PyAny>>,
    pyarrow: &Bound<'py, PyModule>,
) -> PyResult<Bound<'py, PyAny>> {
    let every = array.call_method0("buffers")?;
    let own = (0..buffers).map(|number| every.get_item(number)).collect::<PyResult<Vec<_>>>()?;
    let [null_count, offset] = ["null_count", "offset"].map(|name| array.getattr(name));
    let arguments = (array.getattr("type")?, array.len()?, own, null_count?, offset?, children);
    pyarrow.getattr("Array")?.call_method1("from_buffers", arguments)
}
