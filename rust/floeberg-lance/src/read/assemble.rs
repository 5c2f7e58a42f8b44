//! How do columns of a table come out of those of several files?
//!
//! In: batches of the files of a fragment, of the same rows. Out: a column of the table, with its names, nullability and metadata.
//! Spec: Lance, Data evolution.
//!
//! Invariant: nothing is copied but where a type must change. What no file has is null; a struct whose parts are in several files is
//! null where it is in the first of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, RecordBatch,
    StructArray, make_array, new_null_array,
};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, FieldRef, Fields};
use floeberg_core::schema::arrow::FIELD_ID_KEY;
use floeberg_core::{Context as _, Error, Result};

use super::file_columns::{FileColumns, FileField};
use crate::metadata::Field;

/// A batch of a data file, and what its columns are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) columns: &'a FileColumns,
    pub(super) batch: &'a RecordBatch,
}

/// An array of a file that holds a field, or some parts of it.
#[derive(Debug, Clone)]
struct Piece<'a> {
    field: &'a FileField,
    array: ArrayRef,
}

/// How fields are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fielded {
    /// With their own metadata.
    AsTable,
    /// With their ids, by which filters find them.
    ById,
}

/// A column of the table.
///
/// Errors: `InvalidData`, naming the column, for another type than the table's, and where a column that may not be null is in no file;
/// `Unsupported` for lists whose parts are in several files.
pub(super) fn column(
    field: &Field,
    parts: &[Part<'_>],
    rows: usize,
    fielded: Fielded,
) -> Result<(FieldRef, ArrayRef)> {
    let mut pieces = Vec::new();
    for part in parts {
        let schema = part.batch.schema_ref();
        for (named, array) in schema.fields().iter().zip(part.batch.columns()) {
            match part.columns.column(named.name()) {
                Some(known) if known.id == Some(field.id) => {
                    pieces.push(Piece { field: known, array: Arc::clone(array) });
                }
                _ => {}
            }
        }
    }
    assemble(field, pieces, rows, fielded).context("column", &field.name)
}

fn assemble(
    field: &Field,
    pieces: Vec<Piece<'_>>,
    rows: usize,
    fielded: Fielded,
) -> Result<(FieldRef, ArrayRef)> {
    let array = if pieces.is_empty() {
        missing(field, rows, fielded)?
    } else {
        match field.logical_type.as_str() {
            "struct" => structure(field, &pieces, rows, fielded)?,
            "list" | "list.struct" => list::<i32>(field, &one(pieces)?, fielded)?,
            "large_list" | "large_list.struct" => list::<i64>(field, &one(pieces)?, fielded)?,
            "map" => map(field, &one(pieces)?, fielded)?,
            other if other.starts_with("fixed_size_list:struct:") => {
                fixed_size_list(field, &one(pieces)?, fielded)?
            }
            _ => leaf(field, one(pieces)?.array)?,
        }
    };
    let made = ArrowField::new(&field.name, array.data_type().clone(), field.nullable);
    let mut metadata: arrow_schema::Metadata = field.metadata.iter().cloned().collect();
    if fielded == Fielded::ById {
        metadata = [(FIELD_ID_KEY.to_owned(), field.id.to_string())].into_iter().collect();
    }
    Ok((Arc::new(made.with_metadata(metadata)), array))
}

/// A field that no file has: all null, as it was added.
fn missing(field: &Field, rows: usize, fielded: Fielded) -> Result<ArrayRef> {
    if !field.nullable && rows > 0 {
        return Err(Error::invalid_data(format!(
            "expected the values of the field {:?}, which may not be null, in a data file, found none",
            field.name
        )));
    }
    // Fields of filters differ from the table's in their metadata alone, of which a null array has parts too.
    if fielded == Fielded::ById && field.logical_type == "struct" {
        let parts = field.children.iter().map(|child| {
            let nullable = Field { nullable: true, ..child.clone() };
            assemble(&nullable, Vec::new(), rows, fielded)
        });
        let (fields, arrays): (Vec<_>, Vec<_>) = parts.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let nulls = arrow_buffer::NullBuffer::new_null(rows);
        return struct_of(fields.into(), arrays, Some(nulls), rows);
    }
    Ok(new_null_array(field.to_arrow()?.data_type(), rows))
}

fn one(pieces: Vec<Piece<'_>>) -> Result<Piece<'_>> {
    let mut pieces = pieces.into_iter();
    match (pieces.next(), pieces.next()) {
        (Some(piece), None) => Ok(piece),
        _ => Err(Error::unsupported("a list or map whose parts are in several data files cannot be read")),
    }
}

fn structure(field: &Field, pieces: &[Piece<'_>], rows: usize, fielded: Fielded) -> Result<ArrayRef> {
    let mut arrays = Vec::with_capacity(field.children.len());
    let mut fields = Vec::with_capacity(field.children.len());
    let mut structs = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let array = piece.array.as_struct_opt().ok_or_else(|| unexpected(field, piece.array.data_type()))?;
        structs.push((piece.field, array));
    }
    for child in &field.children {
        let mut below = Vec::new();
        for (file_field, array) in &structs {
            for (named, values) in array.fields().iter().zip(array.columns()) {
                let known = file_field.children.iter().find(|known| &known.name == named.name());
                if let Some(known) = known.filter(|known| known.id == Some(child.id)) {
                    below.push(Piece { field: known, array: Arc::clone(values) });
                }
            }
        }
        let (made, array) = assemble(child, below, rows, fielded)?;
        fields.push(made);
        arrays.push(array);
    }
    let nulls = structs.first().and_then(|(_, array)| array.nulls().cloned());
    struct_of(fields.into(), arrays, nulls, rows)
}

fn struct_of(
    fields: Fields,
    arrays: Vec<ArrayRef>,
    nulls: Option<arrow_buffer::NullBuffer>,
    rows: usize,
) -> Result<ArrayRef> {
    let made =
        StructArray::try_new_with_length(fields, arrays, nulls, rows).map_err(|error| wrong(&error))?;
    Ok(Arc::new(made))
}

fn list<O: OffsetSizeTrait>(field: &Field, piece: &Piece<'_>, fielded: Fielded) -> Result<ArrayRef> {
    let array = piece.array.as_list_opt::<O>().ok_or_else(|| unexpected(field, piece.array.data_type()))?;
    let (made, values) = element(field, piece.field, array.values(), fielded)?;
    let list = GenericListArray::<O>::try_new(made, array.offsets().clone(), values, array.nulls().cloned());
    Ok(Arc::new(list.map_err(|error| wrong(&error))?))
}

fn fixed_size_list(field: &Field, piece: &Piece<'_>, fielded: Fielded) -> Result<ArrayRef> {
    let array =
        piece.array.as_fixed_size_list_opt().ok_or_else(|| unexpected(field, piece.array.data_type()))?;
    let (made, values) = element(field, piece.field, array.values(), fielded)?;
    let list = FixedSizeListArray::try_new(made, array.value_length(), values, array.nulls().cloned());
    Ok(Arc::new(list.map_err(|error| wrong(&error))?))
}

fn map(field: &Field, piece: &Piece<'_>, fielded: Fielded) -> Result<ArrayRef> {
    let array = piece.array.as_map_opt().ok_or_else(|| unexpected(field, piece.array.data_type()))?;
    let entries: ArrayRef = Arc::new(array.entries().clone());
    let (made, entries) = element(field, piece.field, &entries, fielded)?;
    let entries = entries.as_struct_opt().ok_or_else(|| unexpected(field, array.data_type()))?.clone();
    let map = MapArray::try_new(made, array.offsets().clone(), entries, array.nulls().cloned(), false);
    Ok(Arc::new(map.map_err(|error| wrong(&error))?))
}

/// What a list holds.
fn element(
    field: &Field,
    file_field: &FileField,
    values: &ArrayRef,
    fielded: Fielded,
) -> Result<(FieldRef, ArrayRef)> {
    let [child] = field.children.as_slice() else {
        return Err(Error::invalid_data(format!("expected one field in a {}", field.logical_type)));
    };
    let known = file_field.children.iter().filter(|known| known.id == Some(child.id));
    let pieces = known.map(|known| Piece { field: known, array: Arc::clone(values) }).collect();
    assemble(child, pieces, values.len(), fielded)
}

/// A value without parts. Names and metadata of what a fixed list holds may differ from the table's.
fn leaf(field: &Field, array: ArrayRef) -> Result<ArrayRef> {
    let expected = field.to_arrow()?.data_type().clone();
    if array.data_type() == &expected {
        return Ok(array);
    }
    if !is_alike(array.data_type(), &expected) {
        return Err(unexpected(field, array.data_type()));
    }
    retyped(&array, &expected)
}

/// Do types differ in names, nullability and metadata of their parts alone?
fn is_alike(one: &DataType, other: &DataType) -> bool {
    match (one, other) {
        (DataType::FixedSizeList(one, length), DataType::FixedSizeList(other, expected)) => {
            length == expected && is_alike(one.data_type(), other.data_type())
        }
        _ => one == other,
    }
}

fn retyped(array: &ArrayRef, expected: &DataType) -> Result<ArrayRef> {
    let data = array.to_data();
    let children = match expected {
        DataType::FixedSizeList(element, _) => {
            let children = data.child_data().iter();
            let retyped = children.map(|child| {
                retyped(&make_array(child.clone()), element.data_type()).map(|array| array.to_data())
            });
            retyped.collect::<Result<Vec<_>>>()?
        }
        _ => data.child_data().to_vec(),
    };
    let built = data.into_builder().data_type(expected.clone()).child_data(children).build();
    Ok(make_array(built.map_err(|error| wrong(&error))?))
}

fn unexpected(field: &Field, found: &DataType) -> Error {
    let shown: String = found.to_string().chars().take(200).collect();
    Error::invalid_data(format!(
        "expected values of the type {} in the field {:?} of a data file, found {shown}",
        field.logical_type, field.name
    ))
}

fn wrong(error: &ArrowError) -> Error {
    Error::invalid_data(format!("the columns of a data file do not fit the table's: {error}"))
}
