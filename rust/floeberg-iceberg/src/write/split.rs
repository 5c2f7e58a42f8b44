//! Which rows of a batch go to which partition?
//!
//! In: batches in the table's form. Out: for each partition its values and its rows.
//! Spec: Partitioning; Partition Transforms.
//!
//! Invariant: every row is in one part, and the rows of a part keep their order.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array, make_array};
use arrow_buffer::NullBuffer;
use arrow_select::take::take;
use floeberg_core::schema::{Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::{PartitionKey, PartitionNumbers, Value, arrow::from_array};
use floeberg_core::{Context as _, Error, Result};

use super::parquet::{FileForm, Piece};
use crate::metadata::PartitionSpec;

/// A partition: what tells it from others, and its values in the order of the spec.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    pub key: PartitionKey,
    pub values: Vec<Option<Value>>,
}

/// How rows are split.
#[derive(Debug)]
pub(super) struct Splitting {
    fields: Vec<SplitField>,
}

#[derive(Debug)]
struct SplitField {
    /// Positions from the top to the source column.
    path: Vec<usize>,
    source: Type,
    transform: Transform,
    result: Type,
}

impl Splitting {
    /// Errors: `Unsupported` for a transform of several columns, `InvalidData` for a spec that does not fit the schema.
    pub fn new(spec: &PartitionSpec, schema: &Schema) -> Result<Self> {
        let fields = spec.fields.iter().map(|field| {
            let context = |error: Error| error.with("partition field", &field.name);
            let (path, source) = match (&field.transform, &field.source_ids[..]) {
                // A void field may name a column that was dropped.
                (Transform::Void, _) => {
                    (Vec::new(), field.source_ids.first().and_then(|id| schema.field(*id)))
                }
                (_, [id]) => (position(schema, *id), schema.field(*id)),
                _ => {
                    let message = "partition fields of several columns are not written by this version";
                    return Err(context(Error::unsupported(message)));
                }
            };
            let source = match source {
                Some(source) => source.field_type.clone(),
                None if field.transform == Transform::Void => {
                    Type::Primitive(floeberg_core::schema::PrimitiveType::Int)
                }
                None => {
                    return Err(context(Error::invalid_data("the column of a partition field is not there")));
                }
            };
            let result = field.transform.result_type(&source).map_err(context)?;
            Ok(SplitField { path, source, transform: field.transform.clone(), result })
        });
        Ok(Self { fields: fields.collect::<Result<_>>()? })
    }

    /// The rows of a batch by partition, in the order in which partitions first occur.
    pub fn split(&self, batch: &RecordBatch, form: &FileForm) -> Result<Vec<(Partition, Piece)>> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(Vec::new());
        }
        let values = self.values(batch)?;
        let piece = Piece::new(batch, form)?;
        let columns: Vec<_> =
            values.iter().zip(&self.fields).map(|(array, field)| (array, field.result.clone())).collect();
        let numbers = PartitionNumbers::new(&columns, rows)?;
        let partition = |number: usize| {
            let row = numbers.rows[number];
            let values = columns.iter().map(|(array, field_type)| from_array(array, row, field_type));
            Ok(Partition { key: numbers.keys[number].clone(), values: values.collect::<Result<_>>()? })
        };
        let (grouped, ends) = grouped(piece, &numbers)?;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let parts = starts
            .zip(&ends)
            .enumerate()
            .map(|(number, (start, end))| Ok((partition(number)?, grouped.slice(start, end - start))));
        parts.collect()
    }

    /// The partition values of all rows, a column a field.
    fn values(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let of_field = |field: &SplitField| {
            let source = match field.path.split_first() {
                Some((first, rest)) => nested(batch.column(*first), rest)?,
                None => arrow_array::new_null_array(
                    &floeberg_core::schema::arrow::type_to_arrow(&field.source)?,
                    batch.num_rows(),
                ),
            };
            field.transform.apply_array(&source, &field.source)
        };
        self.fields.iter().map(of_field).collect::<Result<_>>().context("rows", "partition values")
    }
}

/// The rows with those of a partition side by side, partitions as they are numbered, and where each ends.
fn grouped(piece: Piece, numbers: &PartitionNumbers) -> Result<(Piece, Vec<usize>)> {
    let mut ends = vec![0_usize; numbers.keys.len()];
    for number in &numbers.of {
        ends[*number as usize] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    // Partitions are numbered as they occur, so that rows that are grouped already have ascending numbers.
    if numbers.of.is_sorted() {
        return Ok((piece, ends));
    }
    let mut next: Vec<usize> = [0].into_iter().chain(ends.iter().copied()).collect();
    let mut order = vec![0_u32; numbers.of.len()];
    for (row, number) in numbers.of.iter().enumerate() {
        let place = &mut next[*number as usize];
        order[*place] = row as u32;
        *place += 1;
    }
    let order = UInt32Array::from(order);
    let columns = piece.columns.iter().map(|column| take(column, &order, None));
    let columns = columns.collect::<Result<_, _>>();
    let columns = columns.map_err(|error| Error::internal("rows cannot be put in order").caused_by(error))?;
    Ok((Piece { columns, ..piece }, ends))
}

/// The positions from the top to a column.
fn position(schema: &Schema, id: i32) -> Vec<usize> {
    let path = schema.path(id).unwrap_or_default();
    let mut siblings = schema.fields();
    let mut positions = Vec::with_capacity(path.len());
    for field in path {
        positions.extend(siblings.iter().position(|sibling| sibling.id == field.id));
        siblings = field.field_type.as_struct().map_or(&[], |fields| &fields.fields);
    }
    positions
}

/// A column in structs: null where one of them is.
fn nested(column: &ArrayRef, path: &[usize]) -> Result<ArrayRef> {
    let Some((first, rest)) = path.split_first() else { return Ok(column.clone()) };
    let parent = column.as_struct_opt().filter(|parent| *first < parent.num_columns());
    let parent = parent.ok_or_else(|| Error::internal("a batch is not in the form of its table"))?;
    let child = parent.column(*first);
    let nulls = NullBuffer::union(parent.nulls(), child.nulls());
    let data = child.to_data().into_builder().nulls(nulls).build();
    let child =
        data.map_err(|error| Error::internal("a column cannot be taken out of a struct").caused_by(error))?;
    nested(&make_array(child), rest)
}
