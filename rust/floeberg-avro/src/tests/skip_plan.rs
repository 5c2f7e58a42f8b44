use proptest::prelude::*;

use crate::read::Cursor;
use crate::testing::{long, prefixed};

fn pairs() -> impl Strategy<Value = Vec<(i64, Vec<u8>)>> {
    let key = prop_oneof![0_i64..200, -200_i64..0, any::<i64>()];
    prop::collection::vec((key, prop::collection::vec(any::<u8>(), 0..90)), 0..20)
}

proptest! {
    #[test]
    fn keys_and_bytes_are_walked_past_to_where_they_end(pairs in pairs(), cut in any::<prop::sample::Index>()) {
        let mut bytes = Vec::new();
        for (key, value) in &pairs {
            bytes.extend([long(*key), prefixed(value)].concat());
        }
        let end = bytes.len();
        bytes.extend([1, 2, 3]);
        let mut cursor = Cursor::new(&bytes);
        cursor.skip_keyed_bytes(pairs.len() as u64).unwrap();
        prop_assert_eq!(cursor.position(), end);
        if end > 0 {
            let cut = cut.index(end);
            prop_assert!(Cursor::new(&bytes[..cut]).skip_keyed_bytes(pairs.len() as u64).is_err());
        }
    }

    #[test]
    fn whatever_the_bytes_the_walk_is_that_over_one_pair_after_the_other(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        count in 0_u64..12,
    ) {
        let mut plain = Cursor::new(&bytes);
        let walked = (0..count).try_for_each(|_| plain.long().and_then(|_| plain.prefixed()).map(|_| ()));
        let mut fast = Cursor::new(&bytes);
        prop_assert_eq!(fast.skip_keyed_bytes(count).is_ok(), walked.is_ok());
        if walked.is_ok() {
            prop_assert_eq!(fast.position(), plain.position());
        }
    }
}
