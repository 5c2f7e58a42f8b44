//! How do gathered values become Arrow arrays?
//!
//! Invariant: every array is checked by Arrow's own constructors (lengths, UTF-8), once a column, not once a value.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, ListArray, MapArray, NullArray, StringArray, StructArray,
    make_array, new_null_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, FieldRef, Fields};
use floeberg_core::schema::Field;
use floeberg_core::schema::arrow::{field_to_arrow, type_to_arrow};
use floeberg_core::{Context, Error, Result};

use super::column::{Column, Values};

/// The most bytes of the nulls of a missing column: a null of a fixed type takes as much memory as a value.
const MOST_NULL_BYTES: usize = 1 << 30;

/// How columns become arrays: the shape of the result.
#[derive(Debug)]
pub(super) enum Output {
    /// Nulls, since the file does not have the column.
    Missing(DataType),
    Leaf {
        column: usize,
        data_type: DataType,
    },
    Struct {
        column: usize,
        fields: Fields,
        children: Vec<Output>,
    },
    List {
        column: usize,
        field: FieldRef,
        child: Box<Output>,
    },
    Map {
        column: usize,
        entries: FieldRef,
        key: Box<Output>,
        value: Box<Output>,
    },
    /// A struct of one child per wanted key.
    Keyed {
        column: Option<usize>,
        fields: Fields,
        children: Vec<Output>,
    },
}

impl Output {
    pub(super) fn keyed(
        column: Option<usize>,
        keys: &[i32],
        value: &Field,
        children: Vec<Self>,
    ) -> Result<Self> {
        let data_type = type_to_arrow(&value.field_type)?;
        let fields =
            keys.iter().map(|key| ArrowField::new(key.to_string(), data_type.clone(), true)).collect();
        Ok(Self::Keyed { column, fields, children })
    }

    pub(super) fn map(column: usize, field: &Field, key: Self, value: Self) -> Result<Self> {
        match type_to_arrow(&field.field_type)? {
            DataType::Map(entries, _) => {
                Ok(Self::Map { column, entries, key: Box::new(key), value: Box::new(value) })
            }
            other => Err(Error::internal(format!("a map became {other}")).with("field", field)),
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Missing(data_type) | Self::Leaf { data_type, .. } => data_type.clone(),
            Self::Struct { fields, .. } | Self::Keyed { fields, .. } => DataType::Struct(fields.clone()),
            Self::List { field, .. } => DataType::List(Arc::clone(field)),
            Self::Map { entries, .. } => DataType::Map(Arc::clone(entries), false),
        }
    }

    /// The column to which a row of the parent adds a row.
    pub(super) fn column(&self) -> Option<usize> {
        match self {
            Self::Missing(_) => None,
            Self::Keyed { column, .. } => *column,
            Self::Leaf { column, .. }
            | Self::Struct { column, .. }
            | Self::List { column, .. }
            | Self::Map { column, .. } => Some(*column),
        }
    }

    /// The most bytes that a row adds to the columns, not counting items.
    pub(super) fn row_bytes(&self, columns: &[Column]) -> u64 {
        let own = self.column().map_or(0, |column| columns[column].row_bytes());
        match self {
            Self::Struct { children, .. } | Self::Keyed { children, .. } => {
                children.iter().fold(own, |sum, child| sum.saturating_add(child.row_bytes(columns)))
            }
            _ => own,
        }
    }

    /// The same of an item of a list or map.
    pub(super) fn item_bytes(&self, columns: &[Column]) -> u64 {
        let items = match self {
            Self::List { child, .. } => child.row_bytes(columns),
            Self::Map { key, value, .. } => key.row_bytes(columns).saturating_add(value.row_bytes(columns)),
            _ => 0,
        };
        items.saturating_add(1)
    }

    /// Takes the gathered values of the columns.
    pub(super) fn finish(&self, columns: &mut [Column], rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Missing(data_type) => {
                let bytes = null_width(data_type).saturating_mul(rows);
                if bytes > MOST_NULL_BYTES {
                    return Err(Error::limit(format!(
                        "{rows} nulls of a missing column would take {bytes} bytes"
                    )));
                }
                Ok(new_null_array(data_type, rows))
            }
            Self::Leaf { column, data_type } => {
                let nulls = columns[*column].validity.finish();
                leaf_array(&mut columns[*column].values, data_type, nulls, rows)
            }
            Self::Struct { column, fields, children } => {
                let nulls = columns[*column].validity.finish();
                finish_struct(fields, children, columns, rows, nulls).map(arc)
            }
            Self::Keyed { column, fields, children } => {
                if let Some(Column { values: Values::Keyed(rows, _), validity }) =
                    column.map(|column| &mut columns[column])
                {
                    *rows = 0;
                    validity.finish();
                }
                finish_struct(fields, children, columns, rows, None).map(arc)
            }
            Self::List { column, field, child } => {
                let (offsets, items) = take_offsets(&mut columns[*column])?;
                let nulls = columns[*column].validity.finish();
                let child = child.finish(columns, items)?;
                Ok(Arc::new(ListArray::try_new(Arc::clone(field), offsets, child, nulls).map_err(refused)?))
            }
            Self::Map { column, entries, key, value } => {
                let (offsets, items) = take_offsets(&mut columns[*column])?;
                let nulls = columns[*column].validity.finish();
                let pairs = vec![key.finish(columns, items)?, value.finish(columns, items)?];
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(Error::internal("the entries of an Arrow map are not a struct"));
                };
                let pairs = StructArray::try_new(fields.clone(), pairs, None).map_err(refused)?;
                let map = MapArray::try_new(Arc::clone(entries), offsets, pairs, nulls, false);
                Ok(Arc::new(map.map_err(refused)?))
            }
        }
    }
}

