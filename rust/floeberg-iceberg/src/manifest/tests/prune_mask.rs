use arrow_array::StringArray;
use proptest::prelude::*;

use crate::manifest::prune_counts::{NO_TEST, NamedTest, PruneCounts};
use crate::manifest::prune_mask::PruneMask;
use crate::plan::{Dropped, Stage};

const REASONS: [&str; 3] = ["bounds", "null count", "no rows"];

fn paths() -> StringArray {
    StringArray::from_iter_values((0..8).map(|row| format!("f{row}")))
}

fn tests() -> Vec<NamedTest> {
    let test =
        |text: &str, column: &str| NamedTest { text: text.to_owned(), columns: vec![column.to_owned()] };
    vec![test("a = 1", "a"), test("b > 2", "b")]
}

proptest! {
    #[test]
    fn what_came_in_is_what_was_dropped_and_what_was_kept(
        kept in prop::option::of(prop::collection::vec(any::<bool>(), 8)),
        drops in prop::collection::vec((0_usize..8, prop::sample::select(vec![0, 1, NO_TEST]), 0_usize..3), 0..12),
        cut in 0_usize..12,
    ) {
        let came = kept.clone().unwrap_or_else(|| vec![true; 8]);
        let mut verdicts = PruneMask::new(kept, 8);
        // The plain rule: the first test that drops a row which came in is its test.
        let mut first = [None; 8];
        for (row, test, reason) in drops {
            verdicts.drop(row, test, REASONS[reason]);
            if came[row] {
                first[row].get_or_insert((test, REASONS[reason]));
            }
        }
        let keeps: Vec<bool> = (0..8).map(|row| verdicts.keeps(row)).collect();
        prop_assert_eq!(&keeps, &(0..8).map(|row| came[row] && first[row].is_none()).collect::<Vec<_>>());
        let mut named = PruneCounts::new(true);
        named.count(&verdicts, &paths());
        let stage = Stage::of("files", &named, &tests());
        prop_assert_eq!(stage.entered, came.iter().filter(|came| **came).count() as u64);
        prop_assert_eq!(stage.kept, keeps.iter().filter(|keeps| **keeps).count() as u64);
        for dropped in &stage.dropped {
            let by = |test: usize| tests().get(test).map_or(String::new(), |test| test.text.clone());
            let expected: Vec<_> = (0..8)
                .filter(|row| first[*row].is_some_and(|(test, why)| by(test) == dropped.by && why == dropped.reason))
                .map(|row| format!("f{row}"))
                .collect();
            prop_assert_eq!(dropped.count as usize, expected.len());
            prop_assert_eq!(&dropped.files, &expected);
        }
        // Counted in two parts, and without names, the numbers are the same.
        let mut parts = [PruneCounts::new(false), PruneCounts::new(false)];
        for (part, tally) in parts.iter_mut().enumerate() {
            let mine = (0..8).map(|row| came[row] && (row < cut) == (part == 0)).collect();
            let mut verdicts = PruneMask::new(Some(mine), 8);
            for (row, found) in first.iter().enumerate() {
                if let Some((test, reason)) = found {
                    verdicts.drop(row, *test, reason);
                }
            }
            tally.count(&verdicts, &paths());
        }
        let [mut whole, other] = parts;
        whole.merge(other);
        let nameless = |dropped: &Dropped| Dropped { files: Vec::new(), ..dropped.clone() };
        let counted = Stage::of("files", &whole, &tests());
        prop_assert_eq!((counted.entered, counted.kept), (stage.entered, stage.kept));
        prop_assert_eq!(counted.dropped, stage.dropped.iter().map(nameless).collect::<Vec<_>>());
        prop_assert_eq!(verdicts.into_mask(), keeps);
    }
}
