//! Which two versions are compared, in which columns, and what makes rows of them one row?
//!
//! Rows have the columns of the second version, found by their field ids.
//!
//! Invariant: what cannot be compared is an error here, before anything is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::expr::Expr;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{ChangedCells, NullKeys};

use super::fragments::Differing;
use super::history::{Proof, proof};
use super::matching::{Identity, Matched, Sides};
use super::repeated::match_repeated;
use crate::differences::incomparable_columns;
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::scan::Scan;
use crate::source_keys::SourceKeys;
use crate::table::Table;

/// Two versions that are compared.
#[derive(Debug, Clone)]
pub(super) struct Versions {
    /// The first one, with the columns of the second.
    pub(super) before: Table,
    /// The second one, whose columns may be null.
    pub(super) after: Table,
    /// The two as they are.
    pub(super) own: [Table; 2],
    identity: Identity,
    /// Which rows are compared.
    filter: Expr,
    /// The columns that are compared.
    pub(super) names: Vec<String>,
    pub(super) cells: ChangedCells,
}

impl Versions {
    /// Between two versions of a branch, in any order. Rows are one row by the columns of `key`, else by their stable ids, else by the
    /// unenforced primary key of the second version, else by their addresses.
    ///
    /// Errors: `InvalidInput` for an unknown column, and for a part of a column; `Unsupported` where a selected column is another one
    /// in the first version, or a column has a reserved name.
    pub(super) fn new(
        before: &Table,
        after: &Table,
        key: Option<Vec<String>>,
        selected: Vec<String>,
        filter: Expr,
    ) -> Result<Self> {
        let own = [before.clone(), after.clone()];
        let (before, after) = (before.with_columns_of(after), after.with_columns_of(after));
        let schema = Arc::clone(Scan::new(after.clone()).select(selected).request()?.schema());
        let whole = after.schema().to_arrow()?;
        for column in RowColumn::ALL.map(RowColumn::name) {
            if whole.index_of(column).is_ok() {
                return Err(Error::unsupported(format!(
                    "versions of a table with a column '{column}' cannot be compared: the name is reserved. Rename the column"
                )));
            }
        }
        let other = incomparable_columns(&own[0], &own[1]);
        let mut names = Vec::new();
        for field in schema.fields() {
            let name = field.name();
            if whole.field_with_name(name).is_ok_and(|known| known.data_type() != field.data_type()) {
                return Err(Error::invalid_input(format!(
                    "a part of the column '{name}' cannot be selected: select all of it"
                )));
            }
            check_comparable(name, &other, &own)?;
            names.push(name.clone());
        }
        let identity = identity(&own, key)?;
        if let Identity::Keys(names) = &identity {
            let keys = Arc::clone(Scan::new(after.clone()).select(names.clone()).request()?.schema());
            SourceKeys::new(&keys, NullKeys::Equal, true)?;
            names.iter().try_for_each(|name| check_comparable(name, &other, &own))?;
        }
        for column in Scan::new(after.clone()).filter(filter.clone()).request()?.bound_filter().columns() {
            let whole = column.name.split('.').next().unwrap_or(&column.name);
            check_comparable(whole, &other, &own)?;
        }
        let key = match &identity {
            Identity::Keys(names) => names.as_slice(),
            Identity::Ids | Identity::Addresses => &[],
        };
        let cells = ChangedCells::new(schema.fields()).with_key(key);
        Ok(Self { before, after, own, identity, filter, names, cells })
    }

    /// The fragments that differ. Errors: `InvalidData`, naming the manifest.
    pub(super) fn differing(&self) -> Result<Differing> {
        Differing::between(&self.own[0], &self.own[1])
    }

    /// What proves that no row differs. Errors: those of the history.
    pub(super) fn proof(&self, differing: &Differing, cancel: &Cancel) -> Result<Option<Proof>> {
        proof(&self.own[0], &self.own[1], differing, cancel)
    }

    /// The rows that differ, by their addresses, which ascend; `None` where it is proved that none does. Errors: those of [`Sides::matched`].
    pub(super) fn matched(&self, pages: &Arc<dyn Pages>, cancel: &Cancel) -> Result<Option<Matched>> {
        let differing = self.differing()?;
        if self.proof(&differing, cancel)?.is_some() {
            return Ok(None);
        }
        let sides = Sides {
            before: &self.before,
            after: &self.after,
            differing: &differing,
            filter: &self.filter,
            pages,
        };
        let mut matched = sides.matched(&self.identity, cancel)?;
        if let Identity::Keys(key) = &self.identity {
            let values: Vec<String> = self.names.iter().filter(|name| !key.contains(name)).cloned().collect();
            match_repeated(&sides, &values, &mut matched, cancel)?;
        }
        matched.deleted.sort_unstable();
        matched.inserted.sort_unstable();
        Ok(Some(matched))
    }
}

fn check_comparable(name: &str, other: &BTreeSet<String>, own: &[Table; 2]) -> Result<()> {
    if !other.contains(name) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the column '{name}' has another type in version {} than in version {}, or was dropped and added again: select other columns",
        own[0].version(),
        own[1].version()
    )))
}

/// What makes two rows one row. Errors: `InvalidInput` for a key without a column, or with a column that is not one of both versions.
fn identity(own: &[Table; 2], key: Option<Vec<String>>) -> Result<Identity> {
    if let Some(names) = key {
        if names.is_empty() {
            return Err(Error::invalid_input("key: expected the name of a column, found none"));
        }
        let missing = names.iter().find(|name| own.iter().any(|table| table.schema().column(name).is_none()));
        if let Some(name) = missing {
            return Err(Error::invalid_input(format!(
                "key: expected columns of both versions, found {name:?}"
            )));
        }
        return Ok(Identity::Keys(names));
    }
    if own.iter().all(Table::has_stable_row_ids) {
        return Ok(Identity::Ids);
    }
    let of_key = primary_key(&own[1]);
    let are_known = of_key.iter().all(|(id, _)| own[0].schema().fields().iter().any(|known| known.id == *id));
    if of_key.is_empty() || !are_known {
        return Ok(Identity::Addresses);
    }
    Ok(Identity::Keys(of_key.into_iter().map(|(_, name)| name).collect()))
}

/// The unenforced primary key: ids and names of its columns; empty where a part of a column is one of its fields.
fn primary_key(table: &Table) -> Vec<(i32, String)> {
    let fields = &table.manifest().head.fields;
    let mut of_key: Vec<_> = fields.iter().filter(|field| field.unenforced_primary_key).collect();
    of_key.sort_by_key(|field| (field.unenforced_primary_key_position, field.id));
    if of_key.iter().any(|field| field.parent_id != -1) {
        return Vec::new();
    }
    of_key.into_iter().map(|field| (field.id, field.name.clone())).collect()
}

/// The names of the columns of the unenforced primary key, in its order; none where a part of a column is one of its fields.
pub fn primary_key_columns(table: &Table) -> Vec<String> {
    primary_key(table).into_iter().map(|(_, name)| name).collect()
}
