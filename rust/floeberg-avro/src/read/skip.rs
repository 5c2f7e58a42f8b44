//! How is an unwanted value skipped?
//!
//! Spec: Avro 1.12, Binary Encoding.
//!
//! Invariant: a skip reads lengths and finds ends of numbers, but decodes no value. Writers hardly ever store the byte size of a
//! block of items, so skipping must be cheap.

use floeberg_core::{Error, Result};

use super::cursor::Cursor;

/// The cheapest way past a type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Skip {
    /// That many ints and longs.
    Varints(u64),
    /// That many bytes.
    Bytes(usize),
    /// A length and its bytes.
    Prefixed,
    /// A branch and its value.
    Union(Box<[Skip]>),
    /// One after the other; an empty list takes no bytes.
    Sequence(Vec<Skip>),
    /// Blocks of items.
    Items(Box<Skip>),
}

impl Skip {
    pub(crate) fn nothing() -> Self {
        Self::Sequence(Vec::new())
    }

    /// Can it take no bytes at all?
    pub(super) fn may_be_empty(&self) -> bool {
        match self {
            Self::Varints(count) => *count == 0,
            Self::Bytes(count) => *count == 0,
            Self::Sequence(parts) => parts.iter().all(Self::may_be_empty),
            Self::Prefixed | Self::Union(_) | Self::Items(_) => false,
        }
    }

    /// This, then the next: runs of numbers and of bytes become one.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Varints(first), Self::Varints(second)) => Self::Varints(first.saturating_add(second)),
            (Self::Bytes(first), Self::Bytes(second)) => Self::Bytes(first.saturating_add(second)),
            (Self::Sequence(parts), next) if parts.is_empty() => next,
            (first, Self::Sequence(parts)) => parts.into_iter().fold(first, Self::then),
            (Self::Sequence(mut parts), next) => {
                match parts.pop() {
                    Some(last) => match last.then(next) {
                        Self::Sequence(more) => parts.extend(more),
                        one => parts.push(one),
                    },
                    None => parts.push(next),
                }
                Self::Sequence(parts)
            }
            (first, next) => Self::Sequence(vec![first, next]),
        }
    }

    #[inline]
    pub(crate) fn run(&self, cursor: &mut Cursor<'_>, empty_left: &mut u64) -> Result<()> {
        match self {
            Self::Varints(1) => cursor.skip_varint(),
            Self::Varints(count) => cursor.skip_varints(*count),
            Self::Bytes(count) => cursor.skip(*count),
            Self::Prefixed => cursor.prefixed().map(|_| ()),
            Self::Union(branches) => {
                let branch = cursor.long()?;
                match usize::try_from(branch).ok().and_then(|branch| branches.get(branch)) {
                    Some(skip) => skip.run(cursor, empty_left),
                    None => Err(no_such_branch(cursor, branch, branches.len())),
                }
            }
            Self::Sequence(parts) => parts.iter().try_for_each(|part| part.run(cursor, empty_left)),
            Self::Items(item) => skip_items(item, cursor, empty_left),
        }
    }
}

fn skip_items(item: &Skip, cursor: &mut Cursor<'_>, empty_left: &mut u64) -> Result<()> {
    loop {
        let block = cursor.item_block()?;
        if block.count == 0 {
            return Ok(());
        }
        if let Some(size) = block.size {
            cursor.skip(size)?;
            continue;
        }
        check_count(cursor, block.count, item.may_be_empty(), empty_left)?;
        match item {
            Skip::Varints(each) => cursor.skip_varints(each.saturating_mul(block.count))?,
            // Bounds: the key, then the value.
            Skip::Sequence(parts) if matches!(parts[..], [Skip::Varints(1), Skip::Prefixed]) => {
                cursor.skip_keyed_bytes(block.count)?;
            }
            item => (0..block.count).try_for_each(|_| item.run(cursor, empty_left))?,
        }
    }
}

/// Refuses more values than there are bytes, or more values without bytes than the whole file may have.
#[inline]
pub(super) fn check_count(
    cursor: &Cursor<'_>,
    count: u64,
    may_be_empty: bool,
    empty_left: &mut u64,
) -> Result<()> {
    if !may_be_empty {
        let left = cursor.remaining() as u64;
        if count > left {
            return Err(
                cursor.error(&format!("at most {left} values (the bytes left), found a count of {count}"))
            );
        }
        return Ok(());
    }
    match empty_left.checked_sub(count) {
        Some(left) => {
            *empty_left = left;
            Ok(())
        }
        None => Err(Error::limit(format!(
            "Avro data at offset {}: {count} more values without bytes pass the limit of the file",
            cursor.position()
        ))),
    }
}

#[cold]
pub(super) fn no_such_branch(cursor: &Cursor<'_>, branch: i64, branches: usize) -> Error {
    cursor.error(&format!("one of the {branches} branches of a union before here, found {branch}"))
}
