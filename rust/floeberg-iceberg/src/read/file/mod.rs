//! What does a data or delete file offer, whatever its format?

mod fields;
mod open;
mod unit;

pub(crate) use fields::{FileField, FileFields};
pub(super) use open::OpenFile;
pub(super) use unit::{Unit, UnitReader, UnitRequest};
