//! Which streams do the chosen columns of a stripe need, and what reads them?
//!
//! In: columns, the footer of a stripe, the leaves that are wanted. Out: readers of the columns that hold any.
//!
//! Invariant: a reader's field has the parts that are read, and no others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::types::{Date32Type, Int32Type, Int64Type, Time64MicrosecondType};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use bytes::Bytes;
use floeberg_core::{Context, Error, Result};

use super::bytes::{Direct, Form};
use super::decimals::Decimals;
use super::dictionary::Dictionary;
use super::nested::{Lists, Maps, Structs};
use super::numbers::{Booleans, Bytes as ByteIntegers, Doubles, Floats, Narrow, Wide};
use super::reader::{ColumnReader, Decode};
use super::starts::Start;
use super::timestamps::Timestamps;
use crate::read::rle::{Bits, ByteRuns, Integers};
use crate::read::schema::{Column, map_type};
use crate::read::stream::{Blocks, ByteStream};
use crate::wire::{Compression, Encoding, StreamKind, TypeKind};

/// Names of the zone in which plain timestamps need no conversion.
const UTC_ZONES: [&str; 10] = ["", "UTC", "GMT", "Z", "UCT", "Zulu", "Etc/UTC", "Etc/GMT", "Etc/UCT", "GMT0"];

/// The bytes of the streams that are read of a stripe.
pub(crate) struct Streams {
    /// By column and kind.
    pub(crate) bytes: HashMap<(u32, StreamKind), Bytes>,
    /// How the file is compressed.
    pub(crate) compression: Compression,
    /// The size of its blocks.
    pub(crate) block_size: usize,
    /// How each column is encoded.
    pub(crate) encodings: Vec<Encoding>,
    /// The zone that plain timestamps are counted in.
    pub(crate) writer_zone: String,
    /// What to pass over of streams that do not start with the first row.
    pub(crate) starts: BTreeMap<(u32, StreamKind), Start>,
}

impl Streams {
    /// A stream; a missing one has no bytes.
    fn blocks(&self, column: &Column, kind: StreamKind) -> Blocks {
        let stored = self.bytes.get(&(column.number, kind)).cloned().unwrap_or_default();
        Blocks::new(stored, self.compression, self.block_size)
    }

    fn start(&self, column: &Column, kind: StreamKind) -> Start {
        self.starts.get(&(column.number, kind)).copied().unwrap_or_default()
    }

    fn stream(&self, column: &Column, kind: StreamKind) -> Result<ByteStream> {
        let mut stream = ByteStream::new(self.blocks(column, kind));
        stream.skip(self.start(column, kind).bytes)?;
        Ok(stream)
    }

    fn integers(&self, column: &Column, kind: StreamKind, signed: bool) -> Result<Integers> {
        let second = self.encoding(column)?.second;
        let mut integers = Integers::new(self.stream(column, kind)?, signed, second);
        integers.read(self.start(column, kind).values)?;
        Ok(integers)
    }

    fn bytes(&self, column: &Column, kind: StreamKind) -> Result<ByteRuns> {
        let mut runs = ByteRuns::new(self.stream(column, kind)?);
        runs.append(self.start(column, kind).values, &mut Vec::new())?;
        Ok(runs)
    }

    fn bits(&self, column: &Column, kind: StreamKind) -> Result<Bits> {
        let mut bits = Bits::of_runs(self.bytes(column, kind)?);
        bits.read(self.start(column, kind).bits)?;
        Ok(bits)
    }

    fn encoding(&self, column: &Column) -> Result<Encoding> {
        let encoding = self.encodings.get(column.number as usize).copied();
        encoding.ok_or_else(|| {
            Error::invalid_data(format!(
                "a stripe of the ORC file has no encoding of column {}",
                column.number
            ))
        })
    }
}

/// A reader of a column; `None` where nothing of it is wanted.
pub(crate) fn reader_of(
    column: &Column,
    leaves: &BTreeSet<usize>,
    streams: &Streams,
) -> Result<Option<ColumnReader>> {
    if leaves.range(column.leaves.clone()).next().is_none() {
        return Ok(None);
    }
    let (data_type, values) = values_of(column, leaves, streams).context("column", column.field.name())?;
    let field = Arc::new(Field::clone(&column.field).with_data_type(data_type));
    let present = streams.bytes.contains_key(&(column.number, StreamKind::Present));
    let present = present.then(|| streams.bits(column, StreamKind::Present)).transpose()?;
    Ok(Some(ColumnReader::new(field, present, values)))
}

/// A reader of a part that is read with its parent, whether or not anything of it is wanted.
fn part_of(column: &Column, leaves: &BTreeSet<usize>, streams: &Streams) -> Result<ColumnReader> {
    let found = match all_or_wanted(column, leaves) {
        None => reader_of(column, leaves, streams)?,
        Some(all) => reader_of(column, &all, streams)?,
    };
    let name = column.field.name();
    found.ok_or_else(|| Error::unsupported(format!("the part {name:?} of an ORC file has no fields")))
}

/// All leaves of a part of a list or map of which none is wanted.
fn all_or_wanted(column: &Column, leaves: &BTreeSet<usize>) -> Option<BTreeSet<usize>> {
    let wanted = leaves.range(column.leaves.clone()).next().is_some();
    (!wanted).then(|| column.leaves.clone().collect())
}

