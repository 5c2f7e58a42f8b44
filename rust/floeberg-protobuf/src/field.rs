//! How are the fields of messages read and written, each by its type?

use floeberg_core::Result;

use super::encoder::Encoder;
use super::message::{Message, parse};
use super::records::{Record, Records, Value};

/// A field of a message, of one of these types, or of another that reads and writes itself.
///
/// | type | in a `.proto` | is written |
/// | --- | --- | --- |
/// | `u64`, `u32`, `i64`, `i32`, `bool` | `uint64`, `uint32`, `int64`, `int32`, `bool` | unless it is zero |
/// | `Option<Double>` | `optional double` | where there is one |
/// | `Option<Signed>` | `optional sint64` or `sint32` | where there is one |
/// | `String`, `Vec<u8>` | `string`, `bytes` | unless it is empty |
/// | `Option` of these | `optional` | where there is one, also a zero |
/// | `Option` of a message | a message | where there is one, also an empty one |
/// | a message | a message that always is there | always |
/// | `Vec` of numbers | `repeated` numbers | packed, unless there are none |
/// | `Vec` of texts, bytes or messages | `repeated` | one by one |
/// | `Vec<(K, V)>` | `map<K, V>`, or entries like its own | one by one, in the order in which it was read |
///
/// A field that is there twice is what it is the second time, but lists go on, and a message that always is there is merged.
pub trait Field {
    /// Takes what a message holds under the field's number. Errors: `InvalidData`.
    fn read(&mut self, record: &Record<'_>) -> Result<()>;

    /// Writes it under its number, unless its absence says the same.
    fn write(&self, number: u32, out: &mut Encoder);
}

/// A value that a message holds under one number, once.
pub trait Single: Sized {
    /// Reads it. Errors: `InvalidData`.
    fn of(value: Value<'_>) -> Result<Self>;

    /// Writes it, also where it is zero or empty.
    fn put(&self, number: u32, out: &mut Encoder);
}

/// A signed number whose lowest bit is its sign: a `sint64` or `sint32` of a `.proto`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signed(pub i64);

impl Single for Signed {
    fn of(value: Value<'_>) -> Result<Self> {
        let written = value.number()?;
        Ok(Self((written >> 1) as i64 ^ -((written & 1) as i64)))
    }

    fn put(&self, number: u32, out: &mut Encoder) {
        out.some_number(number, ((self.0 << 1) ^ (self.0 >> 63)) as u64);
    }
}

/// A float, by its bits: a `double` of a `.proto`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Double([u8; 8]);

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self(value.to_le_bytes())
    }
}

impl From<Double> for f64 {
    fn from(double: Double) -> Self {
        Self::from_le_bytes(double.0)
    }
}

impl Single for Double {
    fn of(value: Value<'_>) -> Result<Self> {
        value.float().map(Self::from)
    }

    fn put(&self, number: u32, out: &mut Encoder) {
        out.float(number, (*self).into());
    }
}

macro_rules! numbers {
    ($($type:ty, $read:expr, $written:expr;)+) => {$(
        impl Single for $type {
            #[inline]
            fn of(value: Value<'_>) -> Result<Self> {
                $read(value)
            }

            fn put(&self, number: u32, out: &mut Encoder) {
                out.some_number(number, $written(*self));
            }
        }

        impl Field for $type {
            #[inline]
            fn read(&mut self, record: &Record<'_>) -> Result<()> {
                *self = Self::of(record.value)?;
                Ok(())
            }

            fn write(&self, number: u32, out: &mut Encoder) {
                out.number(number, $written(*self));
            }
        }

        impl Field for Vec<$type> {
            #[inline]
            fn read(&mut self, record: &Record<'_>) -> Result<()> {
                record.value.numbers(self, Single::of)
            }

            fn write(&self, number: u32, out: &mut Encoder) {
                out.packed(number, self.iter().map(|value| $written(*value)));
            }
        }
    )+};
}

numbers! {
    u64, Value::number, u64::from;
    u32, Value::small, u64::from;
    i64, |value: Value<'_>| Ok(value.number()? as i64), |value: i64| value as u64;
    i32, Value::signed, |value| i64::from(value) as u64;
    bool, |value: Value<'_>| Ok(value.number()? != 0), u64::from;
}

macro_rules! bytes {
    ($($type:ty, $read:ident;)+) => {$(
        impl Single for $type {
            #[inline]
            fn of(value: Value<'_>) -> Result<Self> {
                Ok(value.$read()?.to_owned())
            }

            fn put(&self, number: u32, out: &mut Encoder) {
                out.some_bytes(number, self);
            }
        }

        impl Field for $type {
            #[inline]
            fn read(&mut self, record: &Record<'_>) -> Result<()> {
                *self = Self::of(record.value)?;
                Ok(())
            }

            fn write(&self, number: u32, out: &mut Encoder) {
                out.bytes(number, self);
            }
        }

        impl Field for Vec<$type> {
            #[inline]
            fn read(&mut self, record: &Record<'_>) -> Result<()> {
                self.push(Single::of(record.value)?);
                Ok(())
            }

            fn write(&self, number: u32, out: &mut Encoder) {
                for one in self {
                    one.put(number, out);
                }
            }
        }
    )+};
}

bytes! {
    String, text;
    Vec<u8>, bytes;
}

impl<T: Message> Single for T {
    fn of(value: Value<'_>) -> Result<Self> {
        parse(value.bytes()?)
    }

    fn put(&self, number: u32, out: &mut Encoder) {
        out.message(number, self);
    }
}

impl<T: Message> Field for T {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        self.merge(record.value.bytes()?)
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        self.put(number, out);
    }
}

impl<T: Message> Field for Vec<T> {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        self.push(T::of(record.value)?);
        Ok(())
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        for message in self {
            message.put(number, out);
        }
    }
}

impl<T: Single> Field for Option<T> {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        *self = Some(T::of(record.value)?);
        Ok(())
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        if let Some(one) = self {
            one.put(number, out);
        }
    }
}

impl<K: Field + Default, V: Field + Default> Field for Vec<(K, V)> {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        let (mut key, mut value) = (K::default(), V::default());
        for record in Records::new(record.value.bytes()?) {
            let record = record?;
            match record.number {
                1 => key.read(&record)?,
                2 => value.read(&record)?,
                _ => {}
            }
        }
        self.push((key, value));
        Ok(())
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        for (key, value) in self {
            let mut entry = Encoder::default();
            key.write(1, &mut entry);
            value.write(2, &mut entry);
            out.some_bytes(number, entry.finish());
        }
    }
}

/// The value of a key; where a map has it several times, the last counts.
pub fn lookup<'a, V>(map: &'a [(String, V)], key: &str) -> Option<&'a V> {
    map.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
}
