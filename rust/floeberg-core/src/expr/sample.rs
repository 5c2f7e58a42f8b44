//! Random filters, rows and a naive evaluator, for the tests of this module.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, TimeUnit};
use proptest::prelude::*;

use super::{ColumnStats, Expr, Operator, RawLiteral, Share, Stats, Term, ValueExpression};
use crate::schema::{Field, PrimitiveType, Schema, StructType, Type};
use crate::value::Value;
use crate::value::ordering::compare;

/// Values by position: `i`, `l` (required), `d`, `f`, `s`, `dec`, `dt`, `ts`, `b`, `st.a`.
pub(super) type Row = Vec<Option<Value>>;

/// The tested columns: id and name, in the order of a row's values.
pub(super) const COLUMNS: [(i32, &str); 10] = [
    (1, "i"),
    (2, "l"),
    (3, "d"),
    (4, "f"),
    (5, "s"),
    (6, "dec"),
    (7, "dt"),
    (8, "ts"),
    (9, "b"),
    (11, "st.a"),
];

const DECIMAL: PrimitiveType = PrimitiveType::Decimal { precision: 9, scale: 2 };

pub(super) fn schema() -> Schema {
    let inner = StructType { fields: vec![Field::required(11, "a", PrimitiveType::Int)] };
    let fields = vec![
        Field::optional(1, "i", PrimitiveType::Int),
        Field::required(2, "l", PrimitiveType::Long),
        Field::optional(3, "d", PrimitiveType::Double),
        Field::optional(4, "f", PrimitiveType::Float),
        Field::optional(5, "s", PrimitiveType::String),
        Field::optional(6, "dec", DECIMAL),
        Field::optional(7, "dt", PrimitiveType::Date),
        Field::optional(8, "ts", PrimitiveType::Timestamp),
        Field::optional(9, "b", PrimitiveType::Boolean),
        Field::optional(10, "st", Type::Struct(inner)),
    ];
    Schema::new(0, fields).unwrap()
}

pub(super) fn get(row: &Row, id: i32) -> Option<Value> {
    row[COLUMNS.iter().position(|(known, _)| *known == id).unwrap()].clone()
}

fn floats() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        0.0,
        0.5,
        -1.5,
        1.0,
        2.0,
        1e30,
    ])
}

fn texts() -> impl Strategy<Value = String> {
    "[aż🐢]{0,4}"
}

pub(super) fn row() -> impl Strategy<Value = Row> {
    let extreme = prop::sample::select(vec![i64::MIN, i64::MAX, i64::from(i32::MAX), 3_000_000_000]);
    let long = prop_oneof![9 => -12_i64..12, 1 => extreme];
    (
        prop::option::of(prop_oneof![9 => -12_i32..12, 1 => Just(i32::MAX), 1 => Just(i32::MIN)]),
        long,
        prop::option::of(floats()),
        prop::option::of(floats()),
        prop::option::of(texts()),
        prop::option::of(-300_i128..300),
        prop::option::of(-800_i32..800),
        prop::option::of(-800_i64..800),
        prop::option::of(any::<bool>()),
        prop::option::of(-3_i32..3),
    )
        .prop_map(|(i, l, d, f, s, dec, dt, ts, b, a)| {
            vec![
                i.map(Value::Int),
                Some(Value::Long(l)),
                d.map(Value::Double),
                f.map(|f| Value::Float(f as f32)),
                s.map(Value::String),
                dec.map(|unscaled| Value::Decimal { unscaled, scale: 2 }),
                dt.map(Value::Date),
                ts.map(|hours| Value::Timestamp(hours * 1_800_000_000)),
                b.map(Value::Boolean),
                a.map(Value::Int),
            ]
        })
}

