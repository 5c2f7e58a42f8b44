//! How does a column get another place?

use super::draft::Draft;
use crate::error::{Error, Result};

impl Draft<'_> {
    /// Makes a column the first of its siblings. Errors: `InvalidInput` for an element, key or value.
    pub(super) fn move_first(&mut self, name: &str) -> Result<()> {
        let id = self.find(name)?;
        self.reorder(id, name, |_| Some(0))
    }

    /// Puts a column before a sibling. Errors: `InvalidInput` for columns that are not of one struct, and for one and itself.
    pub(super) fn move_before(&mut self, name: &str, other: &str) -> Result<()> {
        self.move_to(name, other, 0)
    }

    /// Puts a column after a sibling. Errors: as before one.
    pub(super) fn move_after(&mut self, name: &str, other: &str) -> Result<()> {
        self.move_to(name, other, 1)
    }

    fn move_to(&mut self, name: &str, other: &str, further: usize) -> Result<()> {
        let (id, beside) = (self.find(name)?, self.find(other)?);
        if id == beside {
            return Err(Error::invalid_input(format!("column {name:?} cannot be moved beside itself")));
        }
        self.reorder(id, name, |ids| {
            ids.iter().position(|id| *id == beside).map(|position| position + further)
        })
    }

    /// Puts a column to a position among the others of its struct, whose ids `position` is given.
    fn reorder(&mut self, id: i32, name: &str, position: impl Fn(&[i32]) -> Option<usize>) -> Result<()> {
        let place = self.parent(id)?;
        let refuse = |why: &str| Error::invalid_input(format!("column {name:?} cannot be moved: {why}"));
        let siblings = self.siblings_mut(&place).ok_or_else(|| refuse("it is a part of a list or map"))?;
        let Some(from) = siblings.iter().position(|field| field.id == id) else {
            return Err(Error::internal("the column to move was not found"));
        };
        let others: Vec<i32> = siblings.iter().map(|field| field.id).filter(|other| *other != id).collect();
        let to = position(&others).ok_or_else(|| refuse("the other column is in another struct"))?;
        let field = siblings.remove(from);
        siblings.insert(to.min(siblings.len()), field);
        Ok(())
    }
}
