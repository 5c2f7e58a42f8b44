//! Which rows does a part of an expression see, and how do values of some rows become values of all?
//!
//! Invariant: rows keep their order.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, UInt64Array, new_empty_array};
use arrow_schema::DataType;
use arrow_select::filter::filter;
use arrow_select::interleave::interleave;
use arrow_select::take::take;

use super::kernels::{computing, plain};
use super::operand::Operand;
use crate::error::{Error, Result};

/// Columns by the names that an expression has for them.
pub(in crate::expr) struct Columns<'a> {
    columns: &'a HashMap<String, ArrayRef>,
    /// Without dictionaries, as they are asked for.
    plain: RefCell<HashMap<String, ArrayRef>>,
}

/// Some rows of the columns.
#[derive(Clone)]
pub(in crate::expr) struct Rows<'a> {
    all: &'a Columns<'a>,
    /// Their numbers; `None` is all.
    numbers: Option<UInt64Array>,
    /// How many they are.
    pub(super) count: usize,
}

impl<'a> Columns<'a> {
    pub(in crate::expr) fn new(columns: &'a HashMap<String, ArrayRef>) -> Self {
        Self { columns, plain: RefCell::default() }
    }

    fn get(&self, name: &str) -> Result<ArrayRef> {
        if let Some(found) = self.plain.borrow().get(name) {
            return Ok(Arc::clone(found));
        }
        let column = self
            .columns
            .get(name)
            .ok_or_else(|| Error::invalid_input(format!("column {name:?} is unknown")))?;
        let found = plain(column)?;
        self.plain.borrow_mut().insert(name.to_owned(), Arc::clone(&found));
        Ok(found)
    }
}

impl<'a> Rows<'a> {
    /// So many rows of columns, which is all of them.
    pub(in crate::expr) fn all(all: &'a Columns<'a>, count: usize) -> Self {
        Self { all, numbers: None, count }
    }

    /// A column of these rows.
    pub(super) fn column(&self, name: &str) -> Result<ArrayRef> {
        let column = self.all.get(name)?;
        match &self.numbers {
            None => Ok(column),
            Some(numbers) => take(&column, numbers, None).map_err(computing),
        }
    }

    /// The rows for which a bool is true.
    pub(super) fn filter(&self, holds: &BooleanArray) -> Result<Self> {
        let every = self.numbers();
        let numbers = filter(&every, holds).map_err(computing)?;
        let numbers = numbers
            .as_any()
            .downcast_ref::<UInt64Array>()
            .cloned()
            .ok_or_else(|| Error::internal("numbers of rows are of another type"))?;
        let count = numbers.len();
        Ok(if count == self.count {
            self.clone()
        } else {
            Self { all: self.all, numbers: Some(numbers), count }
        })
    }

    /// The numbers of these rows among all.
    pub(super) fn numbers(&self) -> UInt64Array {
        match &self.numbers {
            Some(numbers) => numbers.clone(),
            None => UInt64Array::from_iter_values(0..self.count as u64),
        }
    }
}

/// The values of all rows, of those of parts: which of them each row is in, and the values, one for each of its rows.
pub(super) fn in_order(part_of_row: &[usize], parts: &[Operand], kind: &DataType) -> Result<ArrayRef> {
    if part_of_row.is_empty() {
        return Ok(new_empty_array(kind));
    }
    let arrays: Vec<&dyn Array> = parts.iter().map(|part| part.array().as_ref()).collect();
    let mut next = vec![0; parts.len()];
    let places: Vec<(usize, usize)> = part_of_row
        .iter()
        .map(|part| {
            let at = if parts[*part].is_constant() { 0 } else { next[*part] };
            next[*part] += 1;
            (*part, at)
        })
        .collect();
    interleave(&arrays, &places).map_err(computing)
}