fn numbers() -> BoxedStrategy<RawLiteral> {
    prop_oneof![
        5 => (-13_i128..13).prop_map(RawLiteral::Integer),
        1 => prop::sample::select(vec![3_000_000_000, -3_000_000_000, i128::from(i64::MAX), 1 << 70, -(1 << 70)])
            .prop_map(RawLiteral::Integer),
        2 => (-30_i128..30, 1_i32..4).prop_map(|(unscaled, scale)| RawLiteral::Decimal { unscaled, scale }),
        1 => (-30_i32..30).prop_map(|half| RawLiteral::Float(f64::from(half) / 2.0)),
        1 => prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY]).prop_map(RawLiteral::Float),
    ]
    .boxed()
}

fn literal(name: &str) -> BoxedStrategy<RawLiteral> {
    match name {
        "s" => texts().prop_map(RawLiteral::String).boxed(),
        "b" => any::<bool>().prop_map(RawLiteral::Boolean).boxed(),
        "dt" => prop_oneof![
            (-800_i128..800).prop_map(RawLiteral::Integer),
            (-800_i64..800).prop_map(|half| RawLiteral::Typed(Value::Timestamp(half * 43_200_000_000))),
        ]
        .boxed(),
        "ts" => prop_oneof![
            (-800_i128..800).prop_map(|half| RawLiteral::Integer(half * 1_800_000_000)),
            (-20_i32..20).prop_map(|days| RawLiteral::Typed(Value::Date(days))),
            (-20_i64..20).prop_map(|nanos| RawLiteral::Typed(Value::TimestampNs(nanos))),
        ]
        .boxed(),
        _ => numbers(),
    }
}

/// A test of a column; `negative` ones have no positive SQL text.
fn predicate(negative: bool) -> impl Strategy<Value = Expr> {
    prop::sample::select(COLUMNS.to_vec()).prop_flat_map(move |(_, name)| {
        let mut ops = vec![
            Operator::IsNull,
            Operator::NotNull,
            Operator::Eq,
            Operator::Lt,
            Operator::LtEq,
            Operator::Gt,
            Operator::GtEq,
            Operator::In,
        ];
        if negative {
            ops.extend([Operator::NotEq, Operator::NotIn]);
        }
        if matches!(name, "d" | "f") {
            ops.extend([Operator::IsNan, Operator::NotNan]);
        }
        if name == "s" {
            ops.push(Operator::StartsWith);
            if negative {
                ops.push(Operator::NotStartsWith);
            }
        }
        prop::sample::select(ops).prop_flat_map(move |op| {
            let count = if op.is_unary() {
                0..=0
            } else if op.is_set() {
                1..=12
            } else {
                1..=1
            };
            prop::collection::vec(literal(name), count)
                .prop_map(move |literals| Expr::set(op, Term::column(name), literals))
        })
    })
}

