//! Where do the streams of a column start for a row group?
//!
//! In: the positions of an entry of the index. Out: for each stream, bytes and values to pass over.
//! Spec: ORC v1, Indexes, Row Group Index.
//!
//! Invariant: positions are used only if there are as many as the streams of the column ask for.

use std::collections::BTreeMap;

use crate::read::schema::Column;
use crate::wire::{StreamKind, TypeKind};

/// No run has more values.
const LONGEST_RUN: u64 = 512;

/// Where a stream starts for a row group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// The bytes before it as stored.
    pub(crate) stored: u64,
    /// The bytes before it in the block that starts there.
    pub(crate) bytes: u64,
    /// The values before it in the run that starts there.
    pub(crate) values: usize,
    /// The bits before it in the byte that starts there.
    pub(crate) bits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    Runs,
    Bits,
}

/// Adds where the streams of a column start; `None` if the positions are others.
pub(crate) fn starts_of(
    column: &Column,
    positions: &[u64],
    (has_present, has_dictionary): (bool, bool),
    is_plain: bool,
    starts: &mut BTreeMap<(u32, StreamKind), Start>,
) -> Option<()> {
    use StreamKind::{Data, Length, Secondary};
    let values: &[(StreamKind, Form)] = match column.kind {
        TypeKind::Struct => &[],
        TypeKind::Boolean => &[(Data, Form::Bits)],
        TypeKind::Byte | TypeKind::Short | TypeKind::Int | TypeKind::Long | TypeKind::Date => {
            &[(Data, Form::Runs)]
        }
        TypeKind::Float | TypeKind::Double => &[(Data, Form::Bytes)],
        TypeKind::String | TypeKind::Varchar | TypeKind::Char | TypeKind::Binary if has_dictionary => {
            &[(Data, Form::Runs)]
        }
        TypeKind::String | TypeKind::Varchar | TypeKind::Char | TypeKind::Binary => {
            &[(Data, Form::Bytes), (Length, Form::Runs)]
        }
        TypeKind::Timestamp | TypeKind::TimestampInstant => &[(Data, Form::Runs), (Secondary, Form::Runs)],
        TypeKind::Decimal => &[(Data, Form::Bytes), (Secondary, Form::Runs)],
        TypeKind::List | TypeKind::Map => &[(Length, Form::Runs)],
        TypeKind::Union => return None,
    };
    let present = has_present.then_some((StreamKind::Present, Form::Bits));
    let mut left = positions.iter().copied();
    for (kind, form) in present.into_iter().chain(values.iter().copied()) {
        let mut start = Start { stored: left.next()?, ..Start::default() };
        if !is_plain {
            start.bytes = left.next()?;
        }
        if form != Form::Bytes {
            start.values = usize::try_from(left.next().filter(|values| *values <= LONGEST_RUN)?).ok()?;
        }
        if form == Form::Bits {
            start.bits = usize::try_from(left.next().filter(|bits| *bits <= 8)?).ok()?;
        }
        starts.insert((column.number, kind), start);
    }
    left.next().is_none().then_some(())
}
