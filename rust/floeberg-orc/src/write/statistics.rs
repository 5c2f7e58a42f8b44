//! What is known of the values that were written of a column?
//!
//! In: values, group by group. Out: counts and ends, of a row group, a stripe or a file.
//! Spec: ORC v1, Column Statistics.
//!
//! Invariant: NaN is never an end; a sum that does not fit is left out.

use floeberg_core::transform::truncate::truncate_string;
use floeberg_core::value::decimal::format_decimal;
use floeberg_protobuf::Signed;

use crate::wire::{
    BinarySum, CollectionRange, ColumnStatistics, Counts, DateRange, DecimalRange, FloatRange, IntegerRange,
    TextRange, TimestampRange,
};

/// Longer texts are not written as ends, but shorter bounds are.
const LONGEST_TEXT: usize = 1024;
/// The code points of such bounds: no more bytes than a text may have.
const SHORT_TEXT: u32 = 256;
/// Nanoseconds of a millisecond.
const NANOS_PER_MILLI: i64 = 1_000_000;

/// Statistics of a column.
#[derive(Debug, Clone)]
pub(super) struct Statistics {
    /// Values that are not null.
    pub(super) values: u64,
    pub(super) has_null: bool,
    pub(super) range: Range,
}

/// The least and the greatest value.
pub(super) type Ends<T> = Option<(T, T)>;

/// What is known beside the counts.
#[derive(Debug, Clone)]
pub(super) enum Range {
    /// Nothing.
    Nothing,
    /// How many are true.
    Booleans(u64),
    /// Their ends and their sum.
    Integers(Ends<i64>, Option<i64>),
    /// Their ends, their sum, and how many are NaN.
    Floats(Ends<f64>, f64, u64),
    /// Their ends and their bytes.
    Texts(Ends<String>, u64),
    /// Their ends, their sum and their scale.
    Decimals(Ends<i128>, Option<i128>, u8),
    /// Their ends.
    Dates(Ends<i32>),
    /// Their ends, in parts of a second, of which there are so many nanoseconds in one.
    Timestamps(Ends<i64>, i64),
    /// Their bytes.
    Binary(u64),
    /// The fewest and the most elements, and all.
    Collections(Ends<u64>, u64),
}

impl Statistics {
    /// Of no value.
    pub(super) fn new(range: Range) -> Self {
        Self { values: 0, has_null: false, range }
    }

