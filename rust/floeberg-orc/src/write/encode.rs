//! The values of a column, by family of types.
//!
//! In: arrays without nulls. Out: streams, and statistics.
//! Spec: ORC v1, Column Encodings.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
};
use arrow_array::{Array as _, ArrayRef, make_array};
use arrow_schema::DataType;
use floeberg_core::Result;

use super::bits::Bits;
use super::integers::{Integers, varint, zigzag};
use super::shape::Kind;
use super::statistics::{Ends, Range, Statistics, join};
use super::stream::{Form, Output, Place};
use super::texts::{Dictionary, Direct};
use super::times::stored;
use crate::bloom::BloomFilter;
use crate::wire::{Encoding, StreamKind};

/// The streams of values.
pub(super) enum Values {
    /// Structs have none.
    Nothing,
    Booleans(Bits),
    Integers(Integers),
    Plain(Output),
    /// Values and scales.
    Decimals(Output, Integers),
    /// Seconds and nanoseconds.
    Timestamps(Integers, Integers),
    Direct(Direct),
    Dictionary(Dictionary),
    Lengths(Integers),
}

/// The streams of a stripe that ended, in the order of their positions.
pub(super) struct Finished {
    pub(super) encoding: Encoding,
    pub(super) streams: Vec<(StreamKind, Output)>,
}

