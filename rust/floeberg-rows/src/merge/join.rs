//! What joins the rows of a source to those of a table?
//!
//! Invariant: keys take NaN for equal to NaN, and a condition in SQL does not: where a key is a float, the whole condition is tested.

use std::fmt::Write as _;
use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Schema};
use floeberg_core::schema::from_arrow::written_out;
use floeberg_core::{Error, Result};

use crate::cast::{cast_rows, type_name};
use crate::names::{join_column, quoted};
use crate::new_value::Condition;
use crate::source::SourceRows;

/// What joins a source to a table.
#[derive(Debug, Clone)]
pub struct JoinKeys {
    /// The numbers of key columns: of the table, and of the source.
    pub columns: Vec<(usize, usize)>,
    /// What must hold too.
    pub condition: Option<Condition>,
}

impl JoinKeys {
    /// Resolves pairs of names: of the table, and of the source.
    ///
    /// `condition` is what must hold too; `whole` is the same with the equalities of the keys.
    ///
    /// Errors: `InvalidInput` for names that a side does not have, and for keys whose types are not joined.
    pub fn resolve(
        table: &Schema,
        source: &Schema,
        names: &[(String, String)],
        (condition, whole): (Option<Condition>, Option<Condition>),
        case_sensitive: bool,
    ) -> Result<Self> {
        let mut columns: Vec<(usize, usize)> = Vec::with_capacity(names.len());
        for (of_table, of_source) in names {
            let of_table = join_column("table", of_table, table, case_sensitive)?;
            let of_source = join_column("source", of_source, source, case_sensitive)?;
            columns.push((of_table, of_source));
        }
        let mut has_float = false;
        for (number, (of_table, of_source)) in columns.iter().enumerate() {
            let (target, given) = (table.field(*of_table), source.field(*of_source));
            if columns[..number].iter().any(|(earlier, _)| earlier == of_table) {
                let name = quoted(target.name());
                return Err(Error::invalid_input(format!(
                    "the key column {name} of the table is given twice"
                )));
            }
            let kinds = [written_out(target.data_type()), written_out(given.data_type())];
            has_float |= kinds.iter().any(|kind| kind.is_floating());
            let is_pair = |one: &DataType, other: &DataType| one.is_floating() && other.is_decimal();
            if is_pair(kinds[0], kinds[1]) || is_pair(kinds[1], kinds[0]) {
                let mut said = format!(
                    "the key {} is of type {} in the source",
                    quoted(target.name()),
                    type_name(given.data_type())
                );
                let _ =
                    write!(said, ", and {} in the table: cast one of them", type_name(target.data_type()));
                return Err(Error::invalid_input(said));
            }
        }
        let condition = if has_float && whole.is_some() { whole } else { condition };
        Ok(Self { columns, condition })
    }

    /// The keys of a range of rows of the source, in the types of the table.
    ///
    /// Errors: `InvalidInput` where a value does not fit.
    pub fn of_source(
        &self,
        source: &SourceRows,
        table: &Schema,
        rows: Range<usize>,
    ) -> Result<Vec<ArrayRef>> {
        let first = rows.start;
        let rows: Vec<u32> = rows.map(|row| row as u32).collect();
        let key = |(of_table, of_source): &(usize, usize)| {
            let (to, from) = (table.field(*of_table), source.schema().field(*of_source));
            let values = source.take_column(*of_source, &rows)?;
            cast_rows(from.name(), &values, from, &to.clone().with_nullable(true), |row| first + row)
        };
        self.columns.iter().map(key).collect()
    }
}