/// How many bytes a null of that type takes, not counting a few.
fn null_width(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeBinary(width) => *width as usize,
        DataType::Struct(fields) => fields.iter().map(|field| null_width(field.data_type())).sum(),
        _ => 0,
    }
}

/// The arrays of a struct's children, as a struct.
pub(super) fn finish_struct(
    fields: &Fields,
    children: &[Output],
    columns: &mut [Column],
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<StructArray> {
    let arrays = children
        .iter()
        .zip(fields)
        .map(|(child, field)| child.finish(columns, rows).context("field", field.name()));
    let arrays = arrays.collect::<Result<_>>()?;
    StructArray::try_new_with_length(fields.clone(), arrays, nulls, rows).map_err(refused)
}

fn arc(array: StructArray) -> ArrayRef {
    Arc::new(array)
}

fn take_offsets(column: &mut Column) -> Result<(OffsetBuffer<i32>, usize)> {
    let Values::Items(offsets) = &mut column.values else {
        return Err(Error::internal("a list column without offsets"));
    };
    let offsets = tight(&mut std::mem::take(offsets).0);
    let items = offsets.last().map_or(0, |&end| end as usize);
    Ok((OffsetBuffer::new(ScalarBuffer::from(offsets)), items))
}

/// The gathered values, without spare capacity, as they may be kept for long.
fn tight<T>(values: &mut Vec<T>) -> Vec<T> {
    let mut values = std::mem::take(values);
    values.shrink_to_fit();
    values
}

fn leaf_array(
    values: &mut Values,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
    rows: usize,
) -> Result<ArrayRef> {
    let array: ArrayRef = match values {
        Values::Null(rows) => Arc::new(NullArray::new(std::mem::take(rows))),
        Values::Boolean(values) => Arc::new(BooleanArray::new(values.finish(), nulls)),
        Values::Int32(values) => Arc::new(Int32Array::new(tight(values).into(), nulls)),
        Values::Int64(values) => Arc::new(Int64Array::new(tight(values).into(), nulls)),
        Values::Float32(values) => Arc::new(Float32Array::new(tight(values).into(), nulls)),
        Values::Float64(values) => Arc::new(Float64Array::new(tight(values).into(), nulls)),
        Values::Decimal(values) => Arc::new(Decimal128Array::new(tight(values).into(), nulls)),
        Values::Bytes(offsets, data) => {
            return bytes_array(tight(&mut std::mem::take(offsets).0), tight(data), data_type, nulls);
        }
        Values::Fixed(width, data) => {
            let array = FixedSizeBinaryArray::try_new_with_len(
                *width as i32,
                Buffer::from_vec(tight(data)),
                nulls,
                rows,
            );
            Arc::new(array.map_err(refused)?)
        }
        Values::Struct(_) | Values::Items(_) | Values::Keyed(..) => {
            return Err(Error::internal("a nested column where a leaf was compiled"));
        }
    };
    if array.data_type() == data_type {
        return Ok(array);
    }
    // The same bytes under their logical type: dates, times, decimals.
    let data = array.into_data().into_builder().data_type(data_type.clone()).build().map_err(refused)?;
    Ok(make_array(data))
}

fn bytes_array(
    offsets: Vec<i32>,
    data: Vec<u8>,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let data = Buffer::from_vec(data);
    Ok(match data_type {
        DataType::Utf8 => {
            let text = StringArray::try_new(offsets, data, nulls);
            Arc::new(text.map_err(|error| Error::invalid_data("expected text to be UTF-8").caused_by(error))?)
        }
        _ => Arc::new(BinaryArray::try_new(offsets, data, nulls).map_err(refused)?),
    })
}

fn refused(error: ArrowError) -> Error {
    Error::invalid_data("values decoded from Avro do not fit into an Arrow array").caused_by(error)
}

/// The Arrow fields of a projection: maps of single keys are structs, so children decide the types.
pub(super) fn output_fields(fields: &[Field], outputs: &[Output]) -> Result<Fields> {
    fields.iter().zip(outputs).map(|(field, output)| output_field(field, output)).collect()
}

fn output_field(field: &Field, output: &Output) -> Result<FieldRef> {
    let arrow = field_to_arrow(field)?;
    Ok(Arc::new(match output {
        Output::Struct { .. } | Output::Keyed { .. } => arrow.with_data_type(output.data_type()),
        _ => arrow,
    }))
}
