//! Columns of statistics say of every set of rows what its own statistics say, the reason included.

use std::sync::Arc;

use proptest::prelude::*;

use crate::expr::operator::ALL;
use crate::expr::prune::typed::Literals;
use crate::expr::{
    BoundColumn, BoundExpr, BoundPredicate, ColumnStats, MismatchReason, Operator, Share, Stats, StatsColumn,
    StatsColumns, explain_mismatch, explain_mismatches, may_match, must_match, must_match_each,
};
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::ordering::compare;
use crate::value::{Value, single_value};

/// The column of an id is of the type at that place.
fn types() -> Vec<PrimitiveType> {
    let named = ["boolean", "int", "long", "float", "double", "date", "time", "timestamp", "timestamptz"];
    let more =
        ["timestamp_ns", "timestamptz_ns", "decimal(9,2)", "decimal(38,2)", "string", "uuid", "fixed[3]"];
    let all = named.into_iter().chain(more).chain(["binary", "geometry", "unknown"]);
    all.map(|name| name.parse().unwrap()).collect()
}

/// Values of a type, extremes and neighbours among them.
fn value(primitive: &PrimitiveType) -> BoxedStrategy<Value> {
    use PrimitiveType as P;
    let int = prop_oneof![6 => -3_i32..4, 1 => Just(i32::MIN), 1 => Just(i32::MAX)];
    let long =
        prop_oneof![6 => -3_i64..4, 1 => Just(i64::MIN), 1 => Just(i64::MAX), 1 => Just(86_400_000_000)];
    let double =
        prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 0.5, 1.0, -1.0]);
    let bytes = || prop::collection::vec(prop::sample::select(vec![0_u8, 1, 0x7f, 0x80, 0xff]), 0..4);
    match primitive {
        P::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        P::Int => int.prop_map(Value::Int).boxed(),
        P::Date => int.prop_map(Value::Date).boxed(),
        P::Long => long.prop_map(Value::Long).boxed(),
        P::Time => long.prop_map(Value::Time).boxed(),
        P::Timestamp => long.prop_map(Value::Timestamp).boxed(),
        P::Timestamptz => long.prop_map(Value::Timestamptz).boxed(),
        P::TimestampNs => long.prop_map(Value::TimestampNs).boxed(),
        P::TimestamptzNs => long.prop_map(Value::TimestamptzNs).boxed(),
        P::Float => double.prop_map(|value| Value::Float(value as f32)).boxed(),
        P::Double => double.prop_map(Value::Double).boxed(),
        P::Decimal { .. } => {
            // A literal of another scale has no order with the bounds.
            long.prop_map(|value| Value::Decimal {
                unscaled: value.into(),
                scale: if value == 3 { 3 } else { 2 },
            })
            .boxed()
        }
        P::String => "[abż]{0,3}".prop_map(Value::String).boxed(),
        P::Uuid => any::<bool>().prop_map(|high| Value::Uuid([if high { 0xff } else { 1 }; 16])).boxed(),
        P::Fixed(_) => bytes().prop_map(Value::Fixed).boxed(),
        _ => bytes().prop_map(Value::Binary).boxed(),
    }
}

/// What a file may say a bound is: a value, one of an older type, a cut or a damaged one.
fn bound(primitive: &PrimitiveType) -> BoxedStrategy<Option<Vec<u8>>> {
    let whole = value(primitive).prop_map(|value| single_value::to_bytes(&value).unwrap());
    let older = prop_oneof![
        (-3_i32..4).prop_map(|value| value.to_le_bytes().to_vec()),
        prop::sample::select(vec![f32::NAN, 0.5, -0.0]).prop_map(|value| value.to_le_bytes().to_vec()),
        Just(i32::MAX.to_le_bytes().to_vec()),
    ];
    let damaged = prop::collection::vec(any::<u8>(), 0..20);
    prop_oneof![
        6 => whole.prop_map(Some),
        2 => older.prop_map(Some),
        1 => damaged.prop_map(Some),
        1 => Just(None),
    ]
    .boxed()
}

fn share() -> impl Strategy<Value = Share> {
    prop_oneof![4 => Just(Share::None), 1 => Just(Share::Unknown), 2 => Just(Share::Some), 1 => Just(Share::All)]
}

/// Statistics as they are written: columns by id, in them sets by number.
#[derive(Debug)]
struct Written(Vec<(PrimitiveType, Vec<WrittenSet>)>);

#[derive(Debug, Clone)]
struct WrittenSet {
    nulls: Share,
    nans: Share,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
}

const SETS: usize = 5;

fn written() -> impl Strategy<Value = Written> {
    let column = |primitive: PrimitiveType| {
        let (lower, upper) = (bound(&primitive), bound(&primitive));
        let set = (share(), share(), lower, upper).prop_map(|(nulls, nans, lower, upper)| WrittenSet {
            nulls,
            nans,
            lower,
            upper,
        });
        prop::collection::vec(set, SETS).prop_map(move |sets| (primitive.clone(), sets))
    };
    types().into_iter().map(column).collect::<Vec<_>>().prop_map(Written)
}

struct OneSet<'a>(&'a Written, usize);

impl Stats for OneSet<'_> {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        let Some((primitive, sets)) = self.0.0.get(id as usize) else { return ColumnStats::default() };
        let set = &sets[self.1];
        let decode = |bytes: &Option<Vec<u8>>| single_value::from_bytes(primitive, bytes.as_ref()?).ok();
        ColumnStats { nulls: set.nulls, nans: set.nans, lower: decode(&set.lower), upper: decode(&set.upper) }
    }
}

