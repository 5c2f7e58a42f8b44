//! How should variants be shredded?
//!
//! In: the first variants of a file. Out: the types that many of them have in common, if any.
//!
//! A place is a value, the values of a field, or the elements of arrays. It is shredded if all its values have one type, as
//! Iceberg Java infers it: integers get the widest type that occurred, decimals the digits and the scale that all of them need,
//! and nulls do not count.
//!
//! Invariant: the time is bounded by the number of bytes and the depth, the memory by a number of places, whatever the bytes
//! are.

use std::collections::HashMap;
use std::str;

use arrow_array::{Array as _, StructArray};

use super::Shape;
use super::dictionary::Dictionary;
use super::encode::Primitive;
use super::scalar::Scalar;
use super::shape::Part;
use super::unshredded::parts;
use super::value::Container;
use super::value::{Kind, NULL, check_one, damaged};
use crate::error::Result;

/// Of ten values one at least must have a field, or its columns would be nearly empty.
const RARE: usize = 10;
/// Fields of one object that get columns, the most frequent ones. As Iceberg Java.
const MOST_FIELDS: usize = 300;
/// How deep values are looked into. As Iceberg Java; half of what a [`Layout`](super::Layout) may nest.
const DEEPEST: usize = 50;
/// Places that are counted, all in all, in the order in which they come. Each may become two columns of a file, which take
/// memory for every file that is open.
const MOST_PLACES: usize = 1_000;
/// The most digits of a decimal.
const MOST_DIGITS: i32 = 38;

impl Shape {
    /// How to shred the variants of these columns, which are structs of the bytes `metadata` and `value`; `None` where
    /// they are not.
    ///
    /// Errors: `InvalidData` for bytes that are not a variant and for names that are not UTF-8; `Unsupported` for an
    /// unknown type within an object or array.
    pub fn infer(columns: &[StructArray]) -> Result<Option<Self>> {
        let mut root = Seen::default();
        let mut room = MOST_PLACES;
        for column in columns {
            let (metadata, values) = parts(column)?;
            for row in (0..column.len()).filter(|row| column.is_valid(*row)) {
                let value = values.value(row);
                check_one(value)?;
                root.take(value, &Dictionary::checked(metadata.value(row))?, 0, &mut room)?;
            }
        }
        let count = root.count;
        Ok(root.shape(count)?.map(Self))
    }
}

/// What was seen in one place.
#[derive(Default)]
struct Seen<'a> {
    /// Values other than null.
    count: usize,
    family: Option<Family>,
    fields: HashMap<&'a [u8], Seen<'a>>,
    element: Option<Box<Seen<'a>>>,
}

/// What all values of a place are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Of one type; of integers the widest. `True` is both booleans.
    Exact(Primitive),
    /// The widest type, and the digits before and after the point that are needed.
    Decimal(Primitive, i32, u8),
    Object,
    Array,
    /// Of several types, or of one that is not known.
    Mixed,
}

impl<'a> Seen<'a> {
    fn take(
        &mut self,
        value: &'a [u8],
        names: &Dictionary<'a>,
        depth: usize,
        room: &mut usize,
    ) -> Result<()> {
        if value == NULL {
            return Ok(());
        }
        self.count += 1;
        if self.family == Some(Family::Mixed) {
            return Ok(());
        }
        let family = Family::of(value)?;
        let family = self.family.map_or(family, |known| known.with(family));
        self.family = Some(family);
        if depth >= DEEPEST {
            return Ok(());
        }
        match family {
            Family::Object => {
                for field in Container::new(value)?.fields() {
                    let (id, value) = field?;
                    if let Some(place) = self.field(names.name(id)?, room) {
                        place.take(value, names, depth + 1, room)?;
                    }
                }
            }
            Family::Array => {
                let element = self.element.get_or_insert_default();
                for value in Container::new(value)?.elements() {
                    element.take(value?, names, depth + 1, room)?;
                }
            }
            Family::Exact(_) | Family::Decimal(..) | Family::Mixed => {}
        }
        Ok(())
    }

    /// The record of a field; `None` without room for another one.
    fn field(&mut self, name: &'a [u8], room: &mut usize) -> Option<&mut Self> {
        if !self.fields.contains_key(name) {
            *room = room.checked_sub(1)?;
        }
        Some(self.fields.entry(name).or_default())
    }

    /// How to shred this part of the values, for this many values at the top.
    fn shape(self, rows: usize) -> Result<Option<Part>> {
        Ok(match self.family {
            None | Some(Family::Mixed) => None,
            Some(Family::Exact(kind)) => Some(Part::exact(kind)),
            Some(Family::Decimal(widest, whole, scale)) => Some(decimals(widest, whole, scale)),
            Some(Family::Array) => match self.element {
                Some(element) => element.shape(rows)?.map(|element| Part::Array(Box::new(element))),
                None => None,
            },
            Some(Family::Object) => {
                let mut fields: Vec<_> =
                    self.fields.into_iter().filter(|(_, seen)| seen.count * RARE >= rows).collect();
                fields.sort_by(|(one, seen), (other, more)| {
                    more.count.cmp(&seen.count).then_with(|| one.cmp(other))
                });
                fields.truncate(MOST_FIELDS);
                fields.sort_by_key(|(name, _)| *name);
                let mut shredded = Vec::with_capacity(fields.len());
                for (name, seen) in fields {
                    if let Some(part) = seen.shape(rows)? {
                        shredded.push((text(name)?.to_owned(), part));
                    }
                }
                (!shredded.is_empty()).then_some(Part::Object(shredded))
            }
        })
    }
}

impl Family {
    fn of(value: &[u8]) -> Result<Self> {
        let Some(scalar) = Scalar::of(value)? else {
            return Ok(match value.first().map(|header| Kind::of(*header)) {
                Some(Kind::Object) => Self::Object,
                Some(Kind::Array) => Self::Array,
                _ => Self::Mixed,
            });
        };
        Ok(match (scalar.kind, scalar.decimal()?) {
            (kind, Some(decimal)) => Self::Decimal(kind, decimal.whole_digits().max(0), decimal.scale),
            (Primitive::False, None) => Self::Exact(Primitive::True),
            (kind, None) => Self::Exact(kind),
        })
    }

    /// What values of both are.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact(one), Self::Exact(other)) if is_integer(one) && is_integer(other) => {
                Self::Exact(wider(one, other))
            }
            (Self::Decimal(one, whole, scale), Self::Decimal(other, more_whole, more_scale)) => {
                Self::Decimal(wider(one, other), whole.max(more_whole), scale.max(more_scale))
            }
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }
}

fn is_integer(kind: Primitive) -> bool {
    matches!(kind, Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64)
}

/// Of two integers or two decimals: the numbers of types ascend with their widths.
fn wider(one: Primitive, other: Primitive) -> Primitive {
    if one as u8 >= other as u8 { one } else { other }
}

/// A column of decimals with this many digits, of the widest type that was seen at least: only these are stored in it.
fn decimals(widest: Primitive, whole: i32, scale: u8) -> Part {
    let fewest = match widest {
        Primitive::Decimal8 => 10,
        Primitive::Decimal16 => 19,
        _ => 1,
    };
    let precision = (whole + i32::from(scale)).clamp(fewest, MOST_DIGITS);
    let scale = i32::from(scale).min((MOST_DIGITS - whole).max(0));
    Part::decimals(precision as u8, scale as u8)
}

fn text(name: &[u8]) -> Result<&str> {
    str::from_utf8(name).map_err(|_| damaged("the name of a field is not valid UTF-8"))
}
