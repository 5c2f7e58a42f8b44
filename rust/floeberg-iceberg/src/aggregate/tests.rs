#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, ColumnStats, Operator, Share};
use floeberg_core::schema::{Field, ListType, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;

use super::best::Extreme;
use super::count::{self, Reading};
use super::extreme::{Known, column_of, known};
use crate::plan::{DeleteFile, DeleteKind, FileFormat, PlannedFile};

const VECTOR: DeleteKind = DeleteKind::Vector { content_offset: 4, content_size_in_bytes: 40 };

fn delete(kind: DeleteKind, record_count: i64) -> DeleteFile {
    DeleteFile {
        file_path: "memory://t/delete".to_owned(),
        location: "memory://t/delete".to_owned(),
        file_format: FileFormat::Parquet,
        kind,
        record_count,
        file_size_in_bytes: 1,
        data_sequence_number: 1,
        referenced_data_file: None,
        spec_id: 0,
        partition: Vec::new(),
    }
}

fn equality() -> DeleteFile {
    delete(DeleteKind::Equality { equality_ids: vec![1] }, 1)
}

fn filter() -> BoundExpr {
    let column = BoundColumn {
        id: 1,
        name: "a".to_owned(),
        path: vec![1],
        field_type: PrimitiveType::Long.into(),
        required: false,
    };
    let (op, column) = (Operator::NotNull, Arc::new(column));
    BoundExpr::Predicate(BoundPredicate { op, column, transform: None, literals: [].into() })
}

fn file<'a>(rows: u64, residual: &'a BoundExpr, deletes: &[&'a DeleteFile]) -> PlannedFile<'a> {
    PlannedFile { number: 0, rows, residual, deletes: deletes.to_vec() }
}

fn long(value: i64) -> Value {
    Value::Long(value)
}

fn double(value: f64) -> Value {
    Value::Double(value)
}

fn stats(lower: Value, upper: Value) -> ColumnStats {
    ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(lower), upper: Some(upper) }
}

/// What is known of a whole file of three rows.
fn of(statistics: &ColumnStats, primitive: PrimitiveType, which: Extreme) -> Known {
    known(&file(3, &BoundExpr::True, &[]), statistics, &primitive.into(), which)
}

fn smallest(statistics: &ColumnStats, primitive: PrimitiveType) -> Known {
    of(statistics, primitive, Extreme::Smallest)
}

mod counts {
    use super::*;

    #[test]
    fn a_file_that_matches_whole_has_the_rows_that_its_metadata_says() {
        assert_eq!(count::known(&file(9, &BoundExpr::True, &[])), Ok(9));
        assert_eq!(count::known(&file(9, &BoundExpr::False, &[&equality()])), Ok(0));
    }

    #[test]
    fn what_deletes_count_themselves_says_nothing() {
        let position = delete(DeleteKind::Position, 1);
        let asked = |deletes: &[&DeleteFile]| count::known(&file(9, &BoundExpr::True, deletes));
        assert_eq!(asked(&[&position]), Err(Reading::PositionDeletes));
        assert_eq!(asked(&[&position, &equality()]), Err(Reading::EqualityDeletes));
        // Positions may lie past the end of the file.
        assert_eq!(asked(&[&delete(VECTOR, 4)]), Err(Reading::Vector));
        assert_eq!(asked(&[&delete(VECTOR, 1), &equality()]), Err(Reading::EqualityDeletes));
    }

    #[test]
    fn a_filter_that_is_left_is_asked_of_every_row() {
        assert_eq!(count::known(&file(9, &filter(), &[])), Err(Reading::Filter));
    }
}

mod extremes {
    use super::*;

    #[test]
    fn bounds_are_no_values_unless_they_leave_no_other() {
        let apart = stats(long(1), long(5));
        assert_eq!(smallest(&apart, PrimitiveType::Long), Known::Within(Some(long(1)), "bounds"));
        assert_eq!(of(&apart, PrimitiveType::Long, Extreme::Largest), Known::Within(Some(long(5)), "bounds"));
        let equal = stats(long(5), long(5));
        assert_eq!(smallest(&equal, PrimitiveType::Long), Known::Exactly(Value::Long(5)));
    }

    #[test]
    fn equal_bounds_are_no_value_where_no_row_need_have_one() {
        let equal = |nulls| ColumnStats { nulls, ..stats(long(5), long(5)) };
        let within = Known::Within(Some(long(5)), "bounds");
        assert_eq!(smallest(&equal(Share::Some), PrimitiveType::Long), Known::Exactly(Value::Long(5)));
        assert_eq!(smallest(&equal(Share::Unknown), PrimitiveType::Long), within);
        assert_eq!(smallest(&equal(Share::All), PrimitiveType::Long), Known::Nothing);
        // Some null and some NaN may be all.
        let mixed = ColumnStats { nulls: Share::Some, nans: Share::Some, ..stats(double(5.0), double(5.0)) };
        assert_eq!(smallest(&mixed, PrimitiveType::Double), Known::Within(Some(double(5.0)), "bounds"));
        let unknown = ColumnStats { nans: Share::Unknown, ..stats(double(5.0), double(5.0)) };
        assert_eq!(smallest(&unknown, PrimitiveType::Double), Known::Within(Some(double(5.0)), "bounds"));
    }

    #[test]
    fn equal_bounds_are_no_value_where_rows_may_be_gone() {
        let equal = stats(long(5), long(5));
        let position = delete(DeleteKind::Position, 1);
        let vector = delete(VECTOR, 1);
        for (deletes, why) in [
            (vec![&vector], "deletion vectors"),
            (vec![&position], "position deletes"),
            (vec![&equality()], "equality deletes"),
        ] {
            let file = file(3, &BoundExpr::True, &deletes);
            let found = known(&file, &equal, &PrimitiveType::Long.into(), Extreme::Smallest);
            assert_eq!(found, Known::Within(Some(long(5)), why));
        }
        let filter = filter();
        let file = file(3, &filter, &[]);
        let found = known(&file, &equal, &PrimitiveType::Long.into(), Extreme::Smallest);
        assert_eq!(found, Known::Within(Some(long(5)), "filter"));
    }

    #[test]
    fn a_nan_for_a_bound_makes_both_unknown() {
        for (lower, upper) in [(double(f64::NAN), double(1.0)), (double(1.0), double(f64::NAN))] {
            let mixed = stats(lower, upper);
            for which in [Extreme::Smallest, Extreme::Largest] {
                assert_eq!(of(&mixed, PrimitiveType::Double, which), Known::Within(None, "bounds"));
            }
        }
    }

    #[test]
    fn a_file_of_nulls_or_of_nan_holds_nothing() {
        let nulls = ColumnStats { nulls: Share::All, ..ColumnStats::default() };
        assert_eq!(smallest(&nulls, PrimitiveType::String), Known::Nothing);
        let nans = ColumnStats { nulls: Share::None, nans: Share::All, ..ColumnStats::default() };
        assert_eq!(smallest(&nans, PrimitiveType::Float), Known::Nothing);
        assert_eq!(smallest(&ColumnStats::default(), PrimitiveType::Unknown), Known::Nothing);
    }

    #[test]
    fn a_file_without_counts_and_bounds_must_be_read() {
        assert_eq!(smallest(&ColumnStats::default(), PrimitiveType::Long), Known::Within(None, "bounds"));
    }

    #[test]
    fn the_zeros_of_both_signs_are_one_value() {
        let zeros = stats(double(-0.0), double(0.0));
        let Known::Exactly(Value::Double(zero)) = smallest(&zeros, PrimitiveType::Double) else { panic!() };
        assert_eq!(zero, 0.0);
        assert!(!Extreme::Smallest.is_better(&Value::Double(-0.0), &Value::Double(0.0)));
        assert!(!Extreme::Largest.may_improve(&Value::Double(0.0), &Value::Double(-0.0)));
    }

    #[test]
    fn a_bound_that_is_no_further_out_than_the_best_spares_its_file() {
        let (one, two) = (Value::Long(1), Value::Long(2));
        assert!(Extreme::Smallest.may_improve(&one, &two) && Extreme::Largest.may_improve(&two, &one));
        assert!(!Extreme::Smallest.may_improve(&two, &two) && !Extreme::Largest.may_improve(&one, &two));
        // What cannot be compared spares nothing.
        assert!(Extreme::Smallest.may_improve(&Value::Int(9), &Value::Long(1)));
    }
}

#[test]
fn columns_without_an_order_or_with_several_values_a_row_are_refused() {
    let element = Field::optional(3, "element", PrimitiveType::Long);
    let list = Type::List(Box::new(ListType { element }));
    let inner = Type::Struct(StructType { fields: vec![Field::optional(5, "x", PrimitiveType::Long)] });
    let geometry: Type = "geometry".parse().unwrap();
    let schema = Schema::new(
        0,
        vec![
            Field::optional(1, "a", PrimitiveType::Long),
            Field::optional(2, "l", list),
            Field::optional(4, "s", inner),
            Field::optional(6, "g", geometry),
        ],
    )
    .unwrap();
    assert_eq!(column_of(&schema, "a", true).unwrap().id, 1);
    assert_eq!(column_of(&schema, "s.x", true).unwrap().id, 5);
    assert_eq!(column_of(&schema, "S.X", false).unwrap().id, 5);
    for (name, why) in [
        ("l", "no order"),
        ("s", "no order"),
        ("g", "no order"),
        ("l.element", "several values a row"),
        ("b", "b"),
    ] {
        let error = column_of(&schema, name, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains(why), "{error}");
    }
}