/// Conditions of values, and what they are of a row.
type Condition = (&'static str, fn(&Row) -> Option<bool>);

const CONDITIONS: [Condition; 12] = [
    ("i + 1 > 3", |row| Some(whole(row, "i")? + 1 > 3)),
    ("i < l", |row| Some(whole(row, "i")? < whole(row, "l")?)),
    ("NOT (l <> i)", |row| Some(whole(row, "i")? == whole(row, "l")?)),
    ("upper(s) = 'A'", |row| Some(text(row)?.to_uppercase() == "A")),
    ("length(s) BETWEEN 1 AND 2", |row| Some((1..=2).contains(&text(row)?.chars().count()))),
    ("s LIKE '%a'", |row| Some(text(row)?.ends_with('a'))),
    ("coalesce(i, 0) = 0", |row| Some(whole(row, "i").unwrap_or(0) == 0)),
    ("CASE WHEN i > 0 THEN b WHEN i < 0 THEN NULL ELSE l > 0 END", |row| match whole(row, "i") {
        Some(i) if i > 0 => match value_of("b", row)? {
            Value::Boolean(b) => Some(b),
            _ => None,
        },
        Some(i) if i < 0 => None,
        _ => Some(whole(row, "l")? > 0),
    }),
    ("d <> d", |row| Some(is_nan(&value_of("d", row)?))),
    ("l % 3 = 0", |row| Some(whole(row, "l")? % 3 == 0)),
    ("st.a * 2 = i", |row| Some(whole(row, "st.a")? * 2 == whole(row, "i")?)),
    ("CASE WHEN l = 0 THEN 0 ELSE 6 / l END >= 2", |row| {
        let l = whole(row, "l")?;
        Some(l != 0 && 6.0 / l as f64 >= 2.0)
    }),
];

fn whole(row: &Row, name: &str) -> Option<i128> {
    match value_of(name, row)? {
        Value::Int(value) => Some(i128::from(value)),
        Value::Long(value) => Some(i128::from(value)),
        _ => None,
    }
}

fn text(row: &Row) -> Option<String> {
    match value_of("s", row)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn condition() -> impl Strategy<Value = Expr> {
    prop::sample::select(CONDITIONS.to_vec())
        .prop_map(|(text, _)| Expr::Condition(ValueExpression::parse_condition(text).unwrap()))
}

/// What a condition is of a row.
fn computed(condition: &ValueExpression, row: &Row) -> Option<bool> {
    let text = condition.text();
    if let Some((_, of)) = CONDITIONS.iter().find(|(known, _)| *known == text) {
        return of(row);
    }
    // What a parser made of one that is negated, or not true.
    let known = |text: &str| CONDITIONS.iter().find(|(known, _)| *known == text).unwrap().1(row);
    match text.strip_prefix("NOT (").and_then(|rest| rest.strip_suffix(')')) {
        Some(of) => known(of).map(|holds| !holds),
        None => panic!("the sample has no condition {text}"),
    }
}

/// A filter; with `negative` also one with `NOT` and negated tests.
pub(super) fn expr(negative: bool) -> impl Strategy<Value = Expr> {
    prop_oneof![5 => predicate(negative), 1 => condition()].prop_recursive(4, 24, 4, move |inner| {
        let terms = || prop::collection::vec(inner.clone(), 1..4);
        let joined = prop_oneof![terms().prop_map(Expr::all_of), terms().prop_map(Expr::any_of)];
        if negative {
            prop_oneof![3 => joined, 1 => inner.prop_map(Expr::negate)].boxed()
        } else {
            joined.boxed()
        }
    })
}

/// Does a row match, in SQL's three-valued logic? `None` is neither.
pub(super) fn three_valued(expr: &Expr, row: &Row) -> Option<bool> {
    match expr {
        Expr::True => Some(true),
        Expr::False => Some(false),
        // It is written with IS NOT TRUE.
        Expr::Not(inner) if matches!(**inner, Expr::Condition(_)) => Some(!two_valued(inner, row)),
        Expr::Not(inner) => three_valued(inner, row).map(|holds| !holds),
        Expr::And(children) => {
            let answers: Vec<_> = children.iter().map(|child| three_valued(child, row)).collect();
            if answers.contains(&Some(false)) {
                Some(false)
            } else if answers.contains(&None) {
                None
            } else {
                Some(true)
            }
        }
        Expr::Or(children) => {
            let answers: Vec<_> = children.iter().map(|child| three_valued(child, row)).collect();
            if answers.contains(&Some(true)) {
                Some(true)
            } else if answers.contains(&None) {
                None
            } else {
                Some(false)
            }
        }
        Expr::Predicate(predicate) => {
            let (op, value) = (predicate.op, value_of(&predicate.term.name, row));
            match (op, value) {
                (_, None) if !op.is_unary() => None,
                (_, value) => Some(test(op, value.as_ref(), &predicate.literals)),
            }
        }
        Expr::Condition(condition) => computed(condition, row),
    }
}

/// Does a row match, in two-valued logic?
pub(super) fn two_valued(expr: &Expr, row: &Row) -> bool {
    match expr {
        Expr::True => true,
        Expr::False => false,
        Expr::Not(inner) => !two_valued(inner, row),
        Expr::And(children) => children.iter().all(|child| two_valued(child, row)),
        Expr::Or(children) => children.iter().any(|child| two_valued(child, row)),
        Expr::Predicate(predicate) => {
            test(predicate.op, value_of(&predicate.term.name, row).as_ref(), &predicate.literals)
        }
        Expr::Condition(condition) => computed(condition, row) == Some(true),
    }
}

fn value_of(name: &str, row: &Row) -> Option<Value> {
    row[COLUMNS.iter().position(|(_, known)| *known == name).unwrap()].clone()
}

fn test(op: Operator, value: Option<&Value>, literals: &[RawLiteral]) -> bool {
    let order = |at: usize| value.and_then(|value| naive_order(value, &literals[at]));
    let any_equal = || (0..literals.len()).any(|at| order(at) == Some(Ordering::Equal));
    let begins = || match (value, literals.first()) {
        (Some(Value::String(value)), Some(RawLiteral::String(prefix))) => value.starts_with(prefix.as_str()),
        _ => false,
    };
    match op {
        Operator::IsNull => value.is_none(),
        Operator::NotNull => value.is_some(),
        Operator::IsNan => value.is_some_and(is_nan),
        Operator::NotNan => !value.is_some_and(is_nan),
        Operator::StartsWith => begins(),
        Operator::NotStartsWith => !begins(),
        Operator::Eq | Operator::In => any_equal(),
        Operator::NotEq | Operator::NotIn => !any_equal(),
        Operator::Lt => order(0).is_some_and(Ordering::is_lt),
        Operator::LtEq => order(0).is_some_and(Ordering::is_le),
        Operator::Gt => order(0).is_some_and(Ordering::is_gt),
        Operator::GtEq => order(0).is_some_and(Ordering::is_ge),
    }
}

pub(super) fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(value) if value.is_nan())
        || matches!(value, Value::Double(value) if value.is_nan())
}