    /// Adds those of more values of the same column.
    pub(super) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        self.has_null |= other.has_null;
        match (&mut self.range, &other.range) {
            (Range::Booleans(own), Range::Booleans(other)) => *own += other,
            (Range::Integers(own, sum), Range::Integers(other, more)) => {
                join(own, *other);
                *sum = sum.zip(*more).and_then(|(sum, more)| sum.checked_add(more));
            }
            (Range::Floats(own, sum, nans), Range::Floats(other, more, more_nans)) => {
                join(own, *other);
                *sum += more;
                *nans += more_nans;
            }
            (Range::Texts(own, bytes), Range::Texts(other, more)) => {
                join(own, other.clone());
                *bytes += more;
            }
            (Range::Decimals(own, sum, _), Range::Decimals(other, more, _)) => {
                join(own, *other);
                *sum = sum.zip(*more).and_then(|(sum, more)| sum.checked_add(more));
            }
            (Range::Dates(own), Range::Dates(other)) => join(own, *other),
            (Range::Timestamps(own, _), Range::Timestamps(other, _)) => join(own, *other),
            (Range::Binary(own), Range::Binary(other)) => *own += other,
            (Range::Collections(own, sum), Range::Collections(other, more)) => {
                join(own, *other);
                *sum += more;
            }
            _ => {}
        }
    }

    /// As they are written.
    pub(super) fn to_message(&self, bytes_on_disk: u64) -> ColumnStatistics {
        let mut written = ColumnStatistics {
            values: self.values,
            has_null: Some(self.has_null),
            bytes_on_disk,
            ..ColumnStatistics::default()
        };
        let signed = |value: i64| Some(Signed(value));
        match &self.range {
            Range::Nothing => {}
            Range::Booleans(trues) => written.trues = Some(Counts { counts: vec![*trues] }),
            Range::Integers(ends, sum) => {
                let sum = sum.filter(|_| ends.is_some()).map(Signed);
                let (least, most) = both(*ends, signed);
                written.integers = Some(IntegerRange { least, most, sum });
            }
            Range::Floats(ends, sum, _) => {
                // A zero bounds both zeros.
                let least = ends.map(|(least, _)| if least == 0.0 { -0.0 } else { least }.into());
                let most = ends.map(|(_, most)| if most == 0.0 { 0.0 } else { most }.into());
                written.floats = Some(FloatRange { least, most, sum: Some((*sum).into()) });
            }
            Range::Texts(ends, bytes) => written.texts = Some(text_range(ends.as_ref(), *bytes)),
            Range::Decimals(ends, sum, scale) => {
                let text = |value: i128| Some(format_decimal(value, *scale));
                let (least, most) = both(*ends, text);
                let sum = sum.filter(|_| ends.is_some()).and_then(text);
                written.decimals = Some(DecimalRange { least, most, sum });
            }
            Range::Dates(ends) => {
                let (least, most) = both(*ends, |days| signed(days.into()));
                written.dates = Some(DateRange { least, most });
            }
            Range::Timestamps(ends, nanos) => {
                let millis = |value: i64| value.div_euclid(NANOS_PER_MILLI / nanos);
                // One more than they are: zero would say that they are not known.
                let rest = |value: i64| (value.rem_euclid(NANOS_PER_MILLI / nanos) * nanos + 1) as i32;
                let (least, most) = both(*ends, |value| signed(millis(value)));
                let (least_nanos, most_nanos) = both(*ends, |value| Some(rest(value)));
                written.timestamps = Some(TimestampRange { least, most, least_nanos, most_nanos });
            }
            Range::Binary(bytes) => written.binary = Some(BinarySum { sum: signed(*bytes as i64) }),
            Range::Collections(ends, sum) => {
                let (least, most) = ends.unwrap_or((0, 0));
                written.collections = Some(CollectionRange { least, most, sum: *sum });
            }
        }
        written
    }
}

/// Widens ends by others.
pub(super) fn join<T: PartialOrd>(own: &mut Ends<T>, other: Ends<T>) {
    let Some((least, most)) = other else { return };
    match own {
        None => *own = Some((least, most)),
        Some((own_least, own_most)) => {
            if least < *own_least {
                *own_least = least;
            }
            if most > *own_most {
                *own_most = most;
            }
        }
    }
}

fn both<T: Copy, U>(ends: Ends<T>, written: impl Fn(T) -> Option<U>) -> (Option<U>, Option<U>) {
    (ends.and_then(|(least, _)| written(least)), ends.and_then(|(_, most)| written(most)))
}

fn text_range(ends: Option<&(String, String)>, bytes: u64) -> TextRange {
    let mut range = TextRange { sum: Some(Signed(bytes as i64)), ..TextRange::default() };
    if let Some((least, most)) = ends {
        if least.len() > LONGEST_TEXT {
            range.lower = Some(truncate_string(least, SHORT_TEXT).as_bytes().to_vec());
        } else {
            range.least = Some(least.clone().into_bytes());
        }
        if most.len() > LONGEST_TEXT {
            range.upper = upper_text(most).map(String::into_bytes);
        } else {
            range.most = Some(most.clone().into_bytes());
        }
    }
    range
}

/// A short text above one that is long; `None` where there is none.
fn upper_text(text: &str) -> Option<String> {
    let mut upper = truncate_string(text, SHORT_TEXT).to_owned();
    while let Some(last) = upper.pop() {
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            upper.push(next);
            return Some(upper);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn long_texts_have_bounds_instead_of_ends() {
        let long = "x".repeat(LONGEST_TEXT + 1);
        let range = text_range(Some(&("a".to_owned(), long.clone())), 7);
        assert_eq!((range.least.as_deref(), range.most, range.lower), (Some(&b"a"[..]), None, None));
        let upper = range.upper.unwrap();
        assert!(upper > long.clone().into_bytes() && upper.len() == SHORT_TEXT as usize, "{upper:?}");
        assert_eq!(text_range(Some(&(long.clone(), long.clone())), 7).lower.unwrap(), long.as_bytes()[..256]);
        let top = "\u{10ffff}".repeat(LONGEST_TEXT);
        assert_eq!(text_range(Some(&(top.clone(), top)), 7).upper, None);
    }
}