impl Values {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Struct => Self::Nothing,
            Kind::List | Kind::Map => Self::Lengths(Integers::new(false)),
            Kind::Boolean => Self::Booleans(Bits::default()),
            Kind::Int | Kind::Long | Kind::Date => Self::Integers(Integers::new(true)),
            Kind::Float | Kind::Double => Self::Plain(Output::default()),
            Kind::Decimal(_) => Self::Decimals(Output::default(), Integers::new(true)),
            Kind::Timestamp(_) => Self::Timestamps(Integers::new(true), Integers::new(false)),
            Kind::Text => Self::Dictionary(Dictionary::default()),
            Kind::Binary | Kind::Fixed => Self::Direct(Direct::new()),
        }
    }

    /// Adds the values of an array; `None` if it is not of the column's type.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        array: &ArrayRef,
        group: &mut Statistics,
        mut bloom: Option<&mut BloomFilter>,
    ) -> Result<Option<()>> {
        let range = &mut group.range;
        let mut number = |value: i64| {
            if let Some(bloom) = &mut bloom {
                bloom.add_number(value);
            }
        };
        match (self, kind, range) {
            (Self::Booleans(bits), Kind::Boolean, Range::Booleans(trues)) => {
                let Some(values) = array.as_boolean_opt() else { return Ok(None) };
                *trues += values.values().count_set_bits() as u64;
                bits.extend(values.values());
            }
            (Self::Integers(integers), Kind::Int, Range::Integers(ends, sum)) => {
                let Some(values) = raw::<Int32Type>(array) else { return Ok(None) };
                values.iter().for_each(|value| number(i64::from(*value)));
                join(ends, ends_of(&values).map(|(least, most)| (least.into(), most.into())));
                let total = values.iter().map(|value| i64::from(*value)).sum::<i64>();
                *sum = sum.and_then(|sum| sum.checked_add(total));
                integers.extend(values.iter().map(|value| i64::from(*value)));
            }
            (Self::Integers(integers), Kind::Date, Range::Dates(ends)) => {
                let Some(values) = raw::<Date32Type>(array) else { return Ok(None) };
                values.iter().for_each(|value| number(i64::from(*value)));
                join(ends, ends_of(&values));
                integers.extend(values.iter().map(|value| i64::from(*value)));
            }
            (Self::Integers(integers), Kind::Long, Range::Integers(ends, sum)) => {
                let Some(values) = raw::<Int64Type>(array) else { return Ok(None) };
                values.iter().for_each(|value| number(*value));
                join(ends, ends_of(&values));
                let total = values.iter().try_fold(0_i64, |sum, value| sum.checked_add(*value));
                *sum = sum.zip(total).and_then(|(sum, total)| sum.checked_add(total));
                integers.extend(values.iter().copied());
            }
            (Self::Plain(output), Kind::Float, Range::Floats(ends, sum, nans)) => {
                let Some(values) = raw::<Float32Type>(array) else { return Ok(None) };
                output.bytes().extend(values.iter().flat_map(|value| value.to_le_bytes()));
                add_floats(values.iter().map(|value| f64::from(*value)), ends, sum, nans, &mut number);
            }
            (Self::Plain(output), Kind::Double, Range::Floats(ends, sum, nans)) => {
                let Some(values) = raw::<Float64Type>(array) else { return Ok(None) };
                output.bytes().extend(values.iter().flat_map(|value| value.to_le_bytes()));
                add_floats(values.iter().copied(), ends, sum, nans, &mut number);
            }
            (Self::Decimals(output, scales), Kind::Decimal(scale), Range::Decimals(ends, sum, _)) => {
                let Some(values) = array.as_primitive_opt::<Decimal128Type>() else { return Ok(None) };
                let values = values.values();
                join(ends, ends_of(values));
                let total = values.iter().try_fold(0_i128, |sum, value| sum.checked_add(*value));
                *sum = sum.zip(total).and_then(|(sum, total)| sum.checked_add(total));
                values.iter().for_each(|value| put_decimal(*value, output.bytes()));
                scales.extend(std::iter::repeat_n(i64::from(scale), values.len()));
            }
            (Self::Timestamps(seconds, nanos), Kind::Timestamp(unit), Range::Timestamps(ends, _)) => {
                let Some(values) = raw::<Int64Type>(array) else { return Ok(None) };
                let millis = 1_000_000 / unit;
                values.iter().for_each(|value| number(value.div_euclid(millis)));
                join(ends, ends_of(&values));
                let both: Vec<_> = values.iter().map(|value| stored(*value, unit)).collect::<Result<_>>()?;
                seconds.extend(both.iter().map(|(seconds, _)| *seconds));
                nanos.extend(both.iter().map(|(_, nanos)| *nanos));
            }
            (own, Kind::Text, Range::Texts(ends, bytes)) => {
                let Some(values) = array.as_string_opt::<i32>() else { return Ok(None) };
                let offsets = values.offsets();
                *bytes += (offsets[values.len()] - offsets[0]) as u64;
                add_text_ends(values, ends);
                if let Some(bloom) = bloom {
                    (0..values.len()).for_each(|row| bloom.add_bytes(values.value(row).as_bytes()));
                }
                own.add_texts(values);
            }
            (Self::Direct(direct), Kind::Binary, Range::Binary(bytes)) => {
                let Some(values) = array.as_binary_opt::<i32>() else { return Ok(None) };
                let added = add_bytes(direct, values.offsets(), values.value_data());
                *bytes += added;
                if let Some(bloom) = bloom {
                    (0..values.len()).for_each(|row| bloom.add_bytes(values.value(row)));
                }
            }
            (Self::Direct(direct), Kind::Fixed, Range::Binary(bytes)) => {
                let Some(values) = array.as_fixed_size_binary_opt() else { return Ok(None) };
                let length = values.value_length() as usize;
                for row in 0..values.len() {
                    direct.data.bytes().extend_from_slice(values.value(row));
                }
                direct.lengths.extend(std::iter::repeat_n(length as i64, values.len()));
                *bytes += (length * values.len()) as u64;
                if let Some(bloom) = bloom {
                    (0..values.len()).for_each(|row| bloom.add_bytes(values.value(row)));
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    /// Adds the lengths of lists or maps.
    pub(super) fn add_lengths(&mut self, offsets: &[i32], group: &mut Statistics) {
        let lengths = offsets.windows(2).map(|pair| pair[1] - pair[0]);
        if let Range::Collections(ends, sum) = &mut group.range {
            for length in lengths.clone() {
                let length = length as u64;
                join(ends, Some((length, length)));
                *sum += length;
            }
        }
        if let Self::Lengths(integers) = self {
            integers.extend(lengths.map(i64::from));
        }
    }

    fn add_texts(&mut self, values: &arrow_array::StringArray) {
        if let Self::Dictionary(dictionary) = self {
            for row in 0..values.len() {
                dictionary.add(values.value(row).as_bytes());
            }
        } else if let Self::Direct(direct) = self {
            add_bytes(direct, values.offsets(), values.value_data());
        }
    }

    /// Ends the runs of a row group. Where the streams were made anew, the places where the row groups so far end.
    pub(super) fn end_group(&mut self) -> Option<Vec<Vec<Place>>> {
        match self {
            Self::Nothing | Self::Plain(_) => {}
            Self::Booleans(bits) => bits.end_runs(),
            Self::Integers(integers) | Self::Lengths(integers) | Self::Decimals(_, integers) => {
                integers.end_runs();
            }
            Self::Timestamps(seconds, nanos) => {
                seconds.end_runs();
                nanos.end_runs();
            }
            Self::Direct(direct) => direct.lengths.end_runs(),
            Self::Dictionary(dictionary) => {
                if !dictionary.end_group() {
                    let (direct, places) = std::mem::take(dictionary).into_direct();
                    *self = Self::Direct(direct);
                    return Some(places.into_iter().map(Into::into).collect());
                }
            }
        }
        None
    }

    /// The places where the next row group starts. Those of a dictionary are known when it ends.
    pub(super) fn ends(&self) -> Vec<Place> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Booleans(bits) => vec![bits.end()],
            Self::Integers(integers) | Self::Lengths(integers) => vec![integers.end()],
            Self::Plain(output) => vec![output.end(Form::Bytes)],
            Self::Decimals(output, scales) => vec![output.end(Form::Bytes), scales.end()],
            Self::Timestamps(seconds, nanos) => vec![seconds.end(), nanos.end()],
            Self::Direct(direct) => direct.ends().into(),
            Self::Dictionary(_) => vec![Place { bytes: 0, form: Form::Runs }],
        }
    }

    /// Calls a function with every stream.
    pub(super) fn outputs(&mut self, call: &mut dyn FnMut(&mut Output) -> Result<()>) -> Result<()> {
        match self {
            Self::Nothing | Self::Dictionary(_) => Ok(()),
            Self::Booleans(bits) => call(&mut bits.output),
            Self::Integers(integers) | Self::Lengths(integers) => call(&mut integers.output),
            Self::Plain(output) => call(output),
            Self::Decimals(output, scales) => call(output).and_then(|()| call(&mut scales.output)),
            Self::Timestamps(seconds, nanos) => {
                call(&mut seconds.output).and_then(|()| call(&mut nanos.output))
            }
            Self::Direct(direct) => call(&mut direct.data).and_then(|()| call(&mut direct.lengths.output)),
        }
    }

    /// The streams, and of a dictionary the places where its row groups end.
    pub(super) fn finish(self) -> Result<(Finished, Option<Vec<Place>>)> {
        use StreamKind::{Data, Length, Secondary};
        let of = |second, streams| Finished { encoding: Encoding { dictionary: None, second }, streams };
        Ok(match self {
            Self::Nothing => (of(false, Vec::new()), None),
            Self::Booleans(mut bits) => {
                bits.finish();
                (of(false, vec![(Data, bits.output)]), None)
            }
            Self::Integers(integers) => (of(true, vec![(Data, integers.output)]), None),
            Self::Plain(output) => (of(false, vec![(Data, output)]), None),
            Self::Decimals(output, scales) => {
                (of(true, vec![(Data, output), (Secondary, scales.output)]), None)
            }
            Self::Timestamps(seconds, nanos) => {
                (of(true, vec![(Data, seconds.output), (Secondary, nanos.output)]), None)
            }
            Self::Direct(direct) => {
                (of(true, vec![(Data, direct.data), (Length, direct.lengths.output)]), None)
            }
            Self::Lengths(lengths) => (of(true, vec![(Length, lengths.output)]), None),
            Self::Dictionary(dictionary) => {
                let stored = dictionary.into_stored()?;
                let encoding = Encoding { dictionary: Some(stored.entries), second: true };
                let streams = vec![
                    (Data, stored.numbers.output),
                    (Length, stored.lengths.output),
                    (StreamKind::Dictionary, stored.bytes),
                ];
                (Finished { encoding, streams }, Some(stored.places))
            }
        })
    }

    /// About how many bytes it will have.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Booleans(bits) => bits.size(),
            Self::Integers(integers) | Self::Lengths(integers) => integers.size(),
            Self::Plain(output) => output.size(),
            Self::Decimals(output, scales) => output.size() + scales.size(),
            Self::Timestamps(seconds, nanos) => seconds.size() + nanos.size(),
            Self::Direct(direct) => direct.data.size() + direct.lengths.size(),
            Self::Dictionary(dictionary) => dictionary.size(),
        }
    }
}

