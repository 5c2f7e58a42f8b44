//! Which rows did a range of versions insert, delete and update?
//!
//! In: a range of versions. Out: batches of changed rows, with what was done to them, and by which version.
//!
//! Invariant: changes come version by version, and in each the old rows before the new ones, in the order of addresses.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Error, Result};

use super::changed_rows::{Compared, made_by};
use super::changelog::Changelog;
use crate::differences::may_replace_values;
use crate::group::Group;
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows::{Fragments, RowStream, numbers};
use crate::rows_at::RowsAt;
use crate::table::Table;
use crate::wire::Operation;

/// Batches of changes.
#[derive(Debug)]
pub struct ChangelogStream {
    log: Changelog,
    schema: SchemaRef,
    pages: Arc<dyn Pages>,
    /// The version before the next step; `None` before the first version of all.
    before: Option<Table>,
    /// How many steps were begun.
    steps: i32,
    waiting: VecDeque<Side>,
}

/// Rows of one version.
#[derive(Debug)]
struct Side {
    rows: Reading,
    ordinal: i32,
    version: i64,
}

#[derive(Debug)]
enum Reading {
    /// All rows, which are inserted.
    All(Box<RowStream>),
    /// Rows, and what was done to them.
    At { rows: Box<RowsAt>, types: Vec<&'static str>, given: usize },
}

impl ChangelogStream {
    /// Begins to read changes. Nothing is opened before the first batch.
    pub fn new(log: Changelog, pages: Arc<dyn Pages>) -> Self {
        let (schema, before) = (log.schema(), log.start.clone());
        Self { log, schema, pages, before, steps: 0, waiting: VecDeque::new() }
    }

    /// The next batch, which has rows; `None` after the last one.
    ///
    /// Errors: `Unsupported` where nothing says which rows only moved, and where a column is another one in the last version;
    /// `NotFound` for a version that is gone; those of [`RowStream::next_batch`] and [`RowsAt::next_batch`]; `LimitExceeded`; `Cancelled`.
    pub fn next_batch(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        loop {
            cancel.check()?;
            while let Some(side) = self.waiting.front_mut() {
                if let Some(batch) = side.next_batch(&self.schema, cancel)? {
                    return Ok(Some(batch));
                }
                self.waiting.pop_front();
            }
            if self.before.as_ref().is_some_and(|before| before.version() == self.log.end.version()) {
                return Ok(None);
            }
            let (after, replaces) = if self.log.net {
                let replaces = match &self.before {
                    Some(start) => self.may_replace(start, cancel)?,
                    None => false,
                };
                (self.log.end.clone(), replaces)
            } else {
                let version = self.before.as_ref().map_or(1, |before| before.version() + 1);
                (self.log.end.at_version(version)?, false)
            };
            self.step(&after, replaces, cancel)?;
            self.before = Some(after);
            self.steps += 1;
        }
    }

    /// Can a version of the range have given rows other values without a word about these rows?
    ///
    /// Errors: `Unsupported` where rows have no stable ids, and a version may have moved rows.
    fn may_replace(&self, start: &Table, cancel: &Cancel) -> Result<bool> {
        let is_stable = start.has_stable_row_ids() && self.log.end.has_stable_row_ids();
        let mut found = false;
        for version in start.version() + 1..=self.log.end.version() {
            cancel.check()?;
            let made = made_by(&self.log.end.at_version(version)?)?;
            if !is_stable && matches!(made, None | Some(Operation::Rewrite(_))) {
                return Err(Error::unsupported(format!(
                    "version {version} moved rows, or may have, and rows have no stable ids: net changes cannot tell rows that \
                     moved from new ones. Read them with net=False"
                )));
            }
            found |= made.as_ref().is_none_or(may_replace_values);
        }
        Ok(found)
    }