/// Numbers in thousandths, times in nanoseconds, floats as floats.
fn naive_order(value: &Value, literal: &RawLiteral) -> Option<Ordering> {
    const DAY: i128 = 86_400_000_000_000;
    let exact = match literal {
        RawLiteral::Integer(number) => *number * 1000,
        RawLiteral::Decimal { unscaled, scale } => *unscaled * 10_i128.pow(3 - *scale as u32),
        RawLiteral::Float(number) if number.is_finite() => (*number * 1000.0) as i128,
        RawLiteral::Float(number) if *number > 0.0 => i128::MAX,
        RawLiteral::Float(_) => i128::MIN,
        _ => 0,
    };
    let float = match literal {
        RawLiteral::Integer(number) => *number as f64,
        RawLiteral::Float(number) => *number,
        _ => exact as f64 / 1000.0,
    };
    match (value, literal) {
        (Value::Int(value), _) => Some((i128::from(*value) * 1000).cmp(&exact)),
        (Value::Long(value), _) => Some((i128::from(*value) * 1000).cmp(&exact)),
        (Value::Decimal { unscaled, .. }, _) => Some((*unscaled * 10).cmp(&exact)),
        (Value::Double(value), _) => value.partial_cmp(&float),
        (Value::Float(value), _) => value.partial_cmp(&(float as f32)),
        (Value::String(value), RawLiteral::String(literal)) => Some(value.as_bytes().cmp(literal.as_bytes())),
        (Value::Boolean(value), RawLiteral::Boolean(literal)) => Some(value.cmp(literal)),
        (Value::Date(days), RawLiteral::Integer(literal)) => Some(i128::from(*days).cmp(literal)),
        (Value::Timestamp(micros), RawLiteral::Integer(literal)) => Some(i128::from(*micros).cmp(literal)),
        (value, RawLiteral::Typed(typed)) => {
            let nanos = |value: &Value| match value {
                Value::Date(days) => i128::from(*days) * DAY,
                Value::Timestamp(micros) => i128::from(*micros) * 1000,
                Value::TimestampNs(nanos) => i128::from(*nanos),
                other => panic!("{other:?}"),
            };
            Some(nanos(value).cmp(&nanos(typed)))
        }
        other => panic!("{other:?}"),
    }
}

