//! Which rows and columns of a version are read?
//!
//! A scan is a description: each method returns a new one, and nothing is read before its rows are.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, Expr};

use crate::read::ReadRequest;
use crate::table::Table;

/// Rows of a version.
#[derive(Debug, Clone)]
pub struct Scan {
    table: Table,
    filter: Expr,
    selected: Option<Vec<String>>,
    case_sensitive: bool,
    limit: Option<u64>,
}

impl Scan {
    /// All rows and columns.
    pub fn new(table: Table) -> Self {
        Self { table, filter: Expr::True, selected: None, case_sensitive: true, limit: None }
    }

    /// Only rows that match, in addition to earlier filters.
    #[must_use]
    pub fn filter(self, filter: Expr) -> Self {
        Self { filter: self.filter.and(filter), ..self }
    }

    /// Only these columns, in the order of the table; nested ones are dotted, `*` is all. Columns that rows have by themselves, such
    /// as `_rowid`, come after them.
    #[must_use]
    pub fn select(self, names: Vec<String>) -> Self {
        Self { selected: Some(names), ..self }
    }

    /// Whether names of columns are found without regard to case.
    #[must_use]
    pub fn case_sensitive(self, case_sensitive: bool) -> Self {
        Self { case_sensitive, ..self }
    }

    /// At most this many rows.
    #[must_use]
    pub fn limit(self, limit: Option<u64>) -> Self {
        Self { limit, ..self }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The filter.
    pub fn row_filter(&self) -> &Expr {
        &self.filter
    }

    /// The columns that were selected by name; `None` is all.
    pub fn selected_fields(&self) -> Option<&[String]> {
        self.selected.as_deref()
    }

    /// Are names found with regard to case?
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// At most this many rows.
    pub fn row_limit(&self) -> Option<u64> {
        self.limit
    }

    /// What is read. Errors: `InvalidInput` for names and literals that do not fit; `InvalidData` for a fragment that does not say how
    /// many rows it has.
    pub fn request(&self) -> Result<Arc<ReadRequest>> {
        ReadRequest::new(&self.table, &self.filter, self.selected.as_deref(), self.case_sensitive)
            .map(Arc::new)
    }

    /// The number of rows, where no data file is needed to tell it: without a filter, or with one that no row matches.
    ///
    /// Errors: those of [`Self::request`] and of [`Table::count`].
    pub fn count_without_rows(&self) -> Result<Option<u64>> {
        let rows = match self.request()?.bound_filter() {
            BoundExpr::True => self.table.count()?,
            BoundExpr::False => 0,
            _ => return Ok(None),
        };
        Ok(Some(self.limit.map_or(rows, |limit| rows.min(limit))))
    }
}
