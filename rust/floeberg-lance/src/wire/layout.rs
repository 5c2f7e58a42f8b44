//! Which fields do data files hold, and where?
//!
//! In: the lists of fields and columns of a data file, as they are written. Out: a number; files that are laid out alike have the
//! same.
//!
//! Invariant: a list is decoded once, however many files have it. A table has one layout or two, and many files.

use std::collections::HashMap;

use floeberg_core::Result;
use floeberg_protobuf::Value;

/// The fields of a data file, and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The ids of the fields; negative ones are of no column.
    pub fields: Vec<i32>,
    /// The index of the column of each field in the file.
    pub column_indices: Vec<i32>,
    /// Before the dot of the file's version.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl Layout {
    /// Is it of version 0.1, which has its own ways?
    pub fn is_legacy(&self) -> bool {
        self.major == 0 && self.minor < 3
    }

    /// The version as manifests name it, such as `2.1`.
    pub fn version(&self) -> String {
        match (self.major, self.minor) {
            (0, 0..=2) => "0.1".to_owned(),
            (0, 3) => "2.0".to_owned(),
            (major, minor) => format!("{major}.{minor}"),
        }
    }
}

/// A layout as it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Written<'a> {
    pub(super) fields: &'a [u8],
    pub(super) column_indices: &'a [u8],
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// The layouts that were seen.
#[derive(Debug, Default)]
pub(super) struct Layouts<'a> {
    /// The last ones: files of a fragment differ, and fragments repeat.
    recent: [Option<(Written<'a>, u32)>; 4],
    next: usize,
    numbers: HashMap<Written<'a>, u32>,
    pub(super) found: Vec<Layout>,
}

impl<'a> Layouts<'a> {
    /// The number of a layout.
    pub(super) fn number(&mut self, written: Written<'a>) -> Result<u32> {
        for (known, number) in self.recent.iter().flatten() {
            if *known == written {
                return Ok(*number);
            }
        }
        let known = self.numbers.get(&written).copied();
        let number = if let Some(number) = known {
            number
        } else {
            let mut layout = Layout { major: written.major, minor: written.minor, ..Layout::default() };
            Value::Bytes(written.fields).numbers(&mut layout.fields, Value::signed)?;
            Value::Bytes(written.column_indices).numbers(&mut layout.column_indices, Value::signed)?;
            let number = self.add(layout);
            self.numbers.insert(written, number);
            number
        };
        self.recent[self.next % 4] = Some((written, number));
        self.next += 1;
        Ok(number)
    }

    /// Adds a layout whose lists are not written as usual, and which others do not share.
    pub(super) fn add(&mut self, layout: Layout) -> u32 {
        self.found.push(layout);
        self.found.len() as u32 - 1
    }
}
