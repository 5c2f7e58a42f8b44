//! How are the bytes of one field of a record read?
//!
//! In: a cursor at the field. Out: one more row in the field's column, or nothing.
//!
//! Invariant: a step allocates only by growing a column, and only by as much as it read.

use floeberg_core::value::single_value::unscaled_from_bytes;
use floeberg_core::{Error, Result};

use super::allowance::Allowance;
use super::column::{Column, Values, end_keyed_row, push_null};
use super::cursor::Cursor;
use super::skip::{Skip, check_count};

/// One step through a record.
#[derive(Debug)]
pub(super) enum Step {
    /// Skips an unwanted field.
    Skip(Skip),
    /// Into a column.
    Read(ReadStep),
    /// Some steps, and the bytes that they went over into a column.
    Stored {
        /// The steps.
        steps: Vec<Step>,
        /// The column of the bytes.
        column: usize,
    },
}

/// Reads a value into a column.
#[derive(Debug)]
pub(super) struct ReadStep {
    pub(super) column: usize,
    pub(super) union: Option<Branches>,
    pub(super) required: bool,
    pub(super) read: Read,
    /// The field, for errors: `100: file_path`.
    pub(super) label: Box<str>,
}

/// Which branches a union of null and one type has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branches {
    pub(super) null: Option<i64>,
    pub(super) value: Option<i64>,
}

/// How a value is read. The column's kind was chosen to fit.
#[derive(Debug)]
pub(super) enum Read {
    Null,
    Boolean,
    Int32,
    Int64,
    Float32,
    FloatAsDouble,
    Float64,
    Prefixed,
    Symbol(Vec<String>),
    Fixed(usize),
    FixedPrefixed(usize),
    FixedAsBytes(usize),
    UuidText,
    DecimalFixed(usize),
    DecimalBytes,
    Record(Vec<Step>),
    Items(Items),
    /// Of a map with int keys: one step a wanted key (ascending), and the way past any other value.
    Keyed {
        values: Vec<(i32, ReadStep)>,
        skip: Skip,
    },
}

/// The items of a list or a map.
#[derive(Debug)]
pub(super) struct Items {
    /// The steps of an item.
    pub(super) steps: Vec<Step>,
    /// Can an item take no bytes?
    pub(super) may_be_empty: bool,
    /// The most bytes that an item adds to the columns beyond its own bytes.
    pub(super) width: u64,
}

/// The steps of one record.
#[inline]
pub(super) fn run_steps(
    steps: &[Step],
    cursor: &mut Cursor<'_>,
    columns: &mut [Column],
    allowance: &mut Allowance,
) -> Result<()> {
    for step in steps {
        match step {
            Step::Skip(skip) => skip.run(cursor, &mut allowance.empty_left)?,
            Step::Read(read) => read.run(cursor, columns, allowance)?,
            Step::Stored { steps, column } => {
                let start = cursor.position();
                run_steps(steps, cursor, columns, allowance)?;
                keep_stored(cursor.since(start), *column, columns, allowance)?;
            }
        }
    }
    Ok(())
}

/// Puts stored bytes into a column. They are counted twice: once more where they were read.
fn keep_stored(
    stored: &[u8],
    column: usize,
    columns: &mut [Column],
    allowance: &mut Allowance,
) -> Result<()> {
    allowance.spend(stored.len() as u64, columns)?;
    let column = &mut columns[column];
    let Values::Bytes(offsets, data) = &mut column.values else {
        return Err(Error::internal("stored bytes of an Avro record without their column"));
    };
    data.extend_from_slice(stored);
    offsets.push(data.len())?;
    column.validity.append_non_null();
    Ok(())
}

impl ReadStep {
    #[inline]
    pub(super) fn run(
        &self,
        cursor: &mut Cursor<'_>,
        columns: &mut [Column],
        allowance: &mut Allowance,
    ) -> Result<()> {
        if let Some(union) = self.union {
            let branch = cursor.long()?;
            if Some(branch) == union.null {
                return self.null(cursor, columns);
            }
            if Some(branch) != union.value {
                return Err(cursor
                    .error(&format!("a branch of the union before here, found {branch}"))
                    .with("field", &self.label));
            }
        }
        self.value(cursor, columns, allowance)
    }

    #[inline]
    fn null(&self, cursor: &Cursor<'_>, columns: &mut [Column]) -> Result<()> {
        if self.required {
            return Err(cursor.error("a value before here, found null").with("field", &self.label));
        }
        push_null(columns, self.column);
        Ok(())
    }

