//! What is read of changed rows?
//!
//! In: a range of versions, a filter and columns. Out: the schema of changes.
//!
//! ```text
//! selected columns | _change_type | _change_ordinal | _commit_version
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use floeberg_core::expr::Expr;
use floeberg_core::{Error, Result};

use crate::differences::incomparable_columns;
use crate::read::RowColumn;
use crate::scan::Scan;
use crate::table::Table;

const OF_CHANGES: [&str; 3] = ["_change_type", "_change_ordinal", "_commit_version"];

/// Changes of a range of versions.
#[derive(Debug, Clone)]
pub struct Changelog {
    pub(super) start: Option<Table>,
    pub(super) end: Table,
    filter: Expr,
    selected: Vec<String>,
    case_sensitive: bool,
    pub(super) net: bool,
    /// The selected columns.
    columns: SchemaRef,
}

impl Changelog {
    /// Changes after a version, or from the first one on, up to another one, with the columns of the latter. With `net` the two
    /// ends alone are compared.
    ///
    /// Errors: `InvalidInput` for names and literals that do not fit, and for a part of a column; `Unsupported` where the table has a
    /// column of a reserved name.
    pub fn new(
        start: Option<Table>,
        end: Table,
        filter: Expr,
        selected: Vec<String>,
        case_sensitive: bool,
        net: bool,
    ) -> Result<Self> {
        let whole = end.with_columns_of(&end).schema().to_arrow()?;
        let empty = Arc::new(ArrowSchema::empty());
        let mut log = Self { start, end, filter, selected, case_sensitive, net, columns: empty };
        log.columns = Arc::clone(log.scan(&log.of_version(&log.end)).request()?.schema());
        let hidden =
            RowColumn::ALL.map(RowColumn::name).into_iter().find(|name| whole.index_of(name).is_ok());
        if let Some(name) = hidden {
            return Err(Error::unsupported(format!(
                "changes of a table with a column '{name}' cannot be read: the name is reserved. Rename the column"
            )));
        }
        for field in log.columns.fields() {
            let name = field.name();
            if OF_CHANGES.contains(&name.as_str()) {
                return Err(Error::invalid_input(format!(
                    "the table has a column '{name}', which is a name of changes: select other columns"
                )));
            }
            if whole.field_with_name(name).is_ok_and(|known| known.data_type() != field.data_type()) {
                return Err(Error::invalid_input(format!(
                    "a part of the column '{name}' cannot be selected: select all of it"
                )));
            }
        }
        Ok(log)
    }

    /// The columns of changes.
    pub fn schema(&self) -> SchemaRef {
        let own = self.columns.fields().iter().cloned();
        let types = [DataType::Utf8, DataType::Int32, DataType::Int64];
        let more = OF_CHANGES.iter().zip(types).map(|(name, kind)| Arc::new(Field::new(*name, kind, false)));
        Arc::new(ArrowSchema::new(own.chain(more).collect::<Vec<_>>()))
    }

    /// The names of the selected columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A version with the columns of the last one.
    pub(super) fn of_version(&self, table: &Table) -> Table {
        table.with_columns_of(&self.end)
    }

    /// The scan of the rows that match, with the selected columns.
    pub(super) fn scan(&self, table: &Table) -> Scan {
        let scan = Scan::new(table.clone()).case_sensitive(self.case_sensitive);
        let scan = if self.filter == Expr::True { scan } else { scan.filter(self.filter.clone()) };
        if self.selected.is_empty() || self.selected.iter().any(|name| name != "*") {
            return scan.select(self.selected.clone());
        }
        scan
    }

    /// Do all rows match?
    pub(super) fn has_all_rows(&self) -> bool {
        self.filter == Expr::True
    }

    /// Errors: `Unsupported` where a selected column is another one in the last version.
    pub(super) fn check_comparable(&self, version: &Table) -> Result<()> {
        let other = incomparable_columns(version, &self.end);
        let Some(name) = other.iter().find(|name| self.columns.index_of(name).is_ok()) else { return Ok(()) };
        Err(Error::unsupported(format!(
            "the column '{name}' has another type in version {} than in version {}, or was dropped and added again: select \
             other columns, or read up to the version before that",
            version.version(),
            self.end.version()
        )))
    }

    /// The columns whose values count where they have to be compared: all that are the same in both versions.
    pub(super) fn compared(&self, before: &Table, after: &Table) -> Vec<String> {
        let mut other: BTreeSet<String> = incomparable_columns(before, &self.end);
        other.extend(incomparable_columns(after, &self.end));
        let names = self.end.schema().fields().iter().map(|field| field.name.clone());
        names.filter(|name| !other.contains(name)).collect()
    }
}