/// The values of an array as numbers of its width.
fn raw<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<arrow_buffer::ScalarBuffer<T::Native>> {
    if let Some(values) = array.as_primitive_opt::<T>() {
        return Some(values.values().clone());
    }
    // Times and timestamps are stored as their integers.
    let is_time = matches!(array.data_type(), DataType::Time64(_) | DataType::Timestamp(..));
    if !is_time {
        return None;
    }
    let data = array.to_data().into_builder().data_type(T::DATA_TYPE).build().ok()?;
    Some(make_array(data).as_primitive_opt::<T>()?.values().clone())
}

fn ends_of<T: Ord + Copy>(values: &[T]) -> Ends<T> {
    let first = *values.first()?;
    let join = |(least, most): (T, T), value: &T| (least.min(*value), most.max(*value));
    Some(values.iter().fold((first, first), join))
}

fn add_floats(
    values: impl Iterator<Item = f64>,
    ends: &mut Ends<f64>,
    sum: &mut f64,
    nans: &mut u64,
    number: &mut dyn FnMut(i64),
) {
    for value in values {
        number(if value.is_nan() { f64::NAN } else { value }.to_bits() as i64);
        *sum += value;
        if value.is_nan() {
            *nans += 1;
        } else {
            join(ends, Some((value, value)));
        }
    }
}

