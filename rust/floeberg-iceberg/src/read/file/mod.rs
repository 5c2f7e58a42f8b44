//! What does a data or delete file offer, whatever its format?

mod fields;
mod narrow;
mod unit;
mod after_decoding;
mod open;

pub(super) use after_decoding::AfterDecoding;
pub(in crate::read) use fields::place_of;
pub(crate) use fields::{FileField, FileFields};
pub(super) use open::OpenFile;
pub(super) use unit::{Unit, UnitReader, UnitRequest};