/// The rows as a batch whose fields carry their ids.
pub(super) fn batch(rows: &[Row]) -> RecordBatch {
    macro_rules! column {
        ($at:expr, $array:ty, $variant:ident) => {
            Arc::new(
                rows.iter()
                    .map(|row| match &row[$at] {
                        Some(Value::$variant(value)) => Some(value.clone()),
                        _ => None,
                    })
                    .collect::<$array>(),
            ) as ArrayRef
        };
    }
    let decimals: Decimal128Array = rows
        .iter()
        .map(|row| match &row[5] {
            Some(Value::Decimal { unscaled, .. }) => Some(*unscaled),
            _ => None,
        })
        .collect();
    let inner: Vec<i32> =
        rows.iter().map(|row| if let Some(Value::Int(value)) = row[9] { value } else { 1 }).collect();
    let parents: NullBuffer = rows.iter().map(|row| row[9].is_some()).collect();
    let field = |id: i32, name: &str, data_type: DataType| {
        let id = HashMap::from([("PARQUET:field_id".to_owned(), id.to_string())]);
        ArrowField::new(name, data_type, true).with_metadata(id)
    };
    let inner_field = field(11, "a", DataType::Int32).with_nullable(false);
    // Under a null parent the child holds a value: it must not be seen.
    let nested = StructArray::new(
        vec![inner_field.clone()].into(),
        vec![Arc::new(Int32Array::from(inner))],
        Some(parents),
    );
    let columns: Vec<(ArrowField, ArrayRef)> = vec![
        (field(10, "st", DataType::Struct(vec![inner_field].into())), Arc::new(nested)),
        (field(1, "i", DataType::Int32), column!(0, Int32Array, Int)),
        (field(2, "l", DataType::Int64), column!(1, Int64Array, Long)),
        (field(3, "d", DataType::Float64), column!(2, Float64Array, Double)),
        (field(4, "f", DataType::Float32), column!(3, Float32Array, Float)),
        (field(5, "s", DataType::Utf8), column!(4, StringArray, String)),
        (
            field(6, "dec", DataType::Decimal128(9, 2)),
            Arc::new(decimals.with_precision_and_scale(9, 2).unwrap()),
        ),
        (field(7, "dt", DataType::Date32), column!(6, Date32Array, Date)),
        (
            field(8, "ts", DataType::Timestamp(TimeUnit::Microsecond, None)),
            column!(7, TimestampMicrosecondArray, Timestamp),
        ),
        (field(9, "b", DataType::Boolean), column!(8, BooleanArray, Boolean)),
    ];
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays).unwrap()
}

/// Statistics of rows; `coarse` leaves some unknown and cuts texts.
pub(super) struct RowStats<'a> {
    pub(super) rows: &'a [Row],
    pub(super) coarse: u32,
}

impl Stats for RowStats<'_> {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        let values: Vec<Option<Value>> = self.rows.iter().map(|row| get(row, id)).collect();
        let share = |count: usize| match count {
            0 => Share::None,
            count if count == values.len() => Share::All,
            _ => Share::Some,
        };
        let known = |bit: u32| self.coarse >> bit & 1 == 0;
        let ordered = || values.iter().flatten().filter(|value| !is_nan(value));
        let by = |left: &&Value, right: &&Value| compare(left, right).unwrap();
        let cut = |bound: Value, upper: bool| match bound {
            Value::String(text) if !known(4) => {
                let short: String = text.chars().take(1).collect();
                Value::String(if upper && short != text { "\u{10ffff}".to_owned() } else { short })
            }
            other => other,
        };
        let exact = |count: usize, bit: u32| if known(bit) { share(count) } else { Share::Unknown };
        ColumnStats {
            nulls: exact(values.iter().filter(|value| value.is_none()).count(), 0),
            nans: exact(values.iter().flatten().filter(|value| is_nan(value)).count(), 1),
            lower: ordered().min_by(by).filter(|_| known(2)).map(|bound| cut(bound.clone(), false)),
            upper: ordered().max_by(by).filter(|_| known(3)).map(|bound| cut(bound.clone(), true)),
        }
    }
}
