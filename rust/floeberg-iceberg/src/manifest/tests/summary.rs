use floeberg_core::expr::{Share, Stats};
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::value::Value;

use crate::manifest::FieldSummary;
use crate::manifest::summary::SummaryStats;

fn stats(primitive: PrimitiveType, summary: FieldSummary) -> floeberg_core::expr::ColumnStats {
    let field_type = Type::from(primitive);
    let partition_type = StructType { fields: vec![Field::optional(1000, "p", field_type.clone())] };
    SummaryStats { partition_type: &partition_type, summaries: &[summary] }.column(1000, &field_type)
}

#[test]
fn no_bounds_and_nulls_mean_that_all_values_are_null() {
    let all_null = FieldSummary { contains_null: true, ..FieldSummary::default() };
    assert_eq!(stats(PrimitiveType::Int, all_null.clone()).nulls, Share::All);
    assert_eq!(stats(PrimitiveType::Float, all_null).nulls, Share::Some, "NaN may be among them");
}

#[test]
fn bounds_are_decoded_by_the_partition_type() {
    let bounds = FieldSummary {
        lower_bound: Some(5_i32.to_le_bytes().to_vec()),
        upper_bound: Some(9_i32.to_le_bytes().to_vec()),
        ..FieldSummary::default()
    };
    let stats = stats(PrimitiveType::Long, bounds);
    assert_eq!((stats.lower, stats.upper), (Some(Value::Long(5)), Some(Value::Long(9))));
    assert_eq!((stats.nulls, stats.nans), (Share::None, Share::None));
}

#[test]
fn uuid_bounds_in_a_signed_order_prove_nothing() {
    let signed = FieldSummary {
        lower_bound: Some(vec![0xff; 16]),
        upper_bound: Some(vec![0x0f; 16]),
        ..FieldSummary::default()
    };
    let stats = stats(PrimitiveType::Uuid, signed);
    assert_eq!((stats.lower, stats.upper), (None, None));
}

#[test]
fn a_summary_that_does_not_say_whether_there_are_nans_is_not_taken_to_say_no() {
    let silent = FieldSummary { lower_bound: Some(1_f32.to_le_bytes().to_vec()), ..FieldSummary::default() };
    assert_eq!(stats(PrimitiveType::Float, silent).nans, Share::Unknown);
}
