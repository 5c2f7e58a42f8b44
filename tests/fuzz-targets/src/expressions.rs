//! Filters as SQL text and as JSON.

use std::sync::OnceLock;

use floeberg_core::ErrorKind;
use floeberg_core::expr::json::{from_json, to_json};
use floeberg_core::expr::{Expr, bind, evaluate_row, parse};
use floeberg_core::schema::{Field, ListType, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;

use crate::judge::decoded;

/// Longer filters repeat themselves.
const LONGEST: usize = 4096;

/// Text is read, shown and read again: the same filter.
pub(crate) fn expression_sql(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.len() > LONGEST {
        return;
    }
    let Some(first) = decoded(parse(text)) else { return };
    shown(&first);
    written(&first);
    bound(&first);
}

/// JSON is read, written and read again: the same filter.
pub(crate) fn expression_json(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Ok(json) = serde_json::from_slice(bytes) else { return };
    let Some(first) = decoded(from_json(&json)) else { return };
    written(&first);
    bound(&first);
    let _ = first.to_string();
}

/// What a filter that was read from text shows is read as the same filter.
fn shown(first: &Expr) {
    let text = first.to_string();
    match parse(&text) {
        // A number above all decimals is a float, and reads back as the decimal with its digits.
        Ok(second) if format!("{first:?}").contains("Float(") => {
            let text = second.to_string();
            assert_eq!(parse(&text).map(|third| third.to_string()).ok(), Some(text), "shown of {second:?}");
        }
        Ok(second) => assert_eq!(second.to_string(), text, "shown of {first:?}"),
        // Shown, a filter may have more parentheses than it was written with.
        Err(error) if error.kind() == ErrorKind::LimitExceeded => {}
        Err(error) => panic!("{text:?} is shown of {first:?}, and is no filter: {error}"),
    }
}

/// A filter as JSON is the same filter, where JSON has all of its literals.
fn written(first: &Expr) {
    let Ok(json) = to_json(first) else { return };
    let second = from_json(&json).unwrap_or_else(|error| panic!("{json} is written of {first:?}: {error}"));
    let again = to_json(&second).unwrap_or_else(|error| panic!("{json} is read, and not written: {error}"));
    assert_eq!(json, again, "written of {first:?}");
}

/// Binding and asking a row end in an answer or an error, and the opposite filter in the opposite answer.
fn bound(expr: &Expr) {
    let schema = SCHEMA.get_or_init(table);
    let (Some(filter), Some(opposite)) =
        (decoded(bind(expr, schema, true)), decoded(bind(&expr.clone().negate(), schema, true)))
    else {
        return;
    };
    for row in [no_value, a_value] {
        let (found, other) = (evaluate_row(&filter, &row), evaluate_row(&opposite, &row));
        if let (Some(found), Some(other)) = (decoded(found), decoded(other)) {
            assert_ne!(found, other, "{expr:?} and its opposite agree");
        }
    }
    let _ = filter.to_string();
}

static SCHEMA: OnceLock<Schema> = OnceLock::new();

fn table() -> Schema {
    let columns: [(&str, PrimitiveType); 16] = [
        ("a", PrimitiveType::Int),
        ("b", PrimitiveType::Long),
        ("c", PrimitiveType::Float),
        ("d", PrimitiveType::Double),
        ("e", PrimitiveType::Decimal { precision: 9, scale: 2 }),
        ("f", PrimitiveType::Date),
        ("g", PrimitiveType::Time),
        ("h", PrimitiveType::Timestamp),
        ("i", PrimitiveType::Timestamptz),
        ("j", PrimitiveType::TimestampNs),
        ("k", PrimitiveType::String),
        ("l", PrimitiveType::Uuid),
        ("m", PrimitiveType::Fixed(4)),
        ("n", PrimitiveType::Binary),
        ("o", PrimitiveType::Boolean),
        ("p", PrimitiveType::Unknown),
    ];
    let mut fields: Vec<Field> =
        (1..).zip(columns).map(|(id, (name, of))| Field::optional(id, name, of)).collect();
    let inner = StructType { fields: vec![Field::optional(18, "a", PrimitiveType::Int)] };
    fields.push(Field::optional(17, "s", Type::Struct(inner)));
    let element = Field::optional(20, "element", PrimitiveType::Int);
    fields.push(Field::optional(19, "t", Type::List(Box::new(ListType { element }))));
    Schema::new(0, fields).unwrap()
}

fn no_value(_: i32) -> Option<Value> {
    None
}

fn a_value(id: i32) -> Option<Value> {
    Some(match id {
        1 | 18 => Value::Int(5),
        2 => Value::Long(-7),
        3 => Value::Float(f32::NAN),
        4 => Value::Double(-0.0),
        5 => Value::Decimal { unscaled: 1234, scale: 2 },
        6 => Value::Date(-1),
        7 => Value::Time(1),
        8 => Value::Timestamp(-1),
        9 => Value::Timestamptz(0),
        10 => Value::TimestampNs(i64::MIN),
        11 => Value::String("aé".to_owned()),
        12 => Value::Uuid([0x80; 16]),
        13 => Value::Fixed(vec![1, 2, 3, 4]),
        14 => Value::Binary(vec![0xff]),
        15 => Value::Boolean(true),
        _ => return None,
    })
}
