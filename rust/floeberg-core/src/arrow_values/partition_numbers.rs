//! Which rows belong to the same partition?
//!
//! In: partition values in columns. Out: for each row the number of its partition, numbered as they first occur.
//! Spec: Scan Planning, note 3.
//!
//! Invariant: two rows have the same number exactly if their [`PartitionKey`]s are equal. Only the first row of each partition
//! allocates memory.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use foldhash::fast::RandomState;

use super::read::from_array;
use crate::error::{Error, Result};
use crate::primitive::PrimitiveType;
use crate::schema::Type;
use crate::value::PartitionKey;
use crate::value::partition_key::put;

/// The partitions of many rows.
#[derive(Debug, Default)]
pub struct PartitionNumbers {
    /// For each row the number of its partition.
    pub of: Vec<u32>,
    /// The key of each partition, by number.
    pub keys: Vec<PartitionKey>,
    /// A row of each partition, by number: its first.
    pub rows: Vec<usize>,
}

impl PartitionNumbers {
    /// All rows in one partition, without values.
    pub fn one(rows: usize) -> Self {
        Self { of: vec![0; rows], keys: vec![PartitionKey::new([])], rows: vec![0] }
    }

    /// Numbers the partitions of `rows` rows whose values stand in columns of these types.
    ///
    /// Errors: `InvalidInput` for a column that is not of its type; `LimitExceeded` for 2^31 rows and more.
    pub fn new(columns: &[(&ArrayRef, Type)], rows: usize) -> Result<Self> {
        if i32::try_from(rows).is_err() {
            return Err(Error::limit("a batch of 2,147,483,648 or more rows cannot be split by partition"));
        }
        let Some((first, others)) = columns.split_first() else {
            return Ok(if rows == 0 { Self::default() } else { Self::one(rows) });
        };
        let mut found = of_column(first.0, &first.1)?;
        for (array, field_type) in others {
            found = found.with(&of_column(array, field_type)?);
        }
        let key = |row: &usize| {
            let values = columns.iter().map(|(array, field_type)| from_array(array, *row, field_type));
            let values = values.collect::<Result<Vec<_>>>()?;
            Ok(PartitionKey::new(values.iter().map(Option::as_ref)))
        };
        let keys = found.rows.iter().map(key).collect::<Result<_>>()?;
        Ok(Self { of: found.of, keys, rows: found.rows })
    }
}

/// The different values of rows, numbered as they first occur.
#[derive(Default)]
struct Numbers {
    /// For each row the number of its value.
    of: Vec<u32>,
    /// The first row of each value, by number.
    rows: Vec<usize>,
}

impl Numbers {
    /// The number of a row whose value is new.
    fn add(&mut self) -> u32 {
        self.rows.push(self.of.len());
        self.rows.len() as u32 - 1
    }

    /// Of keys that are equal for equal values.
    fn of_keys<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Self {
        let mut found = Self::default();
        let mut numbers: HashMap<K, u32, RandomState> = HashMap::default();
        for key in keys {
            let number = *numbers.entry(key).or_insert_with(|| found.add());
            found.of.push(number);
        }
        found
    }

    /// Of whole numbers: those of days and buckets are near each other, so that a table finds them.
    fn of_integers(values: impl Iterator<Item = Option<i64>> + Clone) -> Self {
        let (mut least, mut most, mut rows) = (i64::MAX, i64::MIN, 0_usize);
        for value in values.clone() {
            rows += 1;
            if let Some(value) = value {
                (least, most) = (least.min(value), most.max(value));
            }
        }
        let width = most.checked_sub(least).and_then(|width| usize::try_from(width).ok());
        let Some(width) = width.filter(|width| *width <= rows.saturating_mul(4)) else {
            return Self::of_keys(values);
        };
        let mut found = Self { of: Vec::with_capacity(rows), rows: Vec::new() };
        // The last place is that of nulls.
        let mut table = vec![u32::MAX; width + 2];
        for value in values {
            let place = value.map_or(width + 1, |value| (value - least) as usize);
            if table[place] == u32::MAX {
                table[place] = found.add();
            }
            found.of.push(table[place]);
        }
        found
    }

    /// Of the bytes that the keys of partitions have for values.
    fn of_values(array: &ArrayRef, field_type: &Type) -> Result<Self> {
        let mut found = Self::default();
        let mut numbers: HashMap<Box<[u8]>, u32, RandomState> = HashMap::default();
        let mut key = Vec::new();
        for row in 0..array.len() {
            key.clear();
            put(&mut key, from_array(array, row, field_type)?.as_ref());
            let number = if let Some(number) = numbers.get(key.as_slice()) {
                *number
            } else {
                let number = found.add();
                numbers.insert(key.as_slice().into(), number);
                number
            };
            found.of.push(number);
        }
        Ok(found)
    }

    /// Of pairs of values, one of each.
    fn with(&self, other: &Self) -> Self {
        // Below 2^31 values of each, which `new` sees to, a pair is below 2^62.
        let width = other.rows.len() as i64;
        let pairs = self.of.iter().zip(&other.of);
        Self::of_integers(pairs.map(|(one, other)| Some(i64::from(*one) * width + i64::from(*other))))
    }
}

fn of_column(array: &ArrayRef, field_type: &Type) -> Result<Numbers> {
    use PrimitiveType as P;
    let known = match (field_type, array.data_type()) {
        (Type::Primitive(P::Int), DataType::Int32) => integers::<Int32Type>(array),
        (Type::Primitive(P::Date), DataType::Date32) => integers::<Date32Type>(array),
        (Type::Primitive(P::Long), DataType::Int64) => integers::<Int64Type>(array),
        (Type::Primitive(P::String), DataType::Utf8) => {
            array.as_string_opt::<i32>().map(|texts| Numbers::of_keys(texts.iter()))
        }
        _ => None,
    };
    known.map_or_else(|| Numbers::of_values(array, field_type), Ok)
}

fn integers<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef) -> Option<Numbers> {
    let array = array.as_primitive_opt::<T>()?;
    Some(Numbers::of_integers(array.iter().map(|value| value.map(Into::into))))
}
