use proptest::prelude::*;

use crate::plan::deletes::intervals::Intervals;

fn ends() -> impl Strategy<Value = (Option<i8>, Option<i8>)> {
    (prop::option::weighted(0.8, -9_i8..9), prop::option::weighted(0.8, -9_i8..9))
}

proptest! {
    #[test]
    fn what_touches_a_range_is_what_a_look_at_each_finds(
        ranges in prop::collection::vec(ends(), 0..40),
        asked in ends(),
    ) {
        let of = |number: u32| ranges[number as usize];
        let intervals = Intervals::new((0..ranges.len() as u32).collect(), of);
        let mut found = Vec::new();
        intervals.touching(&asked, of, |number| found.push(number));
        found.sort_unstable();
        let is_above = |lower: Option<i8>, upper: Option<i8>| lower.zip(upper).is_some_and(|(low, high)| low > high);
        let touches = |number: &u32| !is_above(asked.0, of(*number).1) && !is_above(of(*number).0, asked.1);
        let expected: Vec<u32> = (0..ranges.len() as u32).filter(touches).collect();
        prop_assert_eq!(found, expected);
    }
}
