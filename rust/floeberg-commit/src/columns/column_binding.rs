//! Which columns do the names in an operation mean?
//!
//! In: the columns when the operation began, and the columns now. Out: the current names of the columns that were meant, or the
//! conflict.
//! Spec: Commit Conflict Resolution and Retry; Schema Evolution.
//!
//! Invariant: a name means the column that had it when the operation began, even if it was renamed since.

use std::sync::Arc;

use floeberg_core::expr::{Expr, Predicate, Term, bind};
use floeberg_core::schema::evolve::{SchemaChange, SchemaChanges};
use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::ColumnChoice;

/// The columns that an operation was made for.
#[derive(Debug, Clone)]
pub(crate) struct ColumnsAtStart {
    pub schema: Arc<Schema>,
    /// The highest field id that the table had assigned. Higher ids are of columns that the commit itself adds; they may differ on
    /// another base.
    pub last_column_id: i32,
}

/// A filter with the names that its columns have now.
///
/// Errors: those of binding it to the columns that were seen; `CommitConflict` if one was dropped, or has a type in which a
/// literal may mean something else.
pub(crate) fn with_names_of_now(
    filter: &Expr,
    at_start: &ColumnsAtStart,
    now: &Schema,
    case_sensitive: bool,
) -> Result<Expr> {
    let ColumnsAtStart { schema: at_start, last_column_id } = at_start;
    // Reports names that never existed, and trees that are too deep.
    bind(filter, at_start, case_sensitive)?;
    renamed(filter, &|name| {
        let id = at_start.find(name, case_sensitive)?;
        if id > *last_column_id {
            return Ok(at_start.full_name(id).unwrap_or_default());
        }
        let (Some(then), Some(field), Some(found)) = (at_start.field(id), now.field(id), now.full_name(id))
        else {
            return Err(conflict(&format!("column {name:?} was dropped")));
        };
        if !now.find(&found, true).is_ok_and(|other| other == id) {
            return Err(conflict(&format!(
                "column {name:?} is called {found:?} now, and so is another column"
            )));
        }
        if !means_the_same(&then.field_type, &field.field_type) {
            let (then, now) = (&then.field_type, &field.field_type);
            return Err(conflict(&format!("column {name:?} was of type {then} and is of type {now}")));
        }
        Ok(found)
    })
}

/// Does every literal mean the same in both types?
fn means_the_same(then: &Type, now: &Type) -> bool {
    use PrimitiveType as P;
    match (then, now) {
        (Type::Primitive(P::Int), Type::Primitive(P::Long))
        | (Type::Struct(_), Type::Struct(_))
        | (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_)) => true,
        (Type::Primitive(P::Decimal { scale: then, .. }), Type::Primitive(P::Decimal { scale: now, .. })) => {
            then == now
        }
        (then, now) => then == now,
    }
}

/// The depth of the tree was checked before.
fn renamed(expr: &Expr, name: &impl Fn(&str) -> Result<String>) -> Result<Expr> {
    let all = |children: &[Expr]| children.iter().map(|child| renamed(child, name)).collect::<Result<_>>();
    Ok(match expr {
        Expr::True => Expr::True,
        Expr::False => Expr::False,
        Expr::And(children) => Expr::And(all(children)?),
        Expr::Or(children) => Expr::Or(all(children)?),
        Expr::Not(inner) => Expr::Not(Box::new(renamed(inner, name)?)),
        Expr::Predicate(predicate) => {
            let term = Term { name: name(&predicate.term.name)?, ..predicate.term.clone() };
            Expr::Predicate(Predicate { term, ..predicate.clone() })
        }
        Expr::Condition(expression) => Expr::Condition(expression.with_names(name)?),
    })
}

/// Checks that changes still mean the same columns. Errors: `CommitConflict`.
pub(crate) fn check_names(changes: &SchemaChanges, at_start: &ColumnsAtStart, now: &Schema) -> Result<()> {
    for change in &changes.changes {
        // Every writer may bring the same new columns; one that cannot be added is an error when it is tried.
        let may_be_new = matches!(change, SchemaChange::Union(_) | SchemaChange::Add(_));
        for name in change.names() {
            let find = |schema: &Schema| changes.find(schema, &name);
            let (then, found) =
                (find(&at_start.schema)?, find(now).map_err(|error| conflict(error.message()))?);
            let is_own = then.is_some_and(|id| id > at_start.last_column_id);
            if then != found && !is_own && !(may_be_new && then.is_none()) {
                return Err(means_another(&name));
            }
        }
    }
    Ok(())
}

/// Checks that the names of columns still mean the same columns. A name that meant none is left to the operation.
///
/// Errors: `CommitConflict`.
pub(crate) fn check_columns(
    at_start: Option<&ColumnsAtStart>,
    now: &Schema,
    columns: &[ColumnChoice],
    case_sensitive: bool,
) -> Result<()> {
    let Some(at_start) = at_start else { return Ok(()) };
    for column in columns {
        let ColumnChoice::Name(name) = column else { continue };
        match at_start.schema.find(name, case_sensitive) {
            Ok(then) if now.find(name, case_sensitive).ok() != Some(then) => {
                return Err(means_another(name));
            }
            _ => {}
        }
    }
    Ok(())
}

fn means_another(name: &str) -> Error {
    conflict(&format!("the name {name:?} means another column now, or no column"))
}

fn conflict(what: &str) -> Error {
    Error::new(ErrorKind::CommitConflict, format!("another writer changed the columns: {what}"))
}