    #[inline]
    fn value(
        &self,
        cursor: &mut Cursor<'_>,
        columns: &mut [Column],
        allowance: &mut Allowance,
    ) -> Result<()> {
        let column = &mut columns[self.column];
        match (&self.read, &mut column.values) {
            (Read::Null, _) => return self.null(cursor, columns),
            (Read::Boolean, Values::Boolean(values)) => values.append(cursor.boolean()?),
            (Read::Int32, Values::Int32(values)) => values.push(cursor.int()?),
            (Read::Int64, Values::Int64(values)) => values.push(cursor.long()?),
            (Read::Float32, Values::Float32(values)) => values.push(f32::from_le_bytes(cursor.array()?)),
            (Read::FloatAsDouble, Values::Float64(values)) => {
                values.push(f64::from(f32::from_le_bytes(cursor.array()?)));
            }
            (Read::Float64, Values::Float64(values)) => values.push(f64::from_le_bytes(cursor.array()?)),
            (Read::Prefixed, Values::Bytes(offsets, data)) => {
                data.extend_from_slice(cursor.prefixed()?);
                offsets.push(data.len())?;
            }
            (Read::FixedAsBytes(size), Values::Bytes(offsets, data)) => {
                data.extend_from_slice(cursor.take(*size)?);
                offsets.push(data.len())?;
            }
            (Read::Symbol(symbols), Values::Bytes(offsets, data)) => {
                let index = cursor.int()?;
                let symbol = usize::try_from(index).ok().and_then(|index| symbols.get(index));
                let Some(symbol) = symbol else {
                    return Err(cursor.error(&format!("one of {} symbols, found {index}", symbols.len())));
                };
                data.extend_from_slice(symbol.as_bytes());
                offsets.push(data.len())?;
            }
            (Read::Fixed(size), Values::Fixed(_, data)) => data.extend_from_slice(cursor.take(*size)?),
            (Read::FixedPrefixed(size), Values::Fixed(_, data)) => {
                let value = cursor.prefixed()?;
                if value.len() != *size {
                    return Err(self.wrong_length(cursor, *size, value.len()));
                }
                data.extend_from_slice(value);
            }
            (Read::UuidText, Values::Fixed(_, data)) => {
                let text = cursor.prefixed()?;
                let Some(uuid) = parse_uuid(text) else {
                    return Err(cursor
                        .error("a uuid of 32 hex digits before here")
                        .with("field", &self.label));
                };
                data.extend_from_slice(&uuid);
            }
            (Read::DecimalFixed(size), Values::Decimal(values)) => {
                let bytes = cursor.take(*size)?;
                values.push(self.decimal(cursor, bytes)?);
            }
            (Read::DecimalBytes, Values::Decimal(values)) => {
                let bytes = cursor.prefixed()?;
                values.push(self.decimal(cursor, bytes)?);
            }
            (Read::Record(steps), Values::Struct(_)) => {
                column.validity.append_non_null();
                return run_steps(steps, cursor, columns, allowance);
            }
            (Read::Items(items), Values::Items(_)) => {
                return self.items(items, cursor, columns, allowance);
            }
            (Read::Keyed { values, skip }, Values::Keyed(rows, _)) => {
                *rows += 1;
                column.validity.append_non_null();
                self.wanted_keys(values, skip, cursor, columns, allowance)?;
                end_keyed_row(columns, self.column);
                return Ok(());
            }
            _ => return Err(Error::internal("an Avro step without its column").with("field", &self.label)),
        }
        column.validity.append_non_null();
        Ok(())
    }

    fn items(
        &self,
        items: &Items,
        cursor: &mut Cursor<'_>,
        columns: &mut [Column],
        allowance: &mut Allowance,
    ) -> Result<()> {
        let mut count = 0_usize;
        loop {
            let block = cursor.item_block()?;
            if block.count == 0 {
                break;
            }
            check_count(cursor, block.count, items.may_be_empty, &mut allowance.empty_left)?;
            count += block.count as usize;
            let start = cursor.position();
            for _ in 0..block.count {
                allowance.spend(items.width, columns)?;
                run_steps(&items.steps, cursor, columns, allowance)?;
            }
            cursor.check_size(start, &block)?;
        }
        let column = &mut columns[self.column];
        column.validity.append_non_null();
        let Values::Items(offsets) = &mut column.values else { return Ok(()) };
        let start = offsets.0.last().map_or(0, |&start| start as usize);
        offsets.push(start + count)
    }

    fn decimal(&self, cursor: &Cursor<'_>, bytes: &[u8]) -> Result<i128> {
        let sign = bytes.first().map_or(0, |&first| if first >= 0x80 { 0xff } else { 0 });
        let (extra, digits) = bytes.split_at(bytes.len().saturating_sub(16));
        let fits = extra.iter().all(|&byte| byte == sign)
            && (extra.is_empty() || (digits[0] >= 0x80) == (sign == 0xff));
        if !fits {
            return Err(self.wrong_length(cursor, 16, bytes.len()));
        }
        unscaled_from_bytes(digits).ok_or_else(|| self.wrong_length(cursor, 16, bytes.len()))
    }

    #[cold]
    fn wrong_length(&self, cursor: &Cursor<'_>, expected: usize, found: usize) -> Error {
        cursor
            .error(&format!("a value of {expected} bytes before here, found {found}"))
            .with("field", &self.label)
    }
}

fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut digits = text.iter().filter(|&&byte| byte != b'-');
    let mut uuid = [0; 16];
    for byte in &mut uuid {
        let high = char::from(*digits.next()?).to_digit(16)?;
        let low = char::from(*digits.next()?).to_digit(16)?;
        *byte = (high << 4 | low) as u8;
    }
    digits.next().is_none().then_some(uuid)
}
