//! Pruning by what was written before a promotion loses no row: by bounds in manifests and in partition summaries, and
//! between keys of equality deletes.

use floeberg_core::expr::{ColumnStats, Share, Stats, may_match};
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::value::ordering::compare;
use floeberg_core::value::{Value, single_value};
use proptest::prelude::*;

use super::promotion::{near, numbers, operator, promotion};
use crate::manifest::{FieldSummary, SummaryStats, decode_pair};
use crate::plan::deletes::key_stats::mismatch;

/// What a writer of the old type says of a set of values.
#[derive(Debug)]
struct Written {
    nulls: Share,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
}

fn written(values: &[Option<Value>]) -> Written {
    let nulls = values.iter().filter(|value| value.is_none()).count();
    let mut present: Vec<&Value> = values.iter().flatten().collect();
    present.sort_by(|left, right| compare(left, right).unwrap());
    let bytes = |value: Option<&&Value>| value.map(|value| single_value::to_bytes(value).unwrap());
    let nulls = match nulls {
        0 => Share::None,
        all if all == values.len() => Share::All,
        _ => Share::Some,
    };
    Written { nulls, lower: bytes(present.first()), upper: bytes(present.last()) }
}

fn decoded(written: &Written, to: &PrimitiveType) -> ColumnStats {
    let (lower, upper) =
        decode_pair(&Type::from(to.clone()), written.lower.as_deref(), written.upper.as_deref());
    ColumnStats { nulls: written.nulls, nans: Share::None, lower, upper }
}

struct One(ColumnStats);

impl Stats for One {
    fn column(&self, _: i32, _: &Type) -> ColumnStats {
        self.0.clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn bounds_from_before_a_promotion_drop_no_matching_row(
        promotion in promotion(), numbers in numbers(), pick in any::<prop::sample::Index>(),
        offset in -2_i8..=2, op in operator(),
    ) {
        let values = promotion.all(&numbers);
        let picked = promotion.old(numbers[pick.index(numbers.len())].unwrap_or(7));
        let literal = near(promotion.new_value(&picked), offset);
        let filter = promotion.test(op, literal);
        let found = promotion.matching(&filter, &values);
        let written = written(&values);
        prop_assert!(found == 0 || may_match(&filter, &One(decoded(&written, &promotion.to))));
        let field_type = Type::from(promotion.to.clone());
        let partition_type = StructType { fields: vec![Field::optional(1, "p", field_type)] };
        let summary = FieldSummary {
            contains_null: written.nulls != Share::None,
            contains_nan: Some(false),
            lower_bound: written.lower,
            upper_bound: written.upper,
        };
        let summaries = SummaryStats { partition_type: &partition_type, summaries: &[summary] };
        prop_assert!(found == 0 || may_match(&filter, &summaries));
    }

    #[test]
    fn keys_from_before_and_after_a_promotion_that_share_a_value_are_not_told_apart(
        promotion in promotion(), data in numbers(), delete in numbers(),
    ) {
        let old = promotion.all(&data);
        let new = |number: i32| promotion.new_value(&promotion.old(number));
        let new: Vec<_> = delete.iter().map(|number| number.map(new)).collect();
        let promoted: Vec<_> = old.iter().map(|value| value.as_ref().map(|value| promotion.new_value(value))).collect();
        let shares = promoted.iter().any(|value| new.contains(value));
        let [of_data, of_delete] = [&old, &new].map(|values| decoded(&written(values), &promotion.to));
        prop_assert!(!shares || mismatch(&of_data, &of_delete).is_none());
    }
}