    /// The changes that lead to a version.
    fn step(&mut self, after: &Table, may_replace_values: bool, cancel: &Cancel) -> Result<()> {
        let new = self.log.of_version(after);
        self.log.check_comparable(after)?;
        let (ordinal, version) = (self.steps, after.version().cast_signed());
        let Some(before) = &self.before else {
            let group = Group::whole(&self.log.scan(&new).request()?);
            let rows = RowStream::new(Fragments::Group(group), Arc::clone(&self.pages), None);
            self.waiting.push_back(Side { rows: Reading::All(Box::new(rows)), ordinal, version });
            return Ok(());
        };
        self.log.check_comparable(before)?;
        let old = self.log.of_version(before);
        let compared = Compared {
            before: &old,
            after: &new,
            columns: &self.log.compared(before, after),
            is_one_commit: !self.log.net,
            may_replace_values,
            pages: &self.pages,
        };
        let Some(found) = compared.changed_rows(cancel)? else { return Ok(()) };
        let of_old = self.matching(&old, &found.before, cancel)?;
        let of_new = self.matching(&new, &found.after, cancel)?;
        // An update of which only one side matches is not one to those who read the matching rows.
        let sides = [
            (&old, &found.deleted, &found.before, &of_old, &of_new, ["DELETE", "UPDATE_BEFORE"]),
            (&new, &found.inserted, &found.after, &of_new, &of_old, ["INSERT", "UPDATE_AFTER"]),
        ];
        let mut waiting = VecDeque::new();
        for (table, alone, pairs, here, there, [of_one, of_pair]) in sides {
            let single = self.matching(table, alone, cancel)?;
            let single = alone.iter().zip(&single).filter(|(_, matches)| **matches);
            let both = pairs.iter().zip(here.iter().zip(there)).filter(|(_, (here, _))| **here);
            let mut rows: Vec<(u64, &'static str)> = single
                .map(|(address, _)| (*address, of_one))
                .chain(both.map(|(address, (_, there))| (*address, if *there { of_pair } else { of_one })))
                .collect();
            rows.sort_by_key(|(address, _)| *address);
            let (addresses, types): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let mut columns = self.log.names();
            columns.push(RowColumn::Address.name().to_owned());
            let rows = Box::new(RowsAt::new(table, addresses, columns, &self.pages)?);
            waiting.push_back(Side { rows: Reading::At { rows, types, given: 0 }, ordinal, version });
        }
        self.waiting = waiting;
        Ok(())
    }

    /// For each row, by its address, whether it matches the filter.
    fn matching(&self, table: &Table, addresses: &[u64], cancel: &Cancel) -> Result<Vec<bool>> {
        if self.log.has_all_rows() || addresses.is_empty() {
            return Ok(vec![true; addresses.len()]);
        }
        let wanted: HashSet<u64> = addresses.iter().map(|address| address >> 32).collect();
        let scan = self.log.scan(table).select(vec![RowColumn::Address.name().to_owned()]);
        let group = Group::of_fragments(&scan.request()?, &|id| wanted.contains(&id));
        let mut stream = RowStream::new(Fragments::Group(group), Arc::clone(&self.pages), None);
        let mut found: HashSet<u64> = HashSet::new();
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            found.extend(numbers(&batch, RowColumn::Address.name())?);
        }
        Ok(addresses.iter().map(|address| found.contains(address)).collect())
    }
}

impl Side {
    fn next_batch(&mut self, schema: &SchemaRef, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        let (batch, types) = match &mut self.rows {
            Reading::All(stream) => {
                let Some(batch) = stream.next_batch()? else { return Ok(None) };
                let types = StringArray::from_iter_values(std::iter::repeat_n("INSERT", batch.num_rows()));
                (batch, types)
            }
            Reading::At { rows, types, given } => {
                let Some(batch) = rows.next_batch(cancel)? else { return Ok(None) };
                let end = *given + batch.num_rows();
                let some =
                    types.get(*given..end).ok_or_else(|| Error::internal("more rows than addresses"))?;
                *given = end;
                let types = StringArray::from_iter_values(some);
                (batch, types)
            }
        };
        let count = batch.num_rows();
        let own = schema.fields().iter().take(schema.fields().len() - 3);
        let own = own.map(|field| batch.column_by_name(field.name()).cloned());
        let mut columns: Vec<ArrayRef> =
            own.collect::<Option<_>>().ok_or_else(|| Error::internal("a column of changes was not read"))?;
        columns.push(Arc::new(types));
        columns.push(Arc::new(Int32Array::from_value(self.ordinal, count)));
        columns.push(Arc::new(Int64Array::from_value(self.version, count)));
        RecordBatch::try_new(Arc::clone(schema), columns)
            .map(Some)
            .map_err(|error| Error::internal("changed rows do not fit their columns").caused_by(error))
    }
}
