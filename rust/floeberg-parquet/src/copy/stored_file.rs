//! Which columns of a file can be copied?
//!
//! In: an open file, and the layout of new files. Out: of each column of the layout, whether its chunks are copied or its values encoded.
//!
//! Invariant: a column is copied in all row groups of a file, or in none.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::Result;
use floeberg_io::Source;
use parquet::basic::ColumnOrder;
use parquet::column::writer::ColumnCloseResult;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::chunk::{Wanted, bytes_of, can_be_copied, describe};
use super::same_column::is_same;
use crate::read::ParquetFile;
use crate::write::ParquetLayout;

/// A file of a table, as far as its row groups can be copied.
#[derive(Debug)]
pub struct StoredFile {
    file: ParquetFile,
    /// Of each column of the layout, its leaves in this file; `None` if its values are encoded.
    columns: Vec<Option<Range<usize>>>,
    /// How many leaves each column of the layout has.
    leaves: Vec<usize>,
    /// The ids of the columns whose values are encoded.
    encoded: Vec<i32>,
    schema: Arc<SchemaDescriptor>,
}

impl StoredFile {
    /// The columns of a file that can be copied.
    ///
    /// Errors: those of the store; `InvalidData` for a damaged footer.
    pub(super) fn open(
        source: Arc<dyn Source>,
        layout: &ParquetLayout,
        schema: &Arc<SchemaDescriptor>,
        without_nulls: &[i32],
    ) -> Result<Self> {
        let file = ParquetFile::to_be_copied(source)?;
        let found = columns_of(file.metadata().file_metadata().schema());
        let wanted = columns_of(&layout.parquet);
        let same: Vec<_> = wanted
            .iter()
            .map(|(wanted, leaves)| {
                let mut alike = found.iter().filter(|(found, _)| is_same(found, wanted));
                match (alike.next(), alike.next()) {
                    (Some((_, of_file)), None) if of_file.len() == leaves.len() => Some(of_file.clone()),
                    _ => None,
                }
            })
            .collect();
        let groups: Vec<usize> = (0..file.metadata().num_row_groups()).collect();
        let leaves: Vec<usize> = same.iter().flatten().cloned().flatten().collect();
        let file = file.with_page_index(&groups, &leaves, &leaves)?;
        let is_copied = |(of_file, (_, of_layout)): &(Range<usize>, &(&Type, Range<usize>))| {
            of_file.clone().zip(of_layout.clone()).all(|(leaf, number)| {
                let wanted = wanted_of(layout, schema, number, without_nulls);
                groups.iter().all(|group| can_be_copied(&file, *group, leaf, wanted))
            })
        };
        let columns: Vec<_> = same
            .into_iter()
            .zip(&wanted)
            .map(|(of_file, of_layout)| {
                Some((of_file?, of_layout)).filter(is_copied).map(|(leaves, _)| leaves)
            })
            .collect();
        let ids = layout.stored.iter().zip(&columns);
        let encoded = ids.filter(|(_, leaves)| leaves.is_none()).map(|(field, _)| field.id).collect();
        let leaves = wanted.iter().map(|(_, leaves)| leaves.len()).collect();
        Ok(Self { file, columns, leaves, encoded, schema: Arc::clone(schema) })
    }

    /// Where it is.
    pub fn location(&self) -> &str {
        self.file.location()
    }

    /// The ids of the table's columns whose values are to be encoded, in the order of the table's columns.
    pub fn encoded(&self) -> &[i32] {
        &self.encoded
    }