/// The numbers of the columns whose streams [`reader_of`] asks for.
pub(crate) fn numbers_of(column: &Column, leaves: &BTreeSet<usize>, numbers: &mut BTreeSet<u32>) {
    if leaves.range(column.leaves.clone()).next().is_none() {
        return;
    }
    numbers.insert(column.number);
    for child in &column.children {
        match all_or_wanted(child, leaves) {
            Some(all) if column.kind != TypeKind::Struct => numbers_of(child, &all, numbers),
            _ => numbers_of(child, leaves, numbers),
        }
    }
}

fn values_of(
    column: &Column,
    leaves: &BTreeSet<usize>,
    streams: &Streams,
) -> Result<(DataType, Box<dyn Decode>)> {
    use StreamKind::{Data, Length};
    let data_type = column.field.data_type().clone();
    let integers = |signed| streams.integers(column, Data, signed);
    let values: Box<dyn Decode> = match column.kind {
        TypeKind::Boolean => Box::new(Booleans(streams.bits(column, Data)?)),
        TypeKind::Byte => Box::new(ByteIntegers(streams.bytes(column, Data)?)),
        TypeKind::Short | TypeKind::Int => Box::new(Narrow::<Int32Type>::new(integers(true)?)),
        TypeKind::Date => Box::new(Narrow::<Date32Type>::new(integers(true)?)),
        TypeKind::Long if data_type == DataType::Int64 => Box::new(Wide::<Int64Type>::new(integers(true)?)),
        TypeKind::Long => Box::new(Wide::<Time64MicrosecondType>::new(integers(true)?)),
        TypeKind::Float => Box::new(Floats(streams.stream(column, Data)?)),
        TypeKind::Double => Box::new(Doubles(streams.stream(column, Data)?)),
        TypeKind::String | TypeKind::Varchar => bytes_of(column, Form::Text, streams)?,
        TypeKind::Char => bytes_of(column, Form::Padded, streams)?,
        TypeKind::Binary => match data_type {
            DataType::FixedSizeBinary(length) => bytes_of(column, Form::Fixed(length), streams)?,
            _ => bytes_of(column, Form::Binary, streams)?,
        },
        TypeKind::Timestamp | TypeKind::TimestampInstant => timestamps(column, streams)?,
        TypeKind::Decimal => decimals(column, streams)?,
        TypeKind::Struct => {
            let children = column.children.iter().map(|child| reader_of(child, leaves, streams));
            let children: Vec<_> = children.filter_map(Result::transpose).collect::<Result<_>>()?;
            let fields: Fields = children.iter().map(|child| FieldRef::clone(&child.field)).collect();
            return Ok((DataType::Struct(fields.clone()), Box::new(Structs { fields, children })));
        }
        TypeKind::List => {
            let [element] = column.children.as_slice() else { return Err(incomplete()) };
            let element = part_of(element, leaves, streams)?;
            let lengths = streams.integers(column, Length, false)?;
            let data_type = DataType::List(FieldRef::clone(&element.field));
            return Ok((data_type, Box::new(Lists { lengths, element })));
        }
        TypeKind::Map => {
            let [key, value] = column.children.as_slice() else { return Err(incomplete()) };
            let (key, value) = (part_of(key, leaves, streams)?, part_of(value, leaves, streams)?);
            let lengths = streams.integers(column, Length, false)?;
            let data_type = map_type(&key.field, &value.field);
            let DataType::Map(entries, _) = &data_type else { return Err(incomplete()) };
            let entries = FieldRef::clone(entries);
            return Ok((data_type, Box::new(Maps { lengths, entries, key, value })));
        }
        TypeKind::Union => return Err(Error::unsupported("columns of ORC's union type cannot be read")),
    };
    Ok((data_type, values))
}

fn bytes_of(column: &Column, form: Form, streams: &Streams) -> Result<Box<dyn Decode>> {
    let encoding = streams.encoding(column)?;
    let lengths = streams.integers(column, StreamKind::Length, false)?;
    Ok(match encoding.dictionary {
        None => Box::new(Direct { lengths, data: streams.stream(column, StreamKind::Data)?, form }),
        Some(entries) => {
            let blob = streams.blocks(column, StreamKind::Dictionary);
            let numbers = streams.integers(column, StreamKind::Data, false)?;
            Box::new(Dictionary::read(entries, blob, lengths, numbers, form)?)
        }
    })
}

fn timestamps(column: &Column, streams: &Streams) -> Result<Box<dyn Decode>> {
    let DataType::Timestamp(unit, zone) = column.field.data_type() else { return Err(incomplete()) };
    let written_in = streams.writer_zone.as_str();
    if column.kind == TypeKind::Timestamp && !UTC_ZONES.contains(&written_in) {
        return Err(Error::unsupported(format!(
            "timestamps without a time zone cannot be read from this ORC file: its writer used the zone {written_in:?}"
        )));
    }
    Ok(Box::new(Timestamps {
        seconds: streams.integers(column, StreamKind::Data, true)?,
        nanos: streams.integers(column, StreamKind::Secondary, false)?,
        unit: *unit,
        zone: zone.clone(),
    }))
}

fn decimals(column: &Column, streams: &Streams) -> Result<Box<dyn Decode>> {
    let DataType::Decimal128(precision, scale) = *column.field.data_type() else { return Err(incomplete()) };
    Ok(Box::new(Decimals {
        values: streams.stream(column, StreamKind::Data)?,
        scales: streams.integers(column, StreamKind::Secondary, true)?,
        precision,
        scale,
    }))
}

fn incomplete() -> Error {
    Error::internal("a column of an ORC file does not match its type")
}
