//! Does the fastest level of zstandard make a column as small as the default one?
//!
//! In: the first rows of a write. Out: the leaves of which it does. They are encoded by both, and their sizes compared.
//!
//! Of numbers, the level often changes little but the time. Texts become smaller by the default level.
//!
//! Invariant: it decides how values are compressed, never which.

use std::io;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{ArrowRowGroupWriterFactory, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, TypePtr};

use super::leaves::count;
use super::output::writing;

/// The part of the first rows that is encoded to decide.
const PART: usize = 8;
/// The fewest rows that are enough to decide.
const FEWEST: usize = 4 * 1024;
/// The most rows that are encoded to decide.
const MOST: usize = 32 * 1024;
/// How many of a hundred bytes more a column may take.
const MORE: i64 = 1;

/// The leaves that are hardly larger with the fastest level, by batches of stored columns. The properties are those with the
/// default level, and with the fastest.
pub(super) fn fast_leaves(
    parquet: &TypePtr,
    arrow: &SchemaRef,
    [usual, fast]: [&Arc<WriterProperties>; 2],
    batches: &[Vec<ArrayRef>],
) -> Vec<ColumnPath> {
    let Some(first) = sample(batches) else { return Vec::new() };
    let sizes =
        |properties| writing("the first rows", || compressed_sizes(parquet, arrow, properties, &first));
    // What cannot be stored is refused where the file is known.
    let (Ok(usual), Ok(fast)) = (sizes(usual), sizes(fast)) else { return Vec::new() };
    let pairs = usual.into_iter().zip(fast);
    let is_alike = |(usual, fast): &((_, i64), (_, i64))| fast.1 * 100 <= usual.1 * (100 + MORE);
    pairs.filter(is_alike).map(|((path, _), _)| path).collect()
}

/// The first rows of each batch; `None` if they are too few to decide.
fn sample(batches: &[Vec<ArrayRef>]) -> Option<Vec<Vec<ArrayRef>>> {
    let rows = |columns: &Vec<ArrayRef>| columns.first().map_or(0, |column| column.len());
    let mut left = (batches.iter().map(rows).sum::<usize>() / PART).min(MOST);
    if left < FEWEST {
        return None;
    }
    let sliced = batches.iter().map_while(|columns| {
        let taken = left.min(rows(columns));
        left -= taken;
        (taken > 0).then(|| columns.iter().map(|column| column.slice(0, taken)).collect())
    });
    Some(sliced.collect())
}

/// The leaves, and how many bytes each takes.
fn compressed_sizes(
    parquet: &TypePtr,
    arrow: &SchemaRef,
    properties: &Arc<WriterProperties>,
    batches: &[Vec<ArrayRef>],
) -> Result<Vec<(ColumnPath, i64)>, ParquetError> {
    let file = SerializedFileWriter::new(io::sink(), Arc::clone(parquet), Arc::clone(properties))?;
    let factory = ArrowRowGroupWriterFactory::new(&file, Arc::clone(arrow));
    let mut writers = factory.create_column_writers(0)?.into_iter();
    let mut sizes = Vec::new();
    for (number, field) in arrow.fields().iter().enumerate() {
        let mut leaves: Vec<_> = writers.by_ref().take(count(field.data_type())).collect();
        for values in batches.iter().filter_map(|columns| columns.get(number)) {
            for (leaf, levels) in leaves.iter_mut().zip(compute_leaves(field, values)?) {
                leaf.write(&levels)?;
            }
        }
        for leaf in leaves {
            let chunk = leaf.close()?;
            let described = &chunk.close().metadata;
            sizes.push((described.column_path().clone(), described.compressed_size()));
        }
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use arrow_schema::{DataType, Field, Schema};
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    use super::{FEWEST, PART, fast_leaves};

    /// Numbers that rise by a little, and texts of words.
    fn batch(first: i64, rows: i64) -> Vec<ArrayRef> {
        let hash = |number: i64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).cast_unsigned() >> 33;
        let words = ["iron", "carefully", "deposits", "sleep", "above", "furious", "ideas", "pending"];
        let text = |row: i64| -> String {
            (0..6).map(|word| words[(hash(row * 6 + word) % 8) as usize]).collect::<Vec<_>>().join(" ")
        };
        vec![
            Arc::new(Int64Array::from_iter_values((first..first + rows).map(|row| row * 16))),
            Arc::new(StringArray::from_iter_values((first..first + rows).map(text))),
        ]
    }

    fn found(batches: &[Vec<ArrayRef>]) -> Vec<String> {
        let fields =
            vec![Field::new("number", DataType::Int64, false), Field::new("text", DataType::Utf8, false)];
        let schema = Arc::new(Schema::new(fields));
        let parquet = ArrowSchemaConverter::new().convert(&schema).unwrap().root_schema_ptr();
        let [usual, fast] = [3, 1].map(|level| {
            let compression = Compression::ZSTD(ZstdLevel::try_new(level).unwrap());
            let properties = WriterProperties::builder().set_compression(compression);
            Arc::new(properties.set_dictionary_enabled(false).build())
        });
        let leaves = fast_leaves(&parquet, &schema, [&usual, &fast], batches);
        leaves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn numbers_are_as_small_by_the_fast_level_and_texts_are_not() {
        let rows = (FEWEST * PART) as i64;
        assert_eq!(found(&[batch(0, rows)]), ["\"number\""]);
        let small: Vec<_> = (0..rows / 512).map(|number| batch(number * 512, 512)).collect();
        assert_eq!(found(&small), ["\"number\""]);
    }

    #[test]
    fn few_rows_decide_nothing() {
        assert!(found(&[batch(0, (FEWEST * PART) as i64 - 1)]).is_empty());
        assert!(found(&[]).is_empty());
    }
}