    /// The rows of each row group.
    pub fn group_rows(&self) -> impl ExactSizeIterator<Item = u64> {
        let groups = self.file.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0))
    }

    /// The bytes of all row groups, those of other columns too.
    pub(super) fn bytes(&self) -> u64 {
        let groups = self.file.metadata().row_groups().iter();
        let sizes = groups.map(|group| u64::try_from(group.compressed_size()).unwrap_or(0));
        sizes.fold(0, u64::saturating_add)
    }

    /// The bytes of each row group that are copied.
    pub fn group_bytes(&self) -> impl ExactSizeIterator<Item = u64> {
        self.file.metadata().row_groups().iter().map(|group| {
            let leaves = self.columns.iter().flatten().cloned().flatten();
            let sizes = leaves.map(|leaf| u64::try_from(group.column(leaf).compressed_size()).unwrap_or(0));
            sizes.fold(0, u64::saturating_add)
        })
    }

    /// Reads the chunks of a row group that are copied.
    ///
    /// Errors: those of the store; `InvalidData` for chunks that cannot be described.
    pub fn read(&self, group: usize) -> Result<StoredGroup> {
        let of_group = self.file.metadata().row_group(group);
        let leaves: Vec<usize> = self.columns.iter().flatten().cloned().flatten().collect();
        let range = |leaf: &usize| bytes_of(of_group.column(*leaf)).unwrap_or_default();
        let ranges: Vec<_> = leaves.iter().map(range).collect();
        let bytes = self.file.source.read_ranges(&ranges)?;
        let mut chunks = leaves.into_iter().zip(bytes);
        let mut next = 0;
        let mut columns = Vec::with_capacity(self.columns.len());
        for (of_file, leaves) in self.columns.iter().zip(&self.leaves) {
            let first = next;
            next += leaves;
            let Some(of_file) = of_file else {
                columns.push(None);
                continue;
            };
            let chunks = chunks.by_ref().take(of_file.len()).zip(first..next);
            let described = chunks.map(|((leaf, bytes), number)| {
                Ok((bytes, describe(&self.file, group, leaf, &self.schema.column(number))?))
            });
            columns.push(Some(described.collect::<Result<Vec<_>>>()?));
        }
        let rows = u64::try_from(of_group.num_rows()).unwrap_or(0);
        Ok(StoredGroup { location: self.location().to_owned(), rows, columns, encoded: self.encoded.clone() })
    }
}

/// A row group that is copied.
pub struct StoredGroup {
    /// Where its file is.
    pub(super) location: String,
    pub(super) rows: u64,
    /// The chunks of each column of the layout; `None` if its values are encoded.
    pub(super) columns: Vec<Option<Vec<(Bytes, ColumnCloseResult)>>>,
    /// The ids of the columns whose values are encoded.
    pub(super) encoded: Vec<i32>,
}

impl StoredGroup {
    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many bytes are copied.
    pub fn bytes(&self) -> u64 {
        let chunks = self.columns.iter().flatten().flatten();
        chunks.map(|(bytes, _)| bytes.len() as u64).sum()
    }
}

/// The columns of a file, with their leaves.
fn columns_of(root: &Type) -> Vec<(&Type, Range<usize>)> {
    let mut start = 0;
    let columns = root.get_fields().iter().map(|column| {
        let leaves = start..start + leaves_of(column);
        start = leaves.end;
        (column.as_ref(), leaves)
    });
    columns.collect()
}

fn leaves_of(column: &Type) -> usize {
    if column.is_group() { column.get_fields().iter().map(|child| leaves_of(child)).sum() } else { 1 }
}

/// What a layout asks of a leaf.
fn wanted_of(
    layout: &ParquetLayout,
    schema: &SchemaDescriptor,
    leaf: usize,
    without_nulls: &[i32],
) -> Wanted {
    let column = schema.column(leaf);
    let properties = &layout.options().properties;
    Wanted {
        order: ColumnOrder::column_order_for_type(
            column.logical_type_ref(),
            column.converted_type(),
            column.physical_type(),
        ),
        codec: properties.compression(column.path()),
        needs_values: without_nulls.contains(&column.self_type().get_basic_info().id()),
        needs_bloom_filter: properties.bloom_filter_properties(column.path()).is_some(),
    }
}
