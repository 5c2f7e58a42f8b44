//! Files from before a promotion are pruned by statistics, pages and bloom filters, and lose no row.

use arrow_array::RecordBatch;
use floeberg_core::schema::{Field, Schema};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use super::fixture::{batches, column, filtered, parquet_with, request, store};
use crate::plan::tests::promotion::{near, numbers, operator, promotion};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn files_from_before_a_promotion_lose_no_matching_row(
        promotion in promotion(), numbers in numbers(), pick in any::<prop::sample::Index>(),
        offset in -2_i8..=2, op in operator(), group_rows in 1_usize..30,
        bloom in any::<bool>(), dictionary in any::<bool>(),
    ) {
        let values = promotion.all(&numbers);
        let picked = promotion.old(numbers[pick.index(numbers.len())].unwrap_or(7));
        let filter = promotion.test(op, near(promotion.new_value(&picked), offset));
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(group_rows))
            .set_dictionary_enabled(dictionary)
            .set_bloom_filter_enabled(bloom)
            .set_bloom_filter_max_ndv(4)
            .build();
        let array = promotion.stored(&values);
        let bytes = parquet_with(vec![column(1, "c", array.data_type().clone())], vec![array], properties);
        let schema = Schema::new(0, vec![Field::optional(1, "c", promotion.to.clone())]).unwrap();
        let found = batches(request(&store(bytes), schema), &filtered(filter.clone())).unwrap();
        let found: usize = found.iter().map(RecordBatch::num_rows).sum();
        prop_assert_eq!(found, promotion.matching(&filter, &values));
    }
}
