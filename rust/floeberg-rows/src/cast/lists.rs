//! Which elements do lists of any Arrow type have?
//!
//! In: a list, large list, list view, fixed-size list or map. Out: offsets, elements and nulls.
//!
//! Invariant: elements are exactly those of non-null lists, in order: a slice never carries rows of its neighbours, and a null list
//! is empty.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, UInt64Array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::take::take;
use floeberg_core::Error;

use super::fault::Fault;

/// Lists with exactly their own elements.
pub struct Lists {
    /// Where each list begins in the elements, and where the last one ends.
    pub offsets: OffsetBuffer<i64>,
    /// The elements, or the entries of maps.
    pub elements: ArrayRef,
    /// Which lists are null.
    pub nulls: Option<NullBuffer>,
}

impl Lists {
    /// From an array of any list type, or of maps.
    ///
    /// Errors: `Internal` for an array of another type; `LimitExceeded` where views, or lists beside null ones that have elements, have
    /// more elements than 32 bits count.
    pub fn of(array: &ArrayRef) -> Result<Self, Fault> {
        let nulls = array.nulls().cloned();
        match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                Self::cut(&ends(lists.offsets()), lists.values(), nulls)
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                Self::cut(&ends(lists.offsets()), lists.values(), nulls)
            }
            DataType::Map(..) => {
                let maps = array.as_map();
                let entries: ArrayRef = Arc::new(maps.entries().clone());
                Self::cut(&ends(maps.offsets()), &entries, nulls)
            }
            DataType::FixedSizeList(_, size) => {
                let size = usize::try_from(*size).unwrap_or_default();
                let offsets: Vec<_> = (0..=array.len()).map(|row| row * size).collect();
                Self::cut(&offsets, array.as_fixed_size_list().values(), nulls)
            }
            DataType::ListView(_) => {
                let views = array.as_list_view::<i32>();
                let ranges = views.offsets().iter().zip(views.sizes().iter());
                Self::gathered(ranges.map(|(start, size)| range(*start, *size)), views.values(), nulls)
            }
            DataType::LargeListView(_) => {
                let views = array.as_list_view::<i64>();
                let ranges = views.offsets().iter().zip(views.sizes().iter());
                Self::gathered(ranges.map(|(start, size)| range(*start, *size)), views.values(), nulls)
            }
            other => Err(Error::internal(format!("expected an array of lists, found {other}")).into()),
        }
    }

    /// Lists that lie one behind the other.
    fn cut(offsets: &[usize], elements: &ArrayRef, nulls: Option<NullBuffer>) -> Result<Self, Fault> {
        let ranges = offsets.windows(2).map(|pair| pair[0]..pair[1]);
        let holds_hidden = nulls.as_ref().is_some_and(|nulls| {
            nulls.null_count() > 0
                && ranges.clone().enumerate().any(|(row, range)| nulls.is_null(row) && !range.is_empty())
        });
        if holds_hidden {
            return Self::gathered(ranges, elements, nulls);
        }
        let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
        let counted: ScalarBuffer<i64> = offsets.iter().map(|offset| (offset - first) as i64).collect();
        Ok(Self { offsets: OffsetBuffer::new(counted), elements: elements.slice(first, last - first), nulls })
    }

    /// Lists that lie anywhere.
    fn gathered(
        ranges: impl Iterator<Item = Range<usize>> + Clone,
        elements: &ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<Self, Fault> {
        // Views may name an element again and again.
        let total = ranges.clone().fold(0_usize, |total, range| total.saturating_add(range.len()));
        if total > i32::MAX as usize {
            return Err(Error::limit(format!("a batch has lists of {total} elements together")).into());
        }
        let (mut places, mut offsets) = (Vec::new(), vec![0]);
        for (row, range) in ranges.enumerate() {
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                places.extend(range.map(|place| place as u64));
            }
            offsets.push(places.len() as i64);
        }
        let elements = take(elements, &UInt64Array::from(places), None)?;
        Ok(Self { offsets: OffsetBuffer::new(offsets.into()), elements, nulls })
    }

    /// The offsets of lists and maps.
    ///
    /// Errors: `LimitExceeded` for more elements than 32 bits can count.
    pub fn short_offsets(&self) -> Result<OffsetBuffer<i32>, Fault> {
        let length = self.elements.len();
        if i32::try_from(length).is_err() {
            return Err(Error::limit(format!("a batch has lists of {length} elements together")).into());
        }
        let short: ScalarBuffer<i32> = self.offsets.iter().map(|offset| *offset as i32).collect();
        Ok(OffsetBuffer::new(short))
    }

    /// The row of the list that holds an element.
    pub fn row_of(&self, element: usize) -> usize {
        self.offsets.partition_point(|offset| *offset as usize <= element).saturating_sub(1)
    }
}

fn ends<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> Vec<usize> {
    offsets.iter().map(|offset| offset.as_usize()).collect()
}

fn range<O: OffsetSizeTrait>(start: O, size: O) -> Range<usize> {
    start.as_usize()..start.as_usize() + size.as_usize()
}