impl StatsColumns for Written {
    type Column<'a> = &'a [WrittenSet];

    fn column(&self, id: i32, _: &Type) -> Option<&[WrittenSet]> {
        self.0.get(id as usize).map(|(_, sets)| sets.as_slice())
    }

    fn set(&self, number: usize) -> impl Stats + '_ {
        OneSet(self, number)
    }
}

impl StatsColumn for &[WrittenSet] {
    fn nulls(&self, number: usize) -> Share {
        self[number].nulls
    }

    fn nans(&self, number: usize) -> Share {
        self[number].nans
    }

    fn lower(&self, number: usize) -> Option<&[u8]> {
        self[number].lower.as_deref()
    }

    fn upper(&self, number: usize) -> Option<&[u8]> {
        self[number].upper.as_deref()
    }
}

/// A test of a column of the table or of one without statistics.
fn test() -> impl Strategy<Value = BoundExpr> {
    let transforms = vec![None, None, None, None, Some(Transform::Truncate(2)), Some(Transform::Day)];
    let of = (0..types().len() + 1, prop::sample::select(ALL.to_vec()), prop::sample::select(transforms));
    of.prop_flat_map(|(place, op, transform)| {
        let primitive = types().get(place).cloned().unwrap_or(PrimitiveType::Long);
        let count = if op.is_unary() {
            0..=0
        } else if op.is_set() {
            2..=9
        } else {
            1..=1
        };
        prop::collection::vec(value(&primitive), count).prop_map(move |mut literals| {
            literals.sort_by(|left, right| compare(left, right).unwrap_or(std::cmp::Ordering::Equal));
            let id = place as i32;
            let column = BoundColumn {
                id,
                name: format!("c{id}"),
                path: vec![id],
                field_type: primitive.clone().into(),
                required: false,
            };
            let (column, transform) = (Arc::new(column), transform.clone());
            BoundExpr::Predicate(BoundPredicate { op, column, transform, literals: literals.into() })
        })
    })
}

fn filter() -> impl Strategy<Value = BoundExpr> {
    let leaf = prop_oneof![12 => test(), 1 => Just(BoundExpr::False), 1 => Just(BoundExpr::True)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let children = prop::collection::vec(inner, 1..4);
        (any::<bool>(), children)
            .prop_map(|(all, children)| if all { BoundExpr::And(children) } else { BoundExpr::Or(children) })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn columns_say_what_each_set_says(
        filter in filter(),
        written in written(),
        sets in prop::collection::vec(0..SETS, 0..8),
    ) {
        let found = explain_mismatches(&filter, &written, &sets);
        for (number, reason) in sets.iter().zip(&found) {
            let set = OneSet(&written, *number);
            prop_assert_eq!(*reason, explain_mismatch(&filter, &set).map(|why| why.reason), "{} {}", filter, number);
            prop_assert_eq!(reason.is_none(), may_match(&filter, &set));
        }
        prop_assert_eq!(found.len(), sets.len());
        let all: Vec<bool> = sets.iter().map(|number| must_match(&filter, &OneSet(&written, *number))).collect();
        prop_assert_eq!(must_match_each(&filter, &written, &sets), all, "{}", filter);
    }
}

#[test]
fn numbers_and_bytes_are_read_as_columns_and_what_has_no_order_is_not() {
    let test = |primitive: &str, literal: Value| {
        let id = 1;
        let field_type = primitive.parse::<PrimitiveType>().unwrap().into();
        let column = BoundColumn { id, name: "c".to_owned(), path: vec![id], field_type, required: false };
        let (column, literals) = (Arc::new(column), Arc::from([literal]));
        BoundPredicate { op: Operator::Eq, column, transform: None, literals }
    };
    let long = test("long", Value::Long(1));
    assert!(Literals::of(&long).is_some());
    assert!(Literals::of(&test("string", Value::String("a".to_owned()))).is_some());
    assert!(Literals::of(&test("decimal(9,2)", Value::Decimal { unscaled: 1, scale: 2 })).is_some());
    assert!(Literals::of(&test("decimal(9,2)", Value::Decimal { unscaled: 1, scale: 3 })).is_none());
    assert!(Literals::of(&test("long", Value::Int(1))).is_none());
    assert!(Literals::of(&test("uuid", Value::Uuid([1; 16]))).is_none());
    assert!(Literals::of(&BoundPredicate { transform: Some(Transform::Truncate(2)), ..long }).is_none());
}

#[test]
fn each_set_has_its_own_reason() {
    let long = |value: i64| Some(value.to_le_bytes().to_vec());
    let set = |nulls, lower, upper| WrittenSet { nulls, nans: Share::None, lower, upper };
    let sets = vec![
        set(Share::None, long(1), long(4)),
        set(Share::None, long(1), long(9)),
        set(Share::All, None, None),
        set(Share::Some, None, long(4)),
        set(Share::Some, Some(vec![9]), Some(4_i32.to_le_bytes().to_vec())),
    ];
    let stats = Written(vec![(PrimitiveType::Long, sets)]);
    let column = BoundColumn {
        id: 0,
        name: "c".to_owned(),
        path: vec![0],
        field_type: PrimitiveType::Long.into(),
        required: false,
    };
    let literals = Arc::from([Value::Long(7)]);
    let test = BoundPredicate { op: Operator::Eq, column: Arc::new(column), transform: None, literals };
    let found = explain_mismatches(&BoundExpr::Predicate(test), &stats, &[0, 1, 2, 3, 4]);
    let bounds = Some(MismatchReason::Bounds);
    assert_eq!(found, [bounds, None, Some(MismatchReason::NullCount), bounds, bounds]);
}
