//! Which rows of a source have the keys of rows of a table?
//!
//! In: the key columns of a source, and of batches of the table. Out: pairs of rows.
//!
//! Invariant: keys are compared as values: NaN equals NaN, and -0.0 equals 0.0. What a null means is chosen.

use arrow_array::{Array as _, ArrayRef, RecordBatch, make_array};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Schema as ArrowSchema, TimeUnit};
use floeberg_core::rows::{KeyIndex, NO_ROW};
use floeberg_core::{Context as _, Error, Result};
use floeberg_rows::{NullKeys, check_no_nulls, repeated_key};

/// The keys of the rows of a source, in memory.
#[derive(Debug)]
pub struct SourceKeys {
    names: Vec<String>,
    nulls: NullKeys,
    /// May several rows have one key?
    repeats: bool,
    index: KeyIndex,
}

/// Rows of a batch, each with a row of the source that has its key, or [`NO_ROW`].
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) rows: Vec<u32>,
    pub(crate) of_source: Vec<u32>,
}

impl SourceKeys {
    /// No rows yet, with key columns by the names and in the types of a table. `repeats` allows several rows with one key.
    ///
    /// Errors: `InvalidInput` without a column; `Unsupported` for a nested column.
    pub fn new(keys: &ArrowSchema, nulls: NullKeys, repeats: bool) -> Result<Self> {
        let names = keys.fields().iter().map(|field| field.name().clone()).collect();
        let types = keys.fields().iter().map(|field| compared_as(field.data_type())).collect();
        let index = KeyIndex::new(types, nulls == NullKeys::Equal)?;
        Ok(Self { names, nulls, repeats, index })
    }

    /// The key columns of the table.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many rows the source has.
    pub fn rows(&self) -> usize {
        self.index.rows()
    }

    /// Bytes that the keys take.
    pub fn memory(&self) -> usize {
        self.index.memory()
    }

    /// Adds the next rows: batches of the schema that the keys were made with.
    ///
    /// Errors: `InvalidInput`, with the key, for a null and for a key that an earlier row has, unless these are allowed;
    /// `LimitExceeded` for more rows than an index has.
    pub fn insert(&mut self, keys: &RecordBatch) -> Result<()> {
        let first = self.rows();
        if self.nulls == NullKeys::Refused {
            check_no_nulls(self.names.iter().map(String::as_str), keys.columns(), first)?;
        }
        let found = self.index.insert(&self.comparable(keys.columns())?)?;
        if let Some((row, earlier)) = found.filter(|_| !self.repeats) {
            return Err(repeated_key(&self.shown(keys, row - first)?, earlier, row));
        }
        Ok(())
    }

    /// The rows of a batch of the table with these keys: a row once for each row of the source with its key. With `lists_all` rows
    /// without such a row are there too.
    ///
    /// Errors: `Internal` for a batch without a key column; `InvalidInput` for one of another type.
    pub(crate) fn pairs(&self, batch: &RecordBatch, lists_all: bool) -> Result<Pairs> {
        let keys = self.key_columns(batch)?;
        let mut pairs = Pairs::default();
        for (row, found) in (0..).zip(self.index.find(&self.comparable(&keys)?)?) {
            let mut source = Some(found).filter(|found| *found != NO_ROW);
            if source.is_none() && lists_all {
                pairs.rows.push(row);
                pairs.of_source.push(NO_ROW);
            }
            while let Some(at) = source {
                pairs.rows.push(row);
                pairs.of_source.push(at);
                source = self.index.next(at);
            }
        }
        Ok(pairs)
    }

    /// For each row of a batch the first row of the source with its key, or [`NO_ROW`].
    ///
    /// Errors: those of [`Self::pairs`].
    pub(crate) fn first_of(&self, batch: &RecordBatch) -> Result<Vec<u32>> {
        self.index.find(&self.comparable(&self.key_columns(batch)?)?)
    }

    /// The row of the source after another one with its key.
    pub(crate) fn next(&self, row: u32) -> Option<u32> {
        self.index.next(row)
    }

    fn key_columns(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let column = |name: &String| {
            batch
                .column_by_name(name)
                .cloned()
                .ok_or_else(|| Error::internal("a key column was not read").with("column", name))
        };
        self.names.iter().map(column).collect()
    }

    fn comparable(&self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let named = self.names.iter().zip(columns);
        named.map(|(name, column)| comparable(column).context("column", name)).collect()
    }

    /// The key of a row, for messages.
    fn shown(&self, keys: &RecordBatch, row: usize) -> Result<String> {
        let options = FormatOptions::new().with_null("null");
        let shown = self.names.iter().zip(keys.columns()).map(|(name, column)| {
            let value =
                ArrayFormatter::try_new(column.as_ref(), &options).map(|shown| shown.value(row).to_string());
            let value = value.map_err(|error| failed(error).with("column", name))?;
            let is_text = matches!(
                column.data_type(),
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..)
            );
            Ok(if is_text {
                format!("{name} = '{}'", value.replace('\'', "''"))
            } else {
                format!("{name} = {value}")
            })
        });
        Ok(shown.collect::<Result<Vec<_>>>()?.join(", "))
    }
}

/// The type in which keys of a type are compared. Equal values, and no others, are equal in it.
fn compared_as(found: &DataType) -> DataType {
    match found {
        DataType::Dictionary(_, values) => compared_as(values),
        DataType::RunEndEncoded(_, values) => compared_as(values.data_type()),
        DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => DataType::Int32,
        DataType::Time32(_) => DataType::Int32,
        DataType::UInt32 | DataType::UInt64 | DataType::Date64 | DataType::Duration(_) => DataType::Int64,
        DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, _) => DataType::Int64,
        DataType::Time64(TimeUnit::Nanosecond) => DataType::Int64,
        DataType::Float16 => DataType::Float32,
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => DataType::Decimal128(38, *scale),
        // Wider decimals are compared by their bytes.
        DataType::Decimal256(..) => DataType::FixedSizeBinary(32),
        other => other.clone(),
    }
}

/// A column in the type in which keys are compared.
fn comparable(column: &ArrayRef) -> Result<ArrayRef> {
    let found = column.data_type();
    let wanted = compared_as(found);
    match found {
        _ if *found == wanted => Ok(ArrayRef::clone(column)),
        DataType::Dictionary(_, values) => comparable(&cast(column, values).map_err(failed)?),
        DataType::RunEndEncoded(_, values) => comparable(&cast(column, values.data_type()).map_err(failed)?),
        // Their bits are equal where their values are.
        DataType::UInt64
        | DataType::Date64
        | DataType::Duration(_)
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Decimal256(..) => {
            let bits = column.to_data().into_builder().data_type(wanted).build();
            bits.map(make_array).map_err(failed)
        }
        _ => cast(column, &wanted).map_err(failed),
    }
}

fn failed(error: ArrowError) -> Error {
    Error::invalid_input("the values of a key column cannot be compared").caused_by(error)
}
