use proptest::prelude::*;

use super::super::Encoder;
use crate::read::Cursor;

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        longs in prop::collection::vec(any::<i64>().prop_flat_map(|long| (0_u32..64).prop_map(move |by| long >> by)), 0..20),
        int: i32,
        boolean: bool,
        bytes: Vec<u8>,
        float: u32,
        double: u64,
        optional: Option<i64>,
    ) {
        let mut out = Encoder::default();
        for long in &longs {
            out.long(*long);
        }
        out.int(int);
        out.boolean(boolean);
        out.prefixed(&bytes);
        out.float(f32::from_bits(float));
        out.double(f64::from_bits(double));
        out.optional(optional, Encoder::long);
        out.items(longs.iter(), |out, long| out.long(*long));

        let mut cursor = Cursor::new(out.bytes());
        for long in &longs {
            prop_assert_eq!(cursor.long().unwrap(), *long);
        }
        prop_assert_eq!(cursor.int().unwrap(), int);
        prop_assert_eq!(cursor.boolean().unwrap(), boolean);
        prop_assert_eq!(cursor.prefixed().unwrap(), &bytes[..]);
        prop_assert_eq!(cursor.array::<4>().unwrap(), float.to_le_bytes());
        prop_assert_eq!(cursor.array::<8>().unwrap(), double.to_le_bytes());
        let found = (cursor.long().unwrap() == 1).then(|| cursor.long().unwrap());
        prop_assert_eq!(found, optional);
        let block = cursor.item_block().unwrap();
        prop_assert_eq!((block.count as usize, block.size), (longs.len(), None));
        for long in &longs {
            prop_assert_eq!(cursor.long().unwrap(), *long);
        }
        if !longs.is_empty() {
            prop_assert_eq!(cursor.item_block().unwrap().count, 0);
        }
        prop_assert_eq!(cursor.remaining(), 0);
    }
}

#[test]
fn a_long_takes_as_few_bytes_as_the_specification_says() {
    // Avro 1.12, Binary Encoding: the examples, and the extremes.
    let expected: [(i64, &[u8]); 8] = [
        (0, &[0x00]),
        (-1, &[0x01]),
        (1, &[0x02]),
        (-64, &[0x7f]),
        (64, &[0x80, 0x01]),
        (8192, &[0x80, 0x80, 0x01]),
        (i64::MAX, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        (i64::MIN, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    ];
    for (value, bytes) in expected {
        let mut out = Encoder::default();
        out.long(value);
        assert_eq!(out.bytes(), bytes, "{value}");
    }
}