fn add_text_ends(values: &arrow_array::StringArray, ends: &mut Ends<String>) {
    if values.is_empty() {
        return;
    }
    let (mut least, mut most) = (values.value(0), values.value(0));
    for row in 1..values.len() {
        let value = values.value(row);
        if value < least {
            least = value;
        } else if value > most {
            most = value;
        }
    }
    let is_wider = ends
        .as_ref()
        .is_none_or(|(own_least, own_most)| least < own_least.as_str() || most > own_most.as_str());
    if is_wider {
        join(ends, Some((least.to_owned(), most.to_owned())));
    }
}

/// Adds bytes between offsets; returns how many.
fn add_bytes(direct: &mut Direct, offsets: &[i32], data: &[u8]) -> u64 {
    let (start, end) = match (offsets.first(), offsets.last()) {
        (Some(start), Some(end)) => (*start as usize, *end as usize),
        _ => (0, 0),
    };
    direct.data.bytes().extend_from_slice(&data[start..end]);
    direct.lengths.extend(offsets.windows(2).map(|pair| i64::from(pair[1] - pair[0])));
    (end - start) as u64
}

/// A decimal without its scale, in groups of seven bits.
fn put_decimal(value: i128, out: &mut Vec<u8>) {
    if let Ok(short) = i64::try_from(value)
        && short.unsigned_abs() < 1 << 62
    {
        varint(zigzag(short), out);
        return;
    }
    let mut rest = ((value << 1) ^ (value >> 127)) as u128;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
