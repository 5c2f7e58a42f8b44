//! Which tests does every row pass for which an expression of values is true?
//!
//! In: an expression and its columns. Out: tests of fields of variants, which bounds may decide.
//!
//! Invariant: a test is left out unless it means the same as the part of the expression that implies it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::arrow_values::from_array;
use crate::expr::column_test::bind_to_column;
use crate::expr::value_tree::{Kind, Node};
use crate::expr::values::primitive_of_sql;
use crate::expr::{
    BoundColumn, ConditionColumn, FieldTest, Implied, Operator, Predicate, RawLiteral, Term, ValueExpression,
    VariantField,
};
use crate::schema::{PrimitiveType, Type};
use crate::variant::VariantPath;

/// The tests that an expression implies.
pub(super) fn implied(expression: &ValueExpression, columns: &[ConditionColumn]) -> Arc<[Implied]> {
    let mut found = Vec::new();
    add(&expression.tree, expression, columns, &mut found);
    found.into()
}

fn add(node: &Node, whole: &ValueExpression, columns: &[ConditionColumn], found: &mut Vec<Implied>) {
    let mut test = |op: Operator, of: &Node, literals: &[&Node]| {
        found.extend(field_test(op, of, literals, whole, columns).map(Implied::Field));
    };
    match &node.kind {
        Kind::All(terms) => {
            for term in terms {
                add(term, whole, columns, found);
            }
        }
        Kind::Compare(op, left, right) => {
            test(*op, left, &[right]);
            test(op.mirrored(), right, &[left]);
        }
        Kind::In(of, list, false) => test(Operator::In, of, &list.iter().collect::<Vec<_>>()),
        Kind::Between(of, low, high, false) => {
            test(Operator::GtEq, of, &[low]);
            test(Operator::LtEq, of, &[high]);
        }
        _ => {}
    }
}

/// A test of a field against constants.
fn field_test(
    op: Operator,
    of: &Node,
    literals: &[&Node],
    whole: &ValueExpression,
    columns: &[ConditionColumn],
) -> Option<FieldTest> {
    let field = field_of(of, columns)?;
    let literals = literals.iter().map(|node| constant(node, whole, &field.primitive));
    let column = Arc::new(BoundColumn {
        id: field.column.id,
        name: field.column.name.clone(),
        path: field.column.path.clone(),
        field_type: Type::Primitive(field.primitive.clone()),
        required: false,
    });
    let term = Term::column(column.name.clone());
    let predicate = Predicate { op, term, literals: literals.collect::<Option<_>>()? };
    let expr = bind_to_column(&predicate, column, false).ok()?;
    Some(FieldTest { field, expr })
}

/// The field whose typed values a part of an expression is.
fn field_of(node: &Node, columns: &[ConditionColumn]) -> Option<VariantField> {
    let root = VariantPath::default();
    let (of, path, kind) = match &node.kind {
        Kind::VariantGet { of, path, kind, .. } => (of, path, kind),
        Kind::Cast(of, kind, _) => (of, &root, kind),
        _ => return None,
    };
    let Kind::Column(name) = &of.kind else { return None };
    let column = columns.iter().find(|each| each.name == *name)?;
    if column.column.field_type != Type::Variant {
        return None;
    }
    let path = column.inside.join(path);
    let names = path.names()?.into_iter().map(str::to_owned).collect();
    let (path, primitive) = (path.normalized()?, primitive_of_sql(kind).ok()?);
    Some(VariantField { column: Arc::clone(&column.column), names, path, primitive })
}

/// A constant as the literal of a test. A computed one has to be of the type already: a test would round it.
fn constant(node: &Node, whole: &ValueExpression, primitive: &PrimitiveType) -> Option<RawLiteral> {
    if let Kind::Literal(literal) = &node.kind {
        return Some(literal.raw.clone());
    }
    if !node.columns().is_empty() {
        return None;
    }
    let part = ValueExpression { text: Arc::clone(&whole.text), tree: Arc::new(node.clone()) };
    let value = part.evaluate(&HashMap::new(), 1).ok()?;
    let value = from_array(value.as_ref(), 0, &Type::Primitive(primitive.clone())).ok().flatten()?;
    let is_same = crate::schema::arrow::type_to_arrow(&Type::Primitive(primitive.clone())).ok()?;
    (part_type(node) == Some(is_same) && value.matches(primitive)).then_some(RawLiteral::Typed(value))
}

/// The type of a constant that is cast to one.
fn part_type(node: &Node) -> Option<arrow_schema::DataType> {
    match &node.kind {
        Kind::Cast(_, kind, _) => Some(kind.data_type()),
        Kind::Boolean(_) => Some(arrow_schema::DataType::Boolean),
        _ => None,
    }
}
