//! Which elements do lists of any Arrow type have?
//!
//! In: a list, large list, list view or fixed-size list. Out: offsets, elements and nulls.
//!
//! Invariant: elements are exactly those of non-null lists, in order: a slice never carries rows of its neighbours, and a null list
//! is empty.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, MapArray, OffsetSizeTrait, UInt64Array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast::cast;
use arrow_schema::DataType;
use arrow_select::take::take;
use floeberg_core::Error;

use super::fault::Fault;

/// Lists with exactly their own elements.
pub(super) struct Lists {
    pub(super) offsets: OffsetBuffer<i32>,
    /// The elements, or the entries of maps.
    pub(super) elements: ArrayRef,
    pub(super) nulls: Option<NullBuffer>,
}

impl Lists {
    /// From an array of any list type.
    ///
    /// Errors: `LimitExceeded` for more elements than 32 bits can count, `Internal` for an array of another type.
    pub(super) fn of(array: &ArrayRef) -> Result<Self, Fault> {
        match array.data_type() {
            DataType::List(_) => Self::of_lists(array.as_list::<i32>()),
            DataType::LargeList(_) => Self::of_lists(array.as_list::<i64>()),
            DataType::ListView(element)
            | DataType::LargeListView(element)
            | DataType::FixedSizeList(element, _) => {
                let large = cast(array, &DataType::LargeList(Arc::clone(element)))?;
                Self::of_lists(large.as_list::<i64>())
            }
            other => Err(Error::internal(format!("expected an array of lists, found {other}")).into()),
        }
    }

    fn of_lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<Self, Fault> {
        if holds_hidden(lists.offsets(), lists.nulls()) {
            let rows = UInt64Array::from_iter_values(0..lists.len() as u64);
            let compact = take(lists, &rows, None)?;
            return Self::cut(
                compact.as_list::<O>().offsets(),
                compact.as_list::<O>().values(),
                lists.nulls(),
            );
        }
        Self::cut(lists.offsets(), lists.values(), lists.nulls())
    }

    /// The entries of maps.
    pub(super) fn of_maps(maps: &MapArray) -> Result<Self, Fault> {
        let entries = |maps: &MapArray| Arc::new(maps.entries().clone()) as ArrayRef;
        if holds_hidden(maps.offsets(), maps.nulls()) {
            let rows = UInt64Array::from_iter_values(0..maps.len() as u64);
            let compact = take(maps, &rows, None)?;
            return Self::cut(compact.as_map().offsets(), &entries(compact.as_map()), maps.nulls());
        }
        Self::cut(maps.offsets(), &entries(maps), maps.nulls())
    }

    /// Offsets that count from the first element that is used.
    fn cut<O: OffsetSizeTrait>(
        offsets: &OffsetBuffer<O>,
        elements: &ArrayRef,
        nulls: Option<&NullBuffer>,
    ) -> Result<Self, Fault> {
        let first = offsets.first().as_usize();
        let length = offsets.last().as_usize() - first;
        if i32::try_from(length).is_err() {
            return Err(Error::limit(format!("a batch has lists of {length} elements together")).into());
        }
        let counted: ScalarBuffer<i32> =
            offsets.iter().map(|offset| (offset.as_usize() - first) as i32).collect();
        Ok(Self {
            offsets: OffsetBuffer::new(counted),
            elements: elements.slice(first, length),
            nulls: nulls.cloned(),
        })
    }

    /// The row of the list that holds an element.
    pub(super) fn row_of(&self, element: usize) -> usize {
        self.offsets.partition_point(|offset| *offset as usize <= element).saturating_sub(1)
    }
}

/// Does a null list have elements?
fn holds_hidden<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, nulls: Option<&NullBuffer>) -> bool {
    nulls.is_some_and(|nulls| {
        nulls.null_count() > 0
            && offsets.windows(2).zip(nulls).any(|(range, is_there)| !is_there && range[0] != range[1])
    })
}
