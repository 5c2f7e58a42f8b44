//! What does one test mean, once the type of its column is known?

use std::sync::Arc;

use super::test::Test;
use crate::error::{Error, Result};
use crate::expr::convert::{Converted, convert};
use crate::expr::{BoundColumn, BoundExpr, Operator, Predicate, RawLiteral, Term};
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;

/// Binds a test to its column; with `negated`, its two-valued opposite.
pub(in crate::expr) fn bind(
    predicate: &Predicate,
    column: Arc<BoundColumn>,
    negated: bool,
) -> Result<BoundExpr> {
    let Predicate { op, term, literals } = predicate;
    check_count(*op, literals.len())?;
    let Some(test) = tested(term, column)? else {
        return Ok(if op.holds_for_null() == negated { BoundExpr::False } else { BoundExpr::True });
    };
    if let Some(complement) = op.complement() {
        return bind_test(if negated { complement } else { *op }, &test, literals);
    }
    let bound = compare(*op, &test, &literals[0], negated)?;
    Ok(if negated { BoundExpr::any_of([bound, test.is_nan(), test.is_null()]) } else { bound })
}

fn check_count(op: Operator, found: usize) -> Result<()> {
    if op.is_set() || found == usize::from(!op.is_unary()) {
        return Ok(());
    }
    let expected = if op.is_unary() { "no literal" } else { "one literal" };
    Err(Error::invalid_input(format!("{} takes {expected}, found {found}", op.sql())))
}

/// The tested term; `None` if it is always null.
fn tested(term: &Term, column: Arc<BoundColumn>) -> Result<Option<Test>> {
    let transform = match &term.transform {
        None | Some(Transform::Identity) => None,
        Some(Transform::Void) => return Ok(None),
        Some(Transform::Unknown(name)) => {
            return Err(Error::unsupported(format!("the transform {name:?} is not known to this version")));
        }
        Some(transform) if !transform.accepts(&column.field_type) => {
            return Err(Error::invalid_input(format!(
                "the transform {transform} does not take column {:?} of type {}",
                column.name, column.field_type
            )));
        }
        Some(transform) => Some(transform.clone()),
    };
    if column.field_type == Type::Primitive(PrimitiveType::Unknown) {
        return Ok(None);
    }
    let tested_type = match &transform {
        Some(transform) => transform.result_type(&column.field_type)?,
        None => column.field_type.clone(),
    };
    Ok(Some(Test { column, transform, tested_type }))
}

fn bind_test(op: Operator, test: &Test, literals: &[RawLiteral]) -> Result<BoundExpr> {
    match op {
        Operator::IsNull => Ok(test.is_null()),
        Operator::NotNull => Ok(test.not_null()),
        Operator::IsNan | Operator::NotNan if test.is_float() => Ok(test.predicate(op, Vec::new())),
        Operator::IsNan | Operator::NotNan => Err(Error::invalid_input(format!(
            "{} is for float and double; {test} is of type {}",
            op.sql(),
            test.tested_type
        ))),
        Operator::StartsWith | Operator::NotStartsWith => starts_with(op, test, &literals[0]),
        Operator::Eq | Operator::NotEq => match place(test, &literals[0])? {
            Converted::Exact(value) => Ok(test.predicate(op, vec![value])),
            _ => Ok(constant(op == Operator::NotEq)),
        },
        Operator::In | Operator::NotIn => set(op, test, literals),
        Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
            compare(op, test, &literals[0], false)
        }
    }
}

/// An ordered comparison, or its mirror in the order (`<` for `>=`), which leaves out null and NaN as it does.
fn compare(op: Operator, test: &Test, literal: &RawLiteral, opposite: bool) -> Result<BoundExpr> {
    let op = match op {
        Operator::Lt if opposite => Operator::GtEq,
        Operator::LtEq if opposite => Operator::Gt,
        Operator::Gt if opposite => Operator::LtEq,
        Operator::GtEq if opposite => Operator::Lt,
        op => op,
    };
    let below = matches!(op, Operator::Lt | Operator::LtEq);
    Ok(match place(test, literal)? {
        Converted::Exact(value) => test.predicate(op, vec![value]),
        Converted::Between(floor, _) if below => test.predicate(Operator::LtEq, vec![floor]),
        Converted::Between(_, ceiling) => test.predicate(Operator::GtEq, vec![ceiling]),
        // No float is beyond: infinity is a float.
        Converted::Above if below => test.not_null(),
        Converted::Below if !below => test.not_null(),
        Converted::Above | Converted::Below => BoundExpr::False,
    })
}

fn starts_with(op: Operator, test: &Test, literal: &RawLiteral) -> Result<BoundExpr> {
    if test.tested_type != Type::Primitive(PrimitiveType::String) {
        return Err(Error::invalid_input(format!(
            "{} is for strings; {test} is of type {}",
            op.sql(),
            test.tested_type
        )));
    }
    match place(test, literal)? {
        Converted::Exact(Value::String(prefix)) if prefix.is_empty() => {
            Ok(if op == Operator::StartsWith { test.not_null() } else { test.is_null() })
        }
        Converted::Exact(value) => Ok(test.predicate(op, vec![value])),
        _ => Err(Error::internal("a string could not be compared with strings")),
    }
}

fn set(op: Operator, test: &Test, literals: &[RawLiteral]) -> Result<BoundExpr> {
    let mut values = Vec::with_capacity(literals.len());
    for literal in literals {
        if let Converted::Exact(value) = place(test, literal)? {
            values.push(value);
        }
    }
    // A set of a column that can not be compared is an error even where it is empty.
    test.comparable()?;
    Ok(test.set(op, values))
}

/// The place of a literal among the values of what is tested.
fn place(test: &Test, literal: &RawLiteral) -> Result<Converted> {
    convert(literal, test.comparable()?).map_err(|error| {
        Error::new(
            error.kind(),
            format!(
                "column {:?}: {test} of type {} can not be compared with {literal}: {}",
                test.column.name,
                test.tested_type,
                error.message()
            ),
        )
    })
}

fn constant(holds: bool) -> BoundExpr {
    if holds { BoundExpr::True } else { BoundExpr::False }
}
