//! Which bytes bring rows together that are near each other in several columns?
//!
//! In: batches in the table's form. Out: one key per row, all of one length.
//!
//! ```text
//! a  1011...    b  0110...    c  01      ->   100 011 11 10 ...
//! ```
//!
//! Each column gives a fixed number of ordered bytes, and their bits take turns, the most significant first. A column without bits
//! left is passed over. Null is as the smallest value.
//!
//! Invariant: where two rows differ in one column alone, their keys are in the order of its bytes.

use arrow_array::{BinaryArray, RecordBatch};
use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};
use floeberg_files::OrderedValues;

use super::keys::keys_of;
use crate::write::ZOrder;
use crate::write::derived::Derived;

/// How many bytes a number gives, whatever its type.
const NUMBER_BYTES: usize = 8;

/// How keys are made.
#[derive(Debug)]
pub(in crate::write) struct ZKeys {
    columns: Vec<Derived>,
    /// How many bytes each column gives.
    widths: Vec<usize>,
    /// Of each bit that a column gives, its place in the key.
    places: Vec<u32>,
    key_bytes: usize,
}

impl ZKeys {
    /// Errors: `InvalidInput` without a column and for keys that are too long; `InvalidData` for a column that is not there;
    /// `Unsupported` for one whose values have no order.
    pub fn new(order: &ZOrder, schema: &Schema) -> Result<Self> {
        if order.column_ids.is_empty() {
            return Err(Error::invalid_input("a z-order needs a column"));
        }
        let (mut columns, mut widths) = (Vec::new(), Vec::new());
        for id in &order.column_ids {
            let column = Derived::new(&Transform::Identity, &[*id], schema)?;
            let width = match &column.result {
                Type::Primitive(primitive) => width(primitive, order.variable_bytes.min(order.key_bytes)),
                _ => None,
            };
            let Some(width) = width else {
                let message = format!("rows cannot be put in a z-order by values of type {}", column.result);
                return Err(
                    Error::unsupported(message).with("column", schema.full_name(*id).unwrap_or_default())
                );
            };
            columns.push(column);
            widths.push(width);
        }
        let key_bytes = order.key_bytes(&widths)?;
        let places = places(&widths, key_bytes);
        Ok(Self { columns, widths, places, key_bytes })
    }

    /// The keys of the rows of a batch.
    pub fn of(&self, batch: &RecordBatch) -> Result<BinaryArray> {
        let columns = self.columns.iter().map(|column| column.of(batch)).collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> = columns.iter().map(OrderedValues::of).collect::<Result<_>>()?;
        let mut given = vec![0; self.widths.iter().sum()];
        keys_of(batch.num_rows(), |keys, row| {
            let mut rest = given.as_mut_slice();
            for (values, width) in columns.iter().zip(&self.widths) {
                let (bytes, after) = rest.split_at_mut(*width);
                rest = after;
                if values.is_null(row) { bytes.fill(0) } else { values.fill(bytes, row) }
            }
            let start = keys.len();
            keys.resize(start + self.key_bytes, 0);
            self.scatter(&given, &mut keys[start..]);
        })
    }

    /// Sets the bits of a key: those that columns gave, in their places.
    fn scatter(&self, given: &[u8], key: &mut [u8]) {
        for (byte, places) in given.iter().zip(self.places.chunks_exact(8)) {
            let mut left = *byte;
            while left != 0 {
                let bit = left.leading_zeros();
                left &= !(0x80 >> bit);
                let place = places[bit as usize];
                // What does not fit into the key has a place behind it.
                if let Some(byte) = key.get_mut(place as usize / 8) {
                    *byte |= 0x80 >> (place % 8);
                }
            }
        }
    }
}

/// How many bytes values of a type give; `None` where they have no order.
fn width(primitive: &PrimitiveType, variable: usize) -> Option<usize> {
    use PrimitiveType as P;
    match primitive {
        P::String | P::Binary | P::Fixed(_) | P::Uuid => Some(variable),
        P::Decimal { precision, .. } if *precision > 18 => Some(2 * NUMBER_BYTES),
        P::Geometry { .. } | P::Geography { .. } => None,
        _ => Some(NUMBER_BYTES),
    }
}

/// The place of each bit in the key, column by column.
fn places(widths: &[usize], key_bytes: usize) -> Vec<u32> {
    let most = widths.iter().max().copied().unwrap_or(0);
    let mut places = vec![0; 8 * widths.iter().sum::<usize>()];
    let mut next = 0_u32;
    let behind = u32::try_from(8 * key_bytes).unwrap_or(u32::MAX);
    for bit in 0..8 * most {
        let mut start = 0;
        for width in widths {
            if bit < 8 * width {
                places[start + bit] = next;
                next = (next + 1).min(behind);
            }
            start += 8 * width;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{ZKeys, places};

    fn scattered(widths: &[usize], key_bytes: usize, given: &[u8]) -> Vec<u8> {
        let places = places(widths, key_bytes);
        let keys = ZKeys { columns: Vec::new(), widths: widths.to_vec(), places, key_bytes };
        let mut key = vec![0; key_bytes];
        keys.scatter(given, &mut key);
        key
    }

    #[test]
    fn bits_take_turns() {
        assert_eq!(scattered(&[1, 1], 2, &[0xff, 0]), [0xaa, 0xaa]);
        assert_eq!(scattered(&[1, 1], 2, &[0, 0xff]), [0x55, 0x55]);
        assert_eq!(scattered(&[1, 1, 1], 3, &[0xff, 0, 0]), [0b1001_0010, 0b0100_1001, 0b0010_0100]);
        assert_eq!(scattered(&[2], 2, &[0x12, 0x34]), [0x12, 0x34]);
    }

    #[test]
    fn a_column_without_bits_left_is_passed_over() {
        assert_eq!(scattered(&[1, 2], 3, &[0xff, 0, 0x81]), [0xaa, 0xaa, 0x81]);
        assert_eq!(scattered(&[2, 1], 3, &[0, 0x81, 0xff]), [0x55, 0x55, 0x81]);
        assert_eq!(scattered(&[0, 1], 1, &[0x81]), [0x81]);
    }

    #[test]
    fn a_short_key_has_the_first_bits() {
        assert_eq!(scattered(&[1, 1], 1, &[0xff, 0]), [0xaa]);
        assert_eq!(scattered(&[1, 2], 2, &[0xf0, 0xff, 0xff]), [0xff, 0x55]);
    }
}
